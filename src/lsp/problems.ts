// What one server says is wrong with its documents: published by it, or asked for.
// Invariant: an answer is about the very text that the document has when it is given; what was published for another version
// is dropped. A server that does not say which version it means is believed only after it has answered a request that
// was sent behind the text, and has then been silent for a moment.

import type { Diagnostic } from "vscode-languageserver-types";
import { Cancelled } from "../core/errors.js";
import { RunningTimer } from "../lib/running-timer.js";
import type { Document } from "./documents.js";
import { memberOf, pathOf, problemsIn } from "./members.js";
import type { Replies } from "./replies.js";
import type { LanguageServer } from "./server.js";
import { tsserverProblems } from "./tsserver.js";

interface Published {
  /** Whether the server said which version it means. */
  isVersioned: boolean;
  /** That version, or the one that the document had when this came. */
  version: number;
  items: readonly Diagnostic[];
}

/** Servers publish in several steps; what comes this shortly after the first is part of it. */
const quietMs = 120;

export class Problems {
  readonly #server: LanguageServer;
  readonly #replies: Replies;
  readonly #published = new Map<string, Published>();
  readonly #last = new Map<string, { document: Document; items: readonly Diagnostic[] }>();
  readonly #wake = new Set<() => void>();
  #everPublished = false;
  /** How long it was waited in vain for documents, of a server that never says anything. */
  readonly #silent = new Map<string, number>();

  constructor(server: LanguageServer, replies: Replies) {
    this.#server = server;
    this.#replies = replies;
    replies.published = (params) => this.#take(params);
    replies.registered = () => this.#wakeAll();
    void server.ended.then(() => this.#wakeAll());
  }

  /** A document has another text now, or is closed: whoever waits for the old one waits in vain. */
  moved(): void {
    this.#wakeAll();
  }

  /** It is asked for them, and need not be waited for. */
  get areAsked(): boolean {
    const { abilities } = this.#server;
    return abilities.asksTsserver || abilities.pulls || this.#replies.hasRegistered("textDocument/diagnostic");
  }

  /** It has told of some by itself. */
  get areTold(): boolean {
    return this.#everPublished;
  }

  /** What was last found out about a document that is still open. */
  last(path: string): { document: Document; items: readonly Diagnostic[] } | undefined {
    return this.#last.get(path);
  }

  /** Of the document's text as it is; null when they are not known within `ms`. */
  async of(document: Document, ms: number, signal: AbortSignal): Promise<readonly Diagnostic[] | null> {
    let items = this.areAsked ? null : await this.#told(document, ms, signal);
    // Some say only after the start that they want to be asked, and then tell nothing by themselves.
    if (this.areAsked) items = await this.#asked(document, ms, signal);
    if (items === null || this.#server.documents.get(document.path) !== document) return null;
    this.#last.set(document.path, { document, items });
    return items;
  }

  #asked(document: Document, ms: number, signal: AbortSignal): Promise<readonly Diagnostic[] | null> {
    const ask = this.#server.abilities.asksTsserver
      ? () => tsserverProblems(this.#server, document, signal)
      : () => this.#pull(document, signal);
    return this.#inTime(ask, ms);
  }

  async #told(document: Document, ms: number, signal: AbortSignal): Promise<readonly Diagnostic[] | null> {
    if ((this.#silent.get(document.path) ?? 0) >= ms && !this.#everPublished) return null;
    const until = performance.now() + ms;
    const found = await this.#awaitPublished(document, until, signal);
    if (performance.now() >= until && !this.#everPublished && !this.areAsked) this.#silent.set(document.path, ms);
    return found;
  }

  async #awaitPublished(document: Document, until: number, signal: AbortSignal): Promise<readonly Diagnostic[] | null> {
    const { path, version } = document;
    const behind = { answered: false };
    void this.#barrier(document, signal).then(() => {
      behind.answered = true;
      this.#wakeAll();
    });
    for (;;) {
      const last = this.#published.get(path);
      const fits = last?.version === version && (last.isVersioned || behind.answered);
      const wait = Math.min(fits ? quietMs : until - performance.now(), until - performance.now());
      const isOver =
        signal.aborted || this.areAsked || !this.#server.isAlive || this.#server.documents.get(path) !== document;
      const isLate = wait <= 0 || isOver;
      if (isLate) return fits ? last.items : null;
      const isMore = await this.#next(wait, signal);
      if (fits && !isMore) return last.items;
    }
  }

  /** Resolves when the server has read everything that was sent up to now, or cannot say so. */
  async #barrier({ uri }: Document, signal: AbortSignal): Promise<void> {
    const { abilities } = this.#server;
    const params = { textDocument: { uri }, position: { line: 0, character: 0 } };
    const method = abilities.has("documentSymbol") ? "textDocument/documentSymbol" : "textDocument/hover";
    if (!abilities.has("documentSymbol") && !abilities.has("hover")) return;
    await this.#server.ask(method, params, signal).catch(() => undefined);
  }

  /** True when something was published, or is known to be over, within `ms`. */
  #next(ms: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (isMore: boolean) => {
        timer.end();
        signal.removeEventListener("abort", wake);
        this.#wake.delete(wake);
        resolve(isMore);
      };
      const wake = () => settle(true);
      const timer = new RunningTimer(ms, () => settle(false));
      signal.addEventListener("abort", wake, { once: true });
      this.#wake.add(wake);
    });
  }

  async #pull({ uri }: Document, signal: AbortSignal): Promise<readonly Diagnostic[]> {
    const report = await this.#server.ask("textDocument/diagnostic", { textDocument: { uri } }, signal);
    return problemsIn(memberOf(report, "items"));
  }

  /** Null when it takes longer, or the document was changed on the way (the server then cancels). */
  async #inTime(ask: () => Promise<readonly Diagnostic[]>, ms: number): Promise<readonly Diagnostic[] | null> {
    let timer: RunningTimer | undefined;
    const late = new Promise<null>((resolve) => {
      timer = new RunningTimer(ms, () => resolve(null));
    });
    const asked = ask().catch((error: unknown) => {
      if (error instanceof Cancelled || isRetry(error)) return null;
      throw error;
    });
    try {
      return await Promise.race([asked, late]);
    } finally {
      timer?.end();
    }
  }

  #take(params: unknown): void {
    const path = pathOf(String(memberOf(params, "uri")));
    const version = memberOf(params, "version");
    if (path === null) return;
    this.#everPublished = true;
    const items = problemsIn(memberOf(params, "diagnostics"));
    const known = this.#server.documents.get(path);
    const isVersioned = typeof version === "number";
    // About a text that is not the one of now.
    if (!known || (isVersioned && version !== known.version)) return;
    this.#published.set(path, { isVersioned, version: known.version, items });
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const wake of [...this.#wake]) wake();
  }
}

/** ContentModified, ServerCancelled, RequestCancelled: asked again it would answer. */
function isRetry(error: unknown): boolean {
  return [-32800, -32801, -32802].includes(Number((error as { code?: unknown }).code));
}
