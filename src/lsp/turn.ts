// The problems that a turn brought in: after its calls, the changed files are shown to the servers that run, and what they
// find that was not there before is told once.
// Invariants: what is told is about the content that the file has when it is told; one wait for all files of a turn, and none
// when no server runs; what is late is told after a later turn, as what is new since then.

import { setMaxListeners } from "node:events";
import { Cancelled, ModelError } from "../core/errors.js";
import type { Diagnostic } from "../core/lsp.js";
import { RunningTimer } from "../lib/running-timer.js";
import { diagnosticsOf, type View } from "./answers.js";
import { type Finding, newProblems, reportOf } from "./delta.js";
import type { Document } from "./documents.js";
import type { Pool } from "./pool.js";
import type { LanguageServer } from "./server.js";

/** One path as a call left it; `before`: the text that was there, null = no file, undefined = not known. */
export interface TurnChange {
  path: string;
  kind: "created" | "changed" | "deleted";
  before(): string | null | undefined;
}

export interface TurnOptions {
  pool: Pool;
  view: View;
  waitMs: number;
}

/** Files of one turn that are looked at. */
const maxFiles = 30;
/** After which a server that says nothing is no longer waited for, in the background. */
const patienceMs = 60_000;

interface Watched {
  /** What was there before this session changed it, or what was last told; undefined = not known. */
  known: readonly Diagnostic[] | undefined;
  /** Counts the changes: a look at an older content is thrown away. */
  changes: number;
  /** Not yet looked at. */
  due: TurnChange | null;
  /** The model was told that nothing is known yet. */
  isAnnounced: boolean;
  looking: Promise<void> | null;
  /** Found and not yet told. */
  found: { server: LanguageServer; document: Document; problems: readonly Diagnostic[] } | null;
}

export class TurnProblems {
  readonly #options: TurnOptions;
  readonly #watched = new Map<string, Watched>();
  readonly #end = new AbortController();
  /** Changed files of this turn that are too many to be looked at. */
  #passed = 0;
  /** Thrown by a look in the background. */
  #fault: unknown;

  constructor(options: TurnOptions) {
    this.#options = options;
    // One for each file that is looked at; node warns of more than ten.
    setMaxListeners(0, this.#end.signal);
  }

  /** What a server thinks of it is asked when the turn is settled. */
  changed(change: TurnChange): void {
    const { path, kind } = change;
    if (kind === "deleted") this.#watched.delete(path);
    const server = kind === "deleted" ? undefined : this.#options.pool.running(path);
    if (server && this.#options.view.isOpen(path)) this.#enqueue(change, server);
  }

  #enqueue(change: TurnChange, server: LanguageServer): void {
    const known = this.#watched.get(change.path);
    if (known) {
      known.changes++;
      known.due ??= change;
      known.found = null;
      return;
    }
    if ([...this.#watched.values()].filter(({ due }) => due).length >= maxFiles) {
      this.#passed++;
      return;
    }
    const fresh = { changes: 1, due: change, isAnnounced: false, looking: null, found: null };
    this.#watched.set(change.path, { known: this.#told(server, change), ...fresh });
  }

  #told(server: LanguageServer, { path, kind, before }: TurnChange): readonly Diagnostic[] | undefined {
    if (kind === "created") return [];
    const last = server.problems.last(path);
    // Somebody else may have changed it since.
    const text = before() ?? last?.document.source.text;
    if (text !== last?.document.source.text) return undefined;
    return last && diagnosticsOf(last.items, last.document.source, server.abilities.encoding);
  }

  /** What the model is to read of it, or null. Waits at most `waitMs`, and not at all when there is nothing to wait for. */
  async settle(signal: AbortSignal): Promise<string | null> {
    const open = [...this.#watched].filter(([, { due, looking }]) => due !== null || looking !== null);
    for (const [path, watched] of open) this.#look(path, watched);
    if (open.length > 0) await this.#wait(signal);
    if (this.#fault !== undefined) throw this.#fault;
    return this.#report();
  }

  /** What has come in since, without a wait. */
  late(): string | null {
    return this.#report(false);
  }

  close(): void {
    this.#end.abort();
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const settle = () => {
        timer.end();
        signal.removeEventListener("abort", settle);
        resolve();
      };
      const timer = new RunningTimer(this.#options.waitMs, settle);
      signal.addEventListener("abort", settle, { once: true });
      void Promise.all([...this.#watched.values()].map(({ looking }) => looking)).then(settle);
    });
  }

  #look(path: string, watched: Watched): void {
    watched.looking ??= this.#find(path, watched).finally(() => {
      watched.looking = null;
    });
  }

  /** Until what was found is about the newest content. */
  async #find(path: string, watched: Watched): Promise<void> {
    for (;;) {
      const { changes, due } = watched;
      watched.due = null;
      const server = this.#options.pool.running(path);
      if (!server) return;
      try {
        if (due && watched.known === undefined) watched.known = await this.#before(server, due);
        const document = server.documents.sync(path);
        const items = await server.problems.of(document, patienceMs, this.#end.signal);
        if (watched.changes !== changes) continue;
        if (items === null) return;
        const problems = diagnosticsOf(items, document.source, server.abilities.encoding);
        watched.found = { server, document, problems };
        return;
      } catch (error) {
        // The server is gone or the file is: whoever asks next is told so; a turn is not.
        if (!(error instanceof ModelError) && !(error instanceof Cancelled)) this.#fault = error;
        return;
      }
    }
  }

  /** The problems that the file had before, found by showing the server what it was. */
  async #before(server: LanguageServer, due: TurnChange): Promise<readonly Diagnostic[] | undefined> {
    const text = due.before();
    if (text === null) return [];
    if (text === undefined) return undefined;
    const document = server.documents.pretend(due.path, text);
    const items = await server.problems.of(document, this.#options.waitMs / 2, this.#end.signal);
    return items ? diagnosticsOf(items, document.source, server.abilities.encoding) : undefined;
  }

  #report(isTurnEnd = true): string | null {
    const { view } = this.#options;
    const findings: Finding[] = [];
    const pending: string[] = [];
    for (const [path, watched] of this.#watched) {
      const { found, looking, isAnnounced, known } = watched;
      if (found && isOfNow(found, path)) {
        const fresh = newProblems(known, found.problems);
        const shown = view.shown(path);
        findings.push({
          shown,
          server: found.server.name,
          fresh,
          isCompared: known !== undefined,
          wasPending: isAnnounced,
        });
        Object.assign(watched, { known: found.problems, found: null, isAnnounced: false });
      } else if (looking && !isAnnounced && isTurnEnd) {
        pending.push(view.shown(path));
        watched.isAnnounced = true;
      }
    }
    const passed = this.#passed;
    this.#passed = 0;
    return reportOf(findings, pending, passed);
  }
}

/** Whether the content that it is about is still what is on the disk. */
function isOfNow({ server, document }: NonNullable<Watched["found"]>, path: string): boolean {
  return server.isAlive && server.documents.isOfNow(path, document);
}
