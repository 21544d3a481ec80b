// Whether something answers at a port of this machine, and whether it can be reached from elsewhere.
// Invariant: nothing but this machine's own addresses is ever asked, and no answer takes longer than `patience`.

import { get } from "node:http";
import { connect } from "node:net";
import { localAddress } from "./free-port.js";

export interface ProbeAnswer {
  status: number;
  /** Its beginning. */
  body: string;
}

const patience = 5_000;
const maxBody = 1_500;

/** Null: nobody answers, or not in time. */
export function probe(port: number, path: string): Promise<ProbeAnswer | null> {
  return new Promise((resolve) => {
    let body = "";
    const request = get({ host: localAddress, port, path, agent: false, timeout: patience }, (response) => {
      const answered = () => resolve({ status: response.statusCode ?? 0, body: body.slice(0, maxBody) });
      response.setEncoding("utf8");
      response.on("data", (text: string) => {
        body += text;
        if (body.length < maxBody) return;
        answered();
        response.destroy();
      });
      response.once("end", answered);
      response.once("error", answered);
    });
    request.once("timeout", () => request.destroy());
    request.once("error", () => resolve(null));
  });
}

/**
 * Does whoever listens there listen on more than this address? All of 127.0.0.0/8 is this machine, and who listens on every
 * address answers at another one of it too. Where the system has only the one (macOS), this cannot be told, and is false.
 */
export function isExposed(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.2", port, timeout: patience });
    const over = (exposed: boolean) => {
      resolve(exposed);
      socket.destroy();
    };
    socket.once("connect", () => over(true));
    socket.once("timeout", () => over(false));
    socket.once("error", () => over(false));
  });
}
