// The entries of the active path with their payloads, in order: what every request is composed from.
// Invariant: grows in place while the head only moves forward, so that a turn costs one push; is made anew, from what
// is in memory and what has to be read, when the head moves elsewhere.

import type { Entry } from "../core/entry.js";
import { type PathEntry, pathTo, type TreeNode } from "./tree.js";

export class ActivePath {
  /** Reads the entries of nodes that are in file order. */
  readonly #read: (nodes: readonly TreeNode[]) => Entry[];
  #entries: PathEntry[] = [];
  #byId = new Map<string, PathEntry>();

  constructor(read: (nodes: readonly TreeNode[]) => Entry[]) {
    this.#read = read;
  }

  get entries(): readonly PathEntry[] {
    return this.#entries;
  }

  get(id: string): PathEntry | undefined {
    return this.#byId.get(id);
  }

  grow(entry: PathEntry): void {
    this.#entries.push(entry);
    this.#byId.set(entry.id, entry);
  }

  /** Makes it the path to `head`. `fresh`, an entry just written, need not be read. */
  load(head: TreeNode | null, fresh?: PathEntry): void {
    if (fresh) this.#byId.set(fresh.id, fresh);
    const nodes = pathTo(head);
    const missing = nodes.filter((node) => !this.#byId.has(node.id));
    for (const entry of this.#read(missing)) this.#byId.set(entry.id, entry as PathEntry);
    this.#entries = nodes.flatMap((node) => this.#byId.get(node.id) ?? []);
    this.#byId = new Map(this.#entries.map((entry) => [entry.id, entry]));
  }
}
