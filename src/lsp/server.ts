// One running language server: started, initialised, asked, ended.
// Invariants: a request is about the files as they are on the disk when it is sent; when the server dies or sends what is no
// message, everything pending fails with what happened; nothing of it is alive after `stop`.
// Not here: when one is started again (pool.ts), what its answers mean (answers.ts).

import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { ModelError } from "../core/errors.js";
import type { Companion } from "../lib/companion.js";
import type { Fs } from "../lib/fs.js";
import { abilitiesOf, clientCapabilities, type ServerAbilities } from "./capabilities.js";
import { Census, type FileEvent } from "./census.js";
import { Connection } from "./connection.js";
import { type Document, Documents } from "./documents.js";
import type { ServerPlan } from "./plan.js";
import { Problems } from "./problems.js";
import { Readiness } from "./readiness.js";
import { Replies } from "./replies.js";

/** It is not there, or no longer. */
export class ServerFault extends ModelError {
  override name = "ServerFault";
  /** A clause: `it ended with exit code 7`. */
  readonly why: string;

  /** `what`: of the server, before the reason. */
  constructor(server: string, what: string, why: string, next: string) {
    super(`The language server ${server} ${what}: ${why}. ${next}`);
    this.why = why;
  }
}

/** Starts the program of a plan; what it writes goes to `heard`. */
export type Launch = (plan: ServerPlan, cwd: string, heard: (chunk: Buffer) => void) => Promise<Companion>;

export interface ServerStart {
  plan: ServerPlan;
  /** Directory it works for. */
  root: string;
  disk: Fs;
  launch: Launch;
  timings: Timings;
  /** Ends the start. */
  signal: AbortSignal;
}

export interface Timings {
  /** For a request. */
  requestMs: number;
  initializeMs: number;
  /** For the answer to `shutdown`, and again until KILL. */
  shutdownMs: number;
}

export const timings: Timings = { requestMs: 20_000, initializeMs: 45_000, shutdownMs: 2_000 };

export class LanguageServer {
  readonly plan: ServerPlan;
  readonly root: string;
  readonly documents: Documents;
  readonly problems: Problems;
  readonly readiness: Readiness;
  readonly abilities: ServerAbilities;
  /** Settles when it is over, with how it ended. */
  readonly ended: Promise<string>;
  readonly #census: Census;
  readonly #connection: Connection;
  readonly #companion: Companion;
  readonly #replies: Replies;
  readonly #timings: Timings;

  private constructor(start: ServerStart, parts: Parts, result: unknown) {
    this.plan = start.plan;
    this.root = start.root;
    this.#timings = start.timings;
    this.#census = parts.census;
    this.#connection = parts.connection;
    this.#companion = parts.companion;
    this.#replies = parts.replies;
    this.ended = parts.ended;
    this.abilities = abilitiesOf(result);
    this.documents = new Documents({
      disk: start.disk,
      languageOf: (path) => languageOf(start.plan, path),
      tell: (method, params) => {
        this.#connection.notify(method, params);
        this.problems?.moved();
      },
      wantsSaves: this.abilities.wantsSaves,
    });
    this.problems = new Problems(this, parts.replies);
    this.readiness = new Readiness(this);
  }

  /** Rejects with a ModelError when it cannot be started or does not answer; then nothing of it is left. */
  static async start(start: ServerStart): Promise<LanguageServer> {
    const parts = await begin(start);
    try {
      const options = { signal: start.signal, timeoutMs: start.timings.initializeMs };
      const result = await parts.connection.request("initialize", initialization(start), options);
      parts.connection.notify("initialized", {});
      for (const each of start.plan.notices ?? []) parts.connection.notify(each, null);
      parts.connection.notify("workspace/didChangeConfiguration", { settings: start.plan.settings ?? {} });
      return new LanguageServer(start, parts, result);
    } catch (error) {
      await parts.companion.stop(200);
      throw error;
    }
  }

  get name(): string {
    return this.plan.name;
  }

  get isAlive(): boolean {
    return this.fate === undefined;
  }

  /** What became of it, when it is over. */
  get fate(): ModelError | undefined {
    return this.#connection.closed;
  }

