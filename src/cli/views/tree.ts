// The tree of a session as lines for a person. Pure.
// Invariants: an entry costs no indentation, only a branch does, and the longest way on stays where it is, so that depth
// grows with the logarithm of the size; nothing recurses, so a path may have any length; runs are folded.

import type { SessionTree, TreeEntry } from "../../index.js";
import { grouped } from "../../lib/grouped.js";
import { shortId } from "../../session/store.js";

export interface TreeView {
  /** Nothing is folded. */
  all?: boolean;
}

interface Node {
  entry: TreeEntry;
  children: Node[];
  /** Entries from here on. */
  size: number;
}

/** Of a run that is longer than this, only its two ends are shown. */
const longestRun = 12;
const firstOfRun = 2;
const lastOfRun = 6;

export function treeView(tree: SessionTree, view: TreeView = {}): string {
  const { session_id, label, parent_session, damaged, lost, head } = tree;
  const from = parent_session === null ? "" : `, forked from ${shortId(parent_session)}`;
  const lines = [`Session ${session_id}${label === null ? "" : ` "${label}"`}${from}`];
  const roots = forest(tree.entries);
  if (!tree.entries.some(({ type }) => type === "message")) lines.push("Nothing has been said in it.");
  else lines.push(...treeLines(roots, head, view));
  lines.push(...agentLines(tree));
  if (damaged > 0)
    lines.push(`${count(damaged, "line")} of the file cannot be read: cinch sessions verify ${session_id}`);
  if (lost > 0) lines.push(`${count(lost, "entry", "entries")} hang on what was lost and are not shown.`);
  return lines.join("\n");
}

/** One line for each, under whoever gave it its task. */
function agentLines({ session_id, agents }: SessionTree): string[] {
  if (agents.length === 0) return [];
  const depths = new Map([[session_id, 0]]);
  const lines = agents.map(({ session_id: id, above, task, agent, prompt }) => {
    const depth = depths.get(above) ?? 0;
    depths.set(id, depth + 1);
    return `  ${"│ ".repeat(depth)}${shortId(id)} ${agent.padEnd(9)} ${prompt ?? ""} (task ${task})`;
  });
  return ["", "Agents:", ...lines];
}

function forest(entries: readonly TreeEntry[]): Node[] {
  const nodes = new Map<string, Node>();
  const roots: Node[] = [];
  for (const entry of entries) {
    const node = { entry, children: [], size: 1 };
    nodes.set(entry.id, node);
    const parent = entry.parent === null ? undefined : nodes.get(entry.parent);
    (parent ? parent.children : roots).push(node);
  }
  // Children stand behind their parents, so from the end every size is complete when it is added.
  for (const node of [...nodes.values()].reverse()) {
    const parent = node.entry.parent === null ? undefined : nodes.get(node.entry.parent);
    if (parent) parent.size += node.size;
  }
  return roots;
}

interface Place {
  node: Node;
  depth: number;
  /** The first of a branch that leaves the run above it. */
  leaves: boolean;
}

function treeLines(roots: readonly Node[], head: string | null, view: TreeView): string[] {
  const lines: string[] = [];
  const waiting: Place[] = after(roots, 0);
  for (let place = waiting.pop(); place; place = waiting.pop()) {
    const { depth } = place;
    let { leaves } = place;
    const run = runFrom(place.node);
    for (const shown of folded(run, head, view)) {
      lines.push(line(shown, { depth, leaves, head }));
      leaves = false;
    }
    waiting.push(...after(run.at(-1)?.children ?? [], depth));
  }
  return lines;
}

/** Where to go on, last first: the branches, then the way straight on, which stays at this depth. */
function after(children: readonly Node[], depth: number): Place[] {
  const straight =
    children.find(({ entry }) => entry.active) ??
    children.reduce<Node | undefined>((most, node) => (most && most.size >= node.size ? most : node), undefined);
  const branches = children.filter((node) => node !== straight);
  const places = branches.map((node) => ({ node, depth: depth + 1, leaves: true }));
  return straight ? [{ node: straight, depth, leaves: false }, ...places.reverse()] : [];
}

function runFrom(first: Node): Node[] {
  const run = [first];
  for (let at = first; at.children.length === 1 && at.children[0]; at = at.children[0]) run.push(at.children[0]);
  return run;
}

/** The entries of a run that are shown; a number stands for that many that are not. */
function folded(run: readonly Node[], head: string | null, { all = false }: TreeView): (TreeEntry | number)[] {
  const marked = ({ entry, children }: Node) =>
    entry.label !== null || entry.id === head || (children.length !== 1 && entry.type === "message");
  const told = run.filter((node, i) => all || marked(node) || isTold(node.entry, run[i + 1]?.entry));
  const ends = new Set(
    all || told.length <= longestRun ? told : [...told.slice(0, firstOfRun), ...told.slice(-lastOfRun)],
  );
  const shown: (TreeEntry | number)[] = [];
  let left = 0;
  for (const node of run) {
    if (ends.has(node) || marked(node)) {
      if (left > 0) shown.push(left);
      left = 0;
      shown.push(node.entry);
    } else if (node.entry.type === "message" || node.entry.type === "compaction") left++;
  }
  return left > 0 ? [...shown, left] : shown;
}

/** What a reader of the conversation remembers: what the user said, what was answered, where it was summed up. */
function isTold({ type, role, origin }: TreeEntry, next: TreeEntry | undefined): boolean {
  if (type === "compaction") return true;
  if (role === "user") return origin === "user" || origin === null;
  return role === "assistant" && next?.role !== "tool";
}

function line(shown: TreeEntry | number, at: { depth: number; leaves: boolean; head: string | null }): string {
  const bars = at.leaves ? `${"│ ".repeat(at.depth - 1)}├─` : "│ ".repeat(at.depth);
  if (typeof shown === "number") return `  ${bars}… ${count(shown, "entry", "entries")}`;
  const { id, type, role, origin, text, label, active } = shown;
  const who = role === "user" && origin !== null ? origin : (role ?? type);
  const name = label === null ? "" : `  [${label}]`;
  const here = id === at.head ? "  <- here" : "";
  return `${active ? "*" : " "} ${bars}${shortId(id)} ${who.padEnd(9)} ${text}${name}${here}`.trimEnd();
}

function count(n: number, one: string, many = `${one}s`): string {
  return `${grouped(n)} ${n === 1 ? one : many}`;
}
