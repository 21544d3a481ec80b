// The tree of a session as a light index, without payloads, and the questions asked of it. Pure: no disk, no clock.
// Invariants: a parent stands before its children in the file, so there are no cycles; the head is the newest path
// entry or the target of the newest `head` entry, whichever came last.
// An entry whose ancestor was lost to damage is `cut`: it stays findable, and is on no path and moves no head, so what
// is sent to a provider never has a hole in it.

import { type Entry, pathTypes } from "../core/entry.js";
import { callsOf } from "../core/message.js";
import type { LineHead } from "./line.js";

export type PathType = "prompt" | "model" | "message" | "compaction";
export type PathEntry = Entry<PathType>;

export interface TreeNode {
  readonly id: string;
  readonly parent: TreeNode | null;
  /** One of EntryType, or a type that this version does not know. */
  readonly type: string;
  readonly seq: number;
  /** Bytes in the file. */
  readonly offset: number;
  readonly length: number;
  /** An ancestor is missing. */
  readonly cut: boolean;
}

export interface EntryTree {
  /** In file order. */
  readonly nodes: TreeNode[];
  readonly byId: Map<string, TreeNode>;
  /** Last entry of the active path; null = nothing yet, or moved back to before the first entry. */
  head: TreeNode | null;
}

export function emptyTree(): EntryTree {
  return { nodes: [], byId: new Map(), head: null };
}

const knownTypes = new Map<string, boolean>(pathTypes.map((type) => [type, true]));

export function isPathType(type: string): type is PathType {
  return knownTypes.has(type);
}

/** Adds the next entry of the file. Does not move the head: see `advance`. */
export function addNode(tree: EntryTree, head: LineHead, span: { offset: number; length: number }): TreeNode {
  const parent = head.parent === null ? null : (tree.byId.get(head.parent) ?? null);
  const cut = (head.parent !== null && parent === null) || parent?.cut === true;
  const { offset, length } = span;
  const node: TreeNode = { id: head.id, parent, type: head.type, seq: head.seq, offset, length, cut };
  tree.nodes.push(node);
  // A repeated id can only come from damage or another writer; the first one keeps the name.
  if (!tree.byId.has(node.id)) tree.byId.set(node.id, node);
  return node;
}

/** Moves the head as the newest entry asks; `target` is that of a `head` entry. */
export function advance(tree: EntryTree, node: TreeNode, target?: string | null): void {
  if (isPathType(node.type)) {
    if (!node.cut) tree.head = node;
  } else if (node.type === "head" && target !== undefined) {
    const aim = target === null ? null : tree.byId.get(target);
    if (aim !== undefined && !aim?.cut) tree.head = aim && pathAnchor(aim);
  }
}

/** The nearest path entry at or above a node; null when it hangs on nothing. */
export function pathAnchor(node: TreeNode): TreeNode | null {
  let at: TreeNode | null = node;
  while (at && !isPathType(at.type)) at = at.parent;
  return at;
}

/** The path entries from the root to `end`, both included. */
export function pathTo(end: TreeNode | null): TreeNode[] {
  const path: TreeNode[] = [];
  for (let at = end && pathAnchor(end); at; at = at.parent && pathAnchor(at.parent)) path.push(at);
  return path.reverse();
}

/** Does the conversation go on after an entry of the active path, or after one that follows it there, on another branch too? */
export function isBranchedAfter(tree: EntryTree, id: string): boolean {
  const from = tree.byId.get(id);
  const path = new Set(pathTo(tree.head));
  return tree.nodes.some((node) => {
    if (!from || node.seq <= from.seq || !isPathType(node.type) || path.has(node)) return false;
    const before = node.parent && pathAnchor(node.parent);
    return before !== null && path.has(before) && before.seq >= from.seq;
  });
}

/** The entry of that id or unique prefix; else every candidate, which is nobody when there is no such entry. */
export function resolveId(
  tree: EntryTree,
  query: string,
): { found: TreeNode; candidates?: never } | { found: null; candidates: TreeNode[] } {
  const exact = tree.byId.get(query);
  if (exact) return { found: exact };
  if (query === "") return { found: null, candidates: [] };
  const candidates = tree.nodes.filter((node) => node.id.startsWith(query));
  const [only] = candidates;
  return only && candidates.length === 1 ? { found: only } : { found: null, candidates };
}

/** A call that was asked for and has no result message, and what is known of it. */
export interface OpenCall {
  call: string;
  tool: string;
  /** Id of the assistant message that asked. */
  message: string;
  /** `not_run`: no intent was written. `unknown`: begun, and its end was not written. `ran`: see `outcome`. */
  state: "not_run" | "unknown" | "ran";
  outcome?: Entry<"outcome">;
}

/** Calls of a path that have no result yet, in the order they were asked for. */
export function openCalls(
  path: readonly Entry[],
  attached: { intents: readonly Entry<"intent">[]; outcomes: readonly Entry<"outcome">[] },
): OpenCall[] {
  const open = new Map<string, OpenCall>();
  const begun = new Set(attached.intents.map((entry) => entry.data.call));
  const ended = new Map(attached.outcomes.map((entry) => [entry.data.call, entry]));
  for (const entry of path) {
    if (entry.type !== "message") continue;
    for (const { id, tool } of callsOf(entry.data)) {
      const outcome = ended.get(id);
      const known = { call: id, tool, message: entry.id };
      if (outcome) open.set(id, { ...known, state: "ran", outcome });
      else open.set(id, { ...known, state: begun.has(id) ? "unknown" : "not_run" });
    }
    for (const part of entry.data.parts) if (part.type === "result") open.delete(part.callId);
  }
  return [...open.values()];
}
