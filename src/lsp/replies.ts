// What a server asks and tells of its own accord, and what it gets for an answer.
// Invariant: every request has an answer; no edit that a server sends is done here: outside of `collectEdits` it is refused.

import type { Json } from "../core/json.js";
import { isObject } from "../lib/json.js";
import { RunningTimer } from "../lib/running-timer.js";
import { listOf, memberOf } from "./members.js";

export interface Folder {
  name: string;
  uri: string;
  /** Answers to questions for configuration. */
  settings: Json | undefined;
}

/** After which work that nothing more is heard of is taken for forgotten: some servers announce and never end it. */
const longestSilenceMs = 20_000;

type Publish = (params: unknown) => void;

export class Replies {
  readonly #folder: Folder;
  /** Work that was announced and has not ended, with when it was last heard of. */
  readonly #work = new Map<string, number>();
  #waiting: (() => void)[] = [];
  #edits: unknown[] | null = null;
  /** Settles with the last that collects; never rejects. */
  #collecting: Promise<unknown> = Promise.resolve();
  /** Methods registered after the start, by the id of their registration. */
  readonly #registered = new Map<string, string>();
  /** Takes `textDocument/publishDiagnostics`. */
  published: Publish = () => {};
  /** Hears that the server has said what else it can do. */
  registered: () => void = () => {};

  constructor(folder: Folder) {
    this.#folder = folder;
  }

  /** undefined: there is no such method here. */
  asked(method: string, params: unknown): unknown {
    switch (method) {
      case "workspace/configuration":
        return this.#configuration(params);
      case "workspace/workspaceFolders":
        return [{ uri: this.#folder.uri, name: this.#folder.name }];
      case "client/registerCapability":
        for (const each of listOf(memberOf(params, "registrations")))
          this.#registered.set(String(memberOf(each, "id")), String(memberOf(each, "method")));
        this.registered();
        return null;
      case "client/unregisterCapability":
        // The protocol itself spells it so.
        for (const each of listOf(memberOf(params, "unregisterations")))
          this.#registered.delete(String(memberOf(each, "id")));
        return null;
      case "workspace/applyEdit":
        return this.#edit(params);
      case "window/showDocument":
        return { success: false };
      case "window/workDoneProgress/create":
      case "window/showMessageRequest":
        return null;
      default:
        return /^workspace\/.*\/refresh$/.test(method) ? null : undefined;
    }
  }

  told(method: string, params: unknown): void {
    if (method === "textDocument/publishDiagnostics") this.published(params);
    if (method === "$/progress") this.#progress(params);
    if (method === "experimental/serverStatus") this.#at("server status", memberOf(params, "quiescent") === false);
    // Of jdtls.
    if (method === "language/status" && memberOf(params, "type") === "Starting") this.#at("language status", true);
    if (method === "language/status" && memberOf(params, "type") === "ServiceReady") this.#at("language status", false);
  }

  get isBusy(): boolean {
    return this.#work.size > 0;
  }

  hasRegistered(method: string): boolean {
    return [...this.#registered.values()].includes(method);
  }

  /** The server is gone: nothing is waited for any more. */
  over(): void {
    this.#work.clear();
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** False when work was still under way after `ms`, or the signal said to stop. What was silent all the time has no end. */
  async atRest(ms: number, signal: AbortSignal): Promise<boolean> {
    if (this.#work.size === 0) return true;
    await new Promise<void>((resolve) => {
      const timer = new RunningTimer(ms, resolve);
      const wake = () => {
        timer.end();
        signal.removeEventListener("abort", wake);
        resolve();
      };
      signal.addEventListener("abort", wake, { once: true });
      this.#waiting.push(wake);
    });
    for (const [token, heard] of this.#work)
      if (performance.now() - heard >= longestSilenceMs) this.#work.delete(token);
    return this.#work.size === 0;
  }

  /** One piece of work after the other: what is sent meanwhile must be of that one. */
  collectEdits(work: () => Promise<unknown>): Promise<unknown[]> {
    const collected = this.#collecting.then(() => this.#collect(work));
    this.#collecting = collected.catch(() => {});
    return collected;
  }

  async #collect(work: () => Promise<unknown>): Promise<unknown[]> {
    const edits: unknown[] = [];
    this.#edits = edits;
    try {
      await work();
    } finally {
      this.#edits = null;
    }
    return edits;
  }

  #edit(params: unknown): object {
    this.#edits?.push(memberOf(params, "edit"));
    const failureReason = this.#edits ? "it is put to the user first" : "nobody has asked for an edit";
    return { applied: false, failureReason };
  }

  #configuration(params: unknown): Json[] {
    return listOf(memberOf(params, "items")).map((item) => {
      const section = memberOf(item, "section");
      return typeof section === "string" ? sectionOf(this.#folder.settings, section) : (this.#folder.settings ?? null);
    });
  }

  #progress(params: unknown): void {
    const token = String(memberOf(params, "token"));
    const kind = memberOf(memberOf(params, "value"), "kind");
    if (kind === "report" && !this.#work.has(token)) return;
    this.#at(token, kind !== "end");
  }

  #at(token: string, isUnderWay: boolean): void {
    if (isUnderWay) return void this.#work.set(token, performance.now());
    this.#work.delete(token);
    if (this.#work.size === 0) for (const wake of this.#waiting.splice(0)) wake();
  }
}

/** `a.b` of the settings, null when there is none: a server must not wait for more. */
function sectionOf(settings: Json | undefined, section: string): Json {
  if (isObject(settings) && Object.hasOwn(settings, section)) return settings[section] ?? null;
  let at: Json | undefined = settings;
  for (const name of section.split(".")) at = isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  return at ?? null;
}