  /** What was sent to it before, it knows. */
  async ask(
    method: string,
    params: object,
    signal: AbortSignal,
    timeoutMs = this.#timings.requestMs,
  ): Promise<unknown> {
    return this.#connection.request(method, params, { signal, timeoutMs });
  }

  tell(method: string, params: object): void {
    this.#connection.notify(method, params);
  }

  /** Makes it know the files as they are on the disk, the open ones and the others. */
  refresh(): void {
    this.#announce(this.#census.look());
    this.documents.syncAll();
  }

  /** The document for a file, everything being as it is on the disk. */
  open(path: string): Document {
    this.refresh();
    return this.documents.sync(path);
  }

  /** Files that somebody changed, whether they are open or not. */
  changed(changes: readonly FileEvent[]): void {
    for (const { path } of changes) this.#census.told(path);
    this.#announce(changes);
    this.documents.syncAll();
  }

  #announce(events: readonly FileEvent[]): void {
    if (events.length === 0) return;
    const changes = events.map(({ path, type }) => ({ uri: pathToFileURL(path).href, type }));
    this.#connection.notify("workspace/didChangeWatchedFiles", { changes });
  }

  /** Work that it announced is under way. */
  get isBusy(): boolean {
    return this.#replies.isBusy;
  }

  /** Resolves when no work that it announced is under way, or after `ms`. */
  atRest(ms: number, signal: AbortSignal): Promise<boolean> {
    return this.#replies.atRest(ms, signal);
  }

  /** The edits that the server asks for while `work` runs; they are not done. */
  collectEdits(work: () => Promise<unknown>): Promise<unknown[]> {
    return this.#replies.collectEdits(work);
  }

  async stop(): Promise<void> {
    if (this.isAlive) {
      const { shutdownMs } = this.#timings;
      const options = { signal: new AbortController().signal, timeoutMs: shutdownMs };
      // A server that does not want to shut down is ended.
      const answered = await this.#connection.request("shutdown", null, options).then(
        () => true,
        () => false,
      );
      this.#connection.notify("exit", null);
      if (answered) await Promise.race([this.ended, pause(shutdownMs)]);
    }
    this.#connection.close(new ModelError(`The language server ${this.name} was ended. Call again to start it anew.`));
    await this.#companion.stop(0);
  }
}

interface Parts {
  connection: Connection;
  companion: Companion;
  replies: Replies;
  ended: Promise<string>;
  census: Census;
}

async function begin({ plan, root, launch, disk }: ServerStart): Promise<Parts> {
  const { name } = plan;
  const replies = new Replies({ name: basename(root) || root, uri: pathToFileURL(root).href, settings: plan.settings });
  let companion: Companion | undefined;
  const connection = new Connection(name, {
    write: (bytes) => companion?.write(bytes),
    asked: (method, params) => replies.asked(method, params),
    told: (method, params) => replies.told(method, params),
    broken: () => void companion?.stop(0),
  });
  // Before it can have read any of them.
  const census = new Census(disk, root, plan);
  companion = await launch(plan, root, (chunk) => connection.receive(chunk));
  const { ended, complaint } = companion;
  void ended.then((how) => {
    const said = lastLine(complaint());
    connection.close(new ServerFault(name, "is gone", `${how}${said}`, "Call again to start it anew."));
    replies.over();
  });
  return { connection, companion, replies, ended, census };
}

function lastLine(complaint: string): string {
  const line = complaint.split("\n").at(-1)?.trim() ?? "";
  return line === "" ? "" : `; it last wrote ${JSON.stringify(line.slice(0, 200))}`;
}

function initialization({ plan, root }: ServerStart): object {
  const uri = pathToFileURL(root).href;
  return {
    processId: process.pid,
    clientInfo: { name: "cinch" },
    rootPath: root,
    rootUri: uri,
    workspaceFolders: [{ uri, name: basename(root) || root }],
    capabilities: clientCapabilities,
    trace: "off",
    ...(plan.initializationOptions === undefined ? {} : { initializationOptions: plan.initializationOptions }),
  };
}

function languageOf({ languages }: ServerPlan, path: string): string {
  const extension = path.slice(path.lastIndexOf(".")).toLowerCase();
  return languages[extension] ?? "plaintext";
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
