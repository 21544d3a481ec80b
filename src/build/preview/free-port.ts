// A port of this machine's own address that nobody listens on, so that what is started next can have it.
// Deliberately no promise: between the look and the start somebody else may take it, and then the start fails and says so.

import { createServer } from "node:net";

export const localAddress = "127.0.0.1";

const tries = 100;

/** The first free one of a hundred, from the one given on; else any. */
export async function freePort(from: number): Promise<number> {
  for (let port = from; port < from + tries; port++) if ((await listenedOn(port)) !== null) return port;
  return (await listenedOn(0)) ?? from;
}

/** Null when it is taken. */
function listenedOn(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(null));
    // On every address: what somebody else has on any of them is not free either.
    server.listen({ port, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" ? (address?.port ?? null) : null));
    });
  });
}
