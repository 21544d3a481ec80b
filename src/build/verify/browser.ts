// A browser without a window for one look: found on PATH, started with a profile of its own, spoken to over a pipe, ended with
// everything it started.
// Invariants: it reaches nothing but this machine: whatever else it asks for goes to a proxy that refuses; when `close` has
// resolved, no process of it is alive and nothing of its profile is left. No key of the user is in its environment.
// Not here: what is looked at (page.ts).

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf } from "../../core/errors.js";
import type { Json, JsonObject } from "../../core/json.js";
import { type Companion, startCompanion } from "../../lib/companion.js";
import type { Fs } from "../../lib/fs.js";
import { isObject, parseJson } from "../../lib/json.js";
import { onPath } from "../../lib/on-path.js";
import { within } from "../../lib/paths.js";
import { Supervisor } from "../../lib/supervisor.js";

const programs = ["chromium", "chromium-browser", "google-chrome"];

/** Null: there is none. One that lies in the project is not run. */
export function findBrowser(disk: Fs, path: string, root: string): string | null {
  const places = programs.flatMap((name) => onPath(disk, path, name));
  return places.find((file) => !within(root, disk.realpathSync(file)) && !within(root, file)) ?? null;
}

/** What a browser tells by itself. */
export type Heard = (method: string, params: JsonObject, session: string | undefined) => void;

export interface Browser {
  /** Rejects when it answers with an error, or ends before it has answered. */
  ask(method: string, params?: JsonObject, session?: string): Promise<JsonObject>;
  close(): Promise<void>;
}

/** Of root's processes Chromium confines none; whoever is root has to do without. */
const flags = (isRoot: boolean) => [
  ...["--headless=new", "--remote-debugging-pipe", "--no-first-run", "--no-default-browser-check"],
  ...["--disable-extensions", "--disable-sync", "--disable-background-networking", "--disable-component-update"],
  ...["--disable-default-apps", "--disable-domain-reliability", "--metrics-recording-only", "--no-pings"],
  ...["--password-store=basic", "--use-mock-keychain", "--disable-gpu", "--disable-dev-shm-usage", "--mute-audio"],
  ...["--hide-scrollbars", "--force-color-profile=srgb", "--window-size=1280,800"],
  // Of the two flags of this meaning the one with "force" is a policy's, which no headless browser has.
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--disable-features=DialMediaRouteProvider,MediaRouter,OptimizationHints,Translate",
  ...(isRoot ? ["--no-sandbox"] : []),
];

/** Rejects when it does not start. */
export async function startBrowser(disk: Fs, program: string, path: string, heard: Heard): Promise<Browser> {
  const place = join(disk.realpathSync(tmpdir()), `cinch-browser-${process.pid}-${Date.now().toString(36)}`);
  disk.mkdirSync(place, { mode: 0o700 });
  const supervisor = new Supervisor(disk, join(place, "running"));
  const wall = await refusingProxy();
  await supervisor.ready();
  const talk = new Talk(heard);
  const companion = startCompanion({
    argv: [
      program,
      ...flags(process.getuid?.() === 0),
      ...proxied(wall),
      `--user-data-dir=${join(place, "profile")}`,
      "about:blank",
    ],
    cwd: place,
    // What it writes into a home or a temp directory is its own, and goes.
    env: { PATH: path, HOME: place, XDG_RUNTIME_DIR: place, TMPDIR: place, LANG: "C.UTF-8" },
    guard: supervisor,
    over: "pipes",
    heard: (chunk) => talk.hear(chunk),
  });
  void companion.ended.then((how) => talk.end(`The browser is gone: ${how}. ${companion.complaint()}`.trim()));
  return {
    ask: (method, params, session) => talk.ask(companion, method, params, session),
    async close() {
      talk.end("The browser was closed.");
      await companion.stop(1_000);
      await supervisor.close();
      wall.close();
      wall.closeAllConnections();
      disk.rmSync(place, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Everything but this machine's own addresses goes there; `<-loopback>` takes away what would go around it unasked. */
function proxied(wall: Server): string[] {
  const { port } = wall.address() as AddressInfo;
  return [`--proxy-server=http://127.0.0.1:${port}`, "--proxy-bypass-list=<-loopback>;127.0.0.1;localhost;[::1]"];
}

function refusingProxy(): Promise<Server> {
  const server = createServer((_request, response) => response.writeHead(403).end());
  server.on("connect", (_request, socket) => {
    // From here on the socket is ours: a browser that hangs up first is no error of anybody's.
    socket.on("error", () => socket.destroy());
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => resolve(server.unref()));
  });
}

/** Requests, answers and events: JSON texts with a NUL behind each. */
class Talk {
  readonly #heard: Heard;
  readonly #open = new Map<number, { resolve(result: JsonObject): void; reject(error: Error): void }>();
  #rest = Buffer.alloc(0);
  #asked = 0;
  #over: string | undefined;

  constructor(heard: Heard) {
    this.#heard = heard;
  }

  ask(companion: Companion, method: string, params: JsonObject = {}, session?: string): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      if (this.#over !== undefined) return reject(new Error(this.#over));
      const id = ++this.#asked;
      this.#open.set(id, { resolve, reject });
      const text = JSON.stringify({ id, method, params, ...(session === undefined ? {} : { sessionId: session }) });
      companion.write(Buffer.from(`${text}\0`));
      return undefined;
    });
  }

  hear(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (let end = this.#rest.indexOf(0); end >= 0; end = this.#rest.indexOf(0)) {
      const said = parseJson(this.#rest.toString("utf8", 0, end));
      this.#rest = this.#rest.subarray(end + 1);
      if (isObject(said)) this.#take(said);
    }
  }

  #take({ id, method, params, result, error, sessionId }: JsonObject): void {
    if (typeof method === "string") {
      this.#heard(method, objectOf(params), typeof sessionId === "string" ? sessionId : undefined);
      return;
    }
    const waiting = this.#open.get(Number(id));
    this.#open.delete(Number(id));
    if (error === undefined) waiting?.resolve(objectOf(result));
    else waiting?.reject(new Error(messageOf(objectOf(error)["message"])));
  }

  end(why: string): void {
    this.#over ??= why;
    for (const { reject } of this.#open.values()) reject(new Error(this.#over));
    this.#open.clear();
  }
}

export function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}
