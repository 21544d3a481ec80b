// Rewriting a file as a whole (SPEC 1.10): a deletion is held back, and the write that follows replaces the file in one step.
// Invariant: to the model the file is gone at once; on disk it stays until the write, or until anything else would notice
// (another tool that looks at the path, any search or command, the end of the run). A file that changed since stays, and so
// does one whose write was tried and did not come about: then the deletion is taken back, and the model is told.
// A content that was refused is kept under a short name made of its hash, so that it need not be sent again.

import { codeOf, ModelError, messageOf, Refusal } from "../core/errors.js";
import type { FileChange } from "../core/plan.js";
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
  /** Keeps a refused content; `get` gives it back, also in a later session on the same log. */
  kept: { put(name: string, text: string): void; get(name: string): string | undefined };
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

  hold(deletion: HeldDeletion): void {
    this.#held.set(deletion.path, deletion);
    this.#tried.delete(deletion.path);
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
  keep(text: string): string | undefined {
    const name = sha256(text).slice(0, nameLength);
    try {
      this.#options.kept.put(name, text);
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      return undefined;
    }
    return name;
  }

  /** The content kept under `name`; throws a Refusal when there is none. */
  kept(name: string): string {
    const text = /^[0-9a-f]{12}$/.test(name) ? this.#options.kept.get(name) : undefined;
    if (text === undefined || sha256(text).slice(0, nameLength) !== name) throw noSuchRef(name);
    return text;
  }
}

export function noSuchRef(name: string): Refusal {
  return new Refusal(
    "input",
    `Nothing is kept under ref ${JSON.stringify(name)}. Nothing was changed. Send the content.`,
  );
}
