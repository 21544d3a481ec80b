// What the model still reads of the active path, with payloads and in order: what every request is composed from.
// Invariants: grows in place while the head only moves forward, so that a turn costs one push; is made anew, from what
// is in memory and what has to be read, with a compaction and when the head moves elsewhere. Of what a compaction stands
// for, only what is still asked about is held (`held`), so that a session may go on for ever; the file has the rest.

import { type Entry, lastOf } from "../core/entry.js";
import { type PathEntry, pathTo, type TreeNode } from "./tree.js";

export class ActivePath {
  /** Reads the entries of nodes that are in file order. */
  readonly #read: (nodes: readonly TreeNode[]) => Iterable<Entry>;
  #entries: PathEntry[] = [];
  #byId = new Map<string, PathEntry>();
  /** The whole path, without payloads. */
  #nodes = new Set<TreeNode>();

  constructor(read: (nodes: readonly TreeNode[]) => Iterable<Entry>) {
    this.#read = read;
  }

  get entries(): readonly PathEntry[] {
    return this.#entries;
  }

  /** Also of entries that are not held. */
  get nodes(): ReadonlySet<TreeNode> {
    return this.#nodes;
  }

  get(id: string): PathEntry | undefined {
    return this.#byId.get(id);
  }

  /** All of it, oldest first; `read` gets what is not held. */
  *whole(read: (nodes: readonly TreeNode[]) => Iterable<Entry>): Generator<PathEntry> {
    const held = this.#entries;
    const byId = this.#byId;
    let next = 0;
    for (const entry of read([...this.#nodes].filter(({ id }) => !byId.has(id)))) {
      for (let other = held[next]; other && other.seq < entry.seq; other = held[++next]) yield other;
      yield entry as PathEntry;
    }
    for (let other = held[next]; other; other = held[++next]) yield other;
  }

  /** `node` follows the head. */
  grow(node: TreeNode, entry: PathEntry): void {
    if (entry.type === "compaction") {
      this.load(node, entry);
      return;
    }
    this.#nodes.add(node);
    this.#entries.push(entry);
    this.#byId.set(entry.id, entry);
  }

  /** Makes it the path to `head`. `fresh`, an entry just written, need not be read. */
  load(head: TreeNode | null, fresh?: PathEntry): void {
    if (fresh) this.#byId.set(fresh.id, fresh);
    const path = pathTo(head);
    const nodes = this.#held(path);
    this.#entries = this.#of(nodes);
    this.#byId = new Map(this.#entries.map((entry) => [entry.id, entry]));
    this.#nodes = new Set(path);
  }

  /** From the entry that the newest compaction names on; before it the newest prompt, model and reply. */
  #held(path: readonly TreeNode[]): readonly TreeNode[] {
    const at = path.findLastIndex(({ type }) => type === "compaction");
    const compaction = lastOf(this.#of(path.slice(Math.max(at, 0), at + 1)), "compaction");
    if (!compaction) return path;
    const to = path.findIndex(({ id }) => id === compaction.data.to);
    const covered = path.slice(0, to < 0 ? at : to);
    const newest = (fits: (node: TreeNode) => boolean) => covered.findLast(fits);
    const held = new Set([
      newest(({ type }) => type === "prompt"),
      newest(({ type }) => type === "model"),
      newest((node) => node.type === "message" && this.#of([node]).some(isReply)),
    ]);
    return [...covered.filter((node) => held.has(node)), ...path.slice(covered.length)];
  }

  #of(nodes: readonly TreeNode[]): PathEntry[] {
    const read = new Map<string, Entry>();
    for (const entry of this.#read(nodes.filter(({ id }) => !this.#byId.has(id)))) read.set(entry.id, entry);
    return nodes.flatMap(({ id }) => this.#byId.get(id) ?? (read.get(id) as PathEntry | undefined) ?? []);
  }
}

function isReply(entry: Entry): boolean {
  return entry.type === "message" && entry.data.request !== undefined;
}
