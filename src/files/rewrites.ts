// Rewriting a file as a whole (SPEC 1.10): a deletion is held back, and the write that follows replaces the file in one step.
// Invariant: to the model the file is gone at once; on disk it stays until the write, or until anything else would notice
// (another tool that looks at the path, any search or command, the end of the run). A file that changed since stays, and so
// does one whose write was tried and did not come about: then the deletion is taken back, and the model is told.
// A content that was refused is kept under a short name made of its hash, so that it need not be sent again. One that was
// cut has a name of another kind, so that it stays a beginning whoever asks for it, and whenever.

import { codeOf, ModelError, messageOf, Refusal } from "../core/errors.js";
import type { FileChange } from "../core/plan.js";
import type { KeptText } from "../core/ports.js";
import { sha256 } from "../lib/hash.js";
import { within } from "../lib/paths.js";
import { type Ground, removeNow } from "./commit.js";
import { asModelError } from "./fault.js";
import type { SeenFiles } from "./seen.js";
import { decode } from "./text.js";

export interface HeldDeletion {
  path: string;
  shown: string;
  /** sha256 of what is to go. */
  before: string;
  /** The call that asked for it; its pre-image is kept under this name. */
  call: string;
}

export interface RewriteOptions {
  seen: SeenFiles;
  /** The ground on which a call changes files. */
  ground(call: string): Ground;
  /** A held deletion was done (`change`) or is not to be done any more; `problem`: what the model has to hear of it. */
  settled(held: HeldDeletion, end: { change?: FileChange; problem?: string }): void;
  /** Keeps texts under short names; `get` gives one back, also in a later session on the same log. */
  kept: { put(name: string, text: string): void; get(name: string): string | undefined; remove(name: string): void };
}

const nameLength = 12;
const takenBack = "Its deletion was taken back: the file is as it was before.";

export class Rewrites {
  readonly #options: RewriteOptions;
  readonly #held = new Map<string, HeldDeletion>();
  /** Paths of held deletions whose write was tried: they are done with a write or not at all. */
  readonly #tried = new Set<string>();

  constructor(options: RewriteOptions) {
    this.#options = options;
  }

  /** A new one has no beginning yet; one that an earlier process left behind may have (`restore`). */
  hold(deletion: HeldDeletion): void {
    this.restore(deletion);
    this.#tried.delete(deletion.path);
    this.#options.kept.remove(beginningFile(deletion.path));
  }

  /** Takes up again what an earlier process left held back. */
  restore(deletion: HeldDeletion): void {
    this.#held.set(deletion.path, deletion);
    if (this.beginning(deletion.path) !== undefined) this.tried(deletion.path);
  }

  at(path: string): HeldDeletion | undefined {
    return this.#held.get(path);
  }

  /** A write at `path` is on its way; without one: at a path that cannot be told. */
  tried(path?: string): void {
    for (const held of path === undefined ? this.#held.keys() : [path]) this.#tried.add(held);
  }

  /** Plans the write of `path`. What a refusal asks for can still be sent, so then the deletion goes on waiting. */
  async planning<Plan>(path: string | undefined, plan: () => Promise<Plan>): Promise<Plan> {
    const held = path === undefined ? undefined : this.#held.get(path);
    if (held) this.tried(held.path);
    try {
      return await plan();
    } catch (error) {
      throw held && !(error instanceof Refusal) ? this.#takeBack(held, error) : error;
    }
  }

  /** Makes the change at `path`: a deletion held back there is one step with it, or is taken back. */
  async making<Done>(path: string, make: () => Promise<Done>): Promise<Done> {
    const held = this.#held.get(path);
    this.#held.delete(path);
    try {
      return await make();
    } catch (error) {
      throw held ? this.#takeBack(held, error) : error;
    }
  }

  /** The error, or the result of the call beside it, tells the model. */
  #takeBack(held: HeldDeletion, error: unknown): unknown {
    const { settled } = this.#options;
    this.#held.delete(held.path);
    if (!(error instanceof ModelError)) {
      settled(held, { problem: `${held.shown} was not written anew. ${takenBack}` });
      return error;
    }
    settled(held, {});
    const text = `${error.message} ${takenBack}`;
    if (error instanceof Refusal) return new Refusal(error.kind, text, error.ways, error.facts);
    return new ModelError(text, error.hint);
  }

  get isWaiting(): boolean {
    return this.#held.size > 0;
  }

  /** Does what is held back and would be noticed at `path`, above it or below it; without one, all of it. */
  carryOut(path = "/", except?: string): void {
    for (const held of this.#held.values()) {
      if (held.path !== except && (within(held.path, path) || within(path, held.path))) this.#carryOut(held);
    }
  }

  #carryOut(held: HeldDeletion): void {
    const { seen, ground, settled } = this.#options;
    this.#held.delete(held.path);
    if (this.#tried.has(held.path)) {
      settled(held, { problem: `${held.shown} was not written anew. ${takenBack}` });
      return;
    }
    try {
      const old = removeNow(ground(held.call), held);
      seen.remove(held.path, decode(old)?.text);
      settled(held, { change: { path: held.path, before: held.before, after: null } });
    } catch (error) {
      settled(held, { problem: messageOf(asModelError(error, held.shown, "It was not deleted.")) });
    }
  }

  /** Keeps a refused content; the name to write it by, or undefined when the disk does not take it. */
  keep(text: string, isCut: boolean): string | undefined {
    const name = nameOf(text, isCut);
    return this.#put(isCut ? partFile(name) : wholeFile(name), text) ? name : undefined;
  }

  /** The content kept under `name`, or null. */
  kept(name: string): KeptText | null {
    for (const isCut of [false, true]) {
      if (!/^[0-9a-f]{12}$/.test(name)) break;
      const text = this.#options.kept.get(isCut ? partFile(name) : wholeFile(name));
      if (text !== undefined && nameOf(text, isCut) === name) return { text, isCut };
    }
    return null;
  }

  /** The write that `path` waits for was cut: what is appended there next goes on with `text`. */
  begin(path: string, text: string): void {
    this.#put(beginningFile(path), text);
  }

  /** The beginning that an append to `path` goes on with; undefined = there is none. */
  beginning(path: string): string | undefined {
    return this.#held.has(path) ? this.#options.kept.get(beginningFile(path)) : undefined;
  }

  #put(file: string, text: string): boolean {
    try {
      this.#options.kept.put(file, text);
      return true;
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      return false;
    }
  }
}

/** A text and its cut self have different names: a ref says by itself which of the two it stands for. */
function nameOf(text: string, isCut: boolean): string {
  return sha256(isCut ? `cut\n${text}` : text).slice(0, nameLength);
}

const wholeFile = (name: string) => `ref-${name}.txt`;
const partFile = (name: string) => `ref-${name}.part.txt`;
const beginningFile = (path: string) => `begun-${sha256(path).slice(0, nameLength)}.txt`;
