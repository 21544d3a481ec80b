// Rewriting a file as a whole (SPEC 1.10): a deletion is held back, and the write that follows replaces the file in one step.
// Invariant: to the model the file is gone at once; on disk it stays until the write, or until anything else would notice
// (another tool that looks at the path, any search or command, the end of the run). A file that changed since stays.
// A content that was refused is kept under a short name made of its hash, so that it need not be sent again.

import { messageOf, Refusal } from "../core/errors.js";
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
  /** A held deletion was done (`change`), or could not be done (`problem`). */
  settled(held: HeldDeletion, end: { change: FileChange } | { problem: string }): void;
  /** Keeps a refused content; `get` gives it back, also in a later session on the same log. */
  kept: { put(name: string, text: string): void; get(name: string): string | undefined };
}

const nameLength = 12;

export class Rewrites {
  readonly #options: RewriteOptions;
  readonly #held = new Map<string, HeldDeletion>();

  constructor(options: RewriteOptions) {
    this.#options = options;
  }

  hold(deletion: HeldDeletion): void {
    this.#held.set(deletion.path, deletion);
  }

  at(path: string): HeldDeletion | undefined {
    return this.#held.get(path);
  }

  /** It was written anew, or is not to go after all. */
  release(path: string): void {
    this.#held.delete(path);
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
    try {
      const old = removeNow(ground(held.call), held);
      seen.remove(held.path, decode(old)?.text);
      settled(held, { change: { path: held.path, before: held.before, after: null } });
    } catch (error) {
      settled(held, { problem: messageOf(asModelError(error, held.shown, "It was not deleted.")) });
    }
  }

  /** Keeps a refused content; the name to write it by. */
  keep(text: string): string {
    const name = sha256(text).slice(0, nameLength);
    this.#options.kept.put(name, text);
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
