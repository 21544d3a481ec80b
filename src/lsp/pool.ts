// The running servers of a harness: one for each plan and root, started when it is first needed.
// Invariants: two calls at once start one server; one that died is started again by the next call, the first time at once,
// then with growing pauses, and its documents are opened again; after `close` none is alive and none is started.

import { ModelError, messageOf } from "../core/errors.js";
import type { Clock } from "../core/ids.js";
import type { Fs } from "../lib/fs.js";
import { systemClock } from "../lib/system.js";
import { unlessAborted } from "../lib/unless-aborted.js";
import { type Candidate, rootFor, serverFor } from "./choose.js";
import type { ServerPlan } from "./plan.js";
import { LanguageServer, type Launch, ServerFault, type Timings, timings } from "./server.js";

export interface PoolOptions {
  disk: Fs;
  /** Canonical. */
  root: string;
  launch: Launch;
  /** As things are now. */
  candidates(): readonly Candidate[];
  timings?: Partial<PoolTimings>;
  clock?: PoolClock;
}

type PoolClock = Pick<Clock, "mono" | "sleep">;

export interface PoolTimings extends Timings {
  /** Of the second start after a death; doubled with each further one. */
  backOffMs: number;
  /** After which a server that nobody asked is ended. */
  idleMs: number;
}

const defaults: PoolTimings = { ...timings, backOffMs: 1_000, idleMs: 15 * 60_000 };
const longestBackOffMs = 60_000;
/** A server that lived this long has not failed when it dies. */
const healthyMs = 60_000;

interface Slot {
  plan: ServerPlan;
  root: string;
  server: Promise<LanguageServer> | undefined;
  live: LanguageServer | undefined;
  started: number;
  /** Starts that ended soon, one after the other. */
  failures: number;
  lastFault: string;
  /** Documents that the last one had open. */
  left: readonly string[];
  /** Calls off the end of an idle server. */
  keep(): void;
}

export class Pool {
  readonly #options: PoolOptions;
  readonly #timings: PoolTimings;
  readonly #clock: PoolClock;
  readonly #slots = new Map<string, Slot>();
  readonly #end = new AbortController();
  /** Of idle servers, under way. */
  readonly #endings = new Set<Promise<void>>();

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#timings = { ...defaults, ...options.timings };
    this.#clock = options.clock ?? systemClock;
  }

  /** Why no server serves this file, or null. Starts nothing. */
  unserved(path: string): string | null {
    const choice = serverFor(path, this.#options.candidates());
    return "why" in choice ? choice.why : null;
  }

  /** The server for a file, started if need be. */
  async for(path: string, signal: AbortSignal): Promise<LanguageServer> {
    const choice = serverFor(path, this.#options.candidates());
    if ("why" in choice) throw new ModelError(choice.why);
    return unlessAborted(signal, this.#open(this.#slot(choice.plan, this.#rootOf(choice.plan, path))));
  }

  /** The running server for a file, if there is one. */
  running(path: string): LanguageServer | undefined {
    const choice = serverFor(path, this.#options.candidates());
    if ("why" in choice) return undefined;
    const { live } = this.#slot(choice.plan, this.#rootOf(choice.plan, path));
    return live?.isAlive ? live : undefined;
  }

  all(): LanguageServer[] {
    return [...this.#slots.values()].flatMap(({ live }) => (live?.isAlive ? live : []));
  }

  /** Servers that died and have not come up again, with how. */
  failed(): { plan: ServerPlan; why: string }[] {
    return [...this.#slots.values()].flatMap(({ plan, live, lastFault }) =>
      live?.isAlive || lastFault === "" ? [] : [{ plan, why: lastFault }],
    );
  }

  async close(): Promise<void> {
    this.#end.abort();
    await Promise.all([
      ...this.#endings,
      ...[...this.#slots.values()].map(async (slot) => {
        slot.keep();
        // One that could not be started has been ended already.
        const server = await slot.server?.catch(() => undefined);
        await server?.stop();
      }),
    ]);
  }

  #rootOf({ marks, runs }: ServerPlan, path: string): string {
    const { disk, root } = this.#options;
    // Further down it would find programs that nobody has approved.
    if (runs) return root;
    return rootFor(path, root, (directory) => marks.some((mark) => disk.existsSync(`${directory}/${mark}`)));
  }

  #slot(plan: ServerPlan, root: string): Slot {
    const key = JSON.stringify([plan.name, plan.argv, root]);
    const known = this.#slots.get(key);
    if (known) return known;
    const empty = { server: undefined, live: undefined, started: 0, failures: 0, lastFault: "", keep() {} };
    const slot: Slot = { plan, root, ...empty, left: [] };
    this.#slots.set(key, slot);
    return slot;
  }

  async #open(slot: Slot): Promise<LanguageServer> {
    if (this.#end.signal.aborted) throw closing();
    // It sent what is no message, and its process is not quite gone yet.
    if (slot.live && !slot.live.isAlive) this.#over(slot, slot.live, "it sent what is no message");
    if (!slot.server) this.#mustNotWait(slot);
    slot.server ??= this.#start(slot);
    const server = await slot.server;
    this.#postpone(slot, server);
    return server;
  }

  async #start(slot: Slot): Promise<LanguageServer> {
    const { plan, root } = slot;
    slot.started = this.#clock.mono();
    try {
      const { disk, launch } = this.#options;
      const { signal } = this.#end;
      const server = await LanguageServer.start({ plan, root, disk, launch, timings: this.#timings, signal });
      slot.live = server;
      void server.ended.then((how) => this.#over(slot, server, how));
      for (const path of slot.left) if (disk.existsSync(path)) server.open(path);
      slot.left = [];
      return server;
    } catch (error) {
      slot.server = undefined;
      if (this.#end.signal.aborted) throw closing();
      this.#failed(slot, error instanceof ServerFault ? error.why : messageOf(error).replace(/\.$/, ""));
      throw error;
    }
  }

  #mustNotWait(slot: Slot): void {
    const wait = this.#pauseOf(slot);
    if (wait <= 0) return;
    const { plan, failures, lastFault } = slot;
    const text = `The language server ${plan.name} failed ${failures} times in a row, last: ${lastFault}.`;
    const next = `It may be started again in ${Math.ceil(wait / 1000)} s; \`cinch lsp status\` says more.`;
    throw new ModelError(text, next);
  }

  /** Milliseconds until it may be started. */
  #pauseOf({ failures, started }: Slot): number {
    if (failures < 2) return 0;
    const pause = Math.min(this.#timings.backOffMs * 2 ** (failures - 2), longestBackOffMs);
    return started + pause - this.#clock.mono();
  }

  #over(slot: Slot, server: LanguageServer, how: string): void {
    slot.keep();
    if (slot.live !== server) return;
    slot.live = undefined;
    slot.server = undefined;
    slot.left = server.documents.paths();
    this.#failed(slot, how);
  }

  #failed(slot: Slot, why: string): void {
    slot.failures = this.#clock.mono() - slot.started > healthyMs ? 1 : slot.failures + 1;
    slot.lastFault = why;
  }

  /** Nobody asks it any more: its memory is better used elsewhere. */
  #postpone(slot: Slot, server: LanguageServer): void {
    slot.keep();
    const watch = new AbortController();
    slot.keep = () => watch.abort();
    const idle = this.#clock.sleep(this.#timings.idleMs, watch.signal);
    // Rejected when somebody asks, or when it is over.
    void idle.then(
      () => this.#retire(slot, server),
      () => {},
    );
  }

  #retire(slot: Slot, server: LanguageServer): void {
    if (slot.live !== server) return;
    slot.live = undefined;
    slot.server = undefined;
    slot.left = server.documents.paths();
    const ending = server.stop().finally(() => this.#endings.delete(ending));
    this.#endings.add(ending);
  }
}

function closing(): ModelError {
  return new ModelError("The session is being closed; no language server is started any more.");
}
