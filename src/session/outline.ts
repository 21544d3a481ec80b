// What a session file holds, in light nodes: the path entries with one line each, their labels, and the head.
// Invariant: reading takes no lock and changes nothing; memory holds no payloads, so 100,000 entries are a few megabytes.
// Nothing here walks by recursion: a session may be one path of any length.

import type { Entry } from "../core/entry.js";
import { imageLine } from "../core/image.js";
import { callsOf, type Message, type Origin, type Role, type Usage } from "../core/message.js";
import { safeLine } from "../lib/safe-text.js";
import { type ReadOptions, readSession } from "./index.js";
import type { Header } from "./reading.js";
import { addNode, advance, emptyTree, isPathType, type PathType, pathAnchor, pathTo, type TreeNode } from "./tree.js";

export interface OutlineEntry {
  id: string;
  /** The path entry before it; null at the root. */
  parent: string | null;
  type: PathType;
  /** Of a message, else null. */
  role: Role | null;
  /** Who wrote a message that is not the model's; null where that does not apply. */
  origin: Origin | null;
  /** What it says, as one line of a screen. */
  text: string;
  label: string | null;
  /** On the path to the head. */
  active: boolean;
  /** ISO 8601. */
  time: string;
  /** Tokens of the request that got this message. */
  usage: Usage | null;
}

export interface Outline {
  header: Header | null;
  /** Name of the session: the label of its header. */
  label: string | null;
  head: string | null;
  /** In file order: a parent stands before its children. */
  entries: OutlineEntry[];
  /** Lines that cannot be read. */
  damaged: number;
  /** Entries that hang on lost ones; they are no part of `entries`. */
  lost: number;
}

const previewLength = 100;

/** @throws whatever the file system throws; UserError when the file is of a newer version */
export function readOutline(file: string, options: ReadOptions = {}): Outline {
  const tree = emptyTree();
  const outlined = new Map<TreeNode, OutlineEntry>();
  const labels = new Map<string, string | null>();
  const outline: Outline = { header: null, label: null, head: null, entries: [], damaged: 0, lost: 0 };
  for (const { entry } of readSession(file, options)) {
    if (!entry) {
      outline.damaged++;
      continue;
    }
    const node = addNode(tree, { ...entry }, { offset: 0, length: 0 });
    advance(tree, node, entry.type === "head" ? entry.data.target : undefined);
    if (entry.type === "header") outline.header = entry.data;
    if (entry.type === "label") labels.set(entry.data.target, entry.data.text);
    if (node.cut) outline.lost++;
    else if (isPathType(node.type)) outlined.set(node, outlineEntry(entry, node));
  }
  for (const node of pathTo(tree.head)) {
    const entry = outlined.get(node);
    if (entry) entry.active = true;
  }
  outline.entries = [...outlined.values()];
  for (const entry of outline.entries) entry.label = labels.get(entry.id) ?? null;
  const first = tree.nodes[0];
  if (first?.type === "header") outline.label = labels.get(first.id) ?? null;
  outline.head = tree.head?.id ?? null;
  return outline;
}

function outlineEntry(entry: Entry, node: TreeNode): OutlineEntry {
  const message = entry.type === "message" ? entry.data : null;
  return {
    id: node.id,
    parent: (node.parent && pathAnchor(node.parent)?.id) ?? null,
    type: node.type as PathType,
    role: message?.role ?? null,
    origin: message?.origin ?? null,
    text: preview(entry),
    label: null,
    active: false,
    time: new Date(entry.time).toISOString(),
    usage: message?.usage ?? null,
  };
}

function preview(entry: Entry): string {
  switch (entry.type) {
    case "message":
      return asLine(said(entry.data));
    case "compaction":
      return asLine(entry.data.summary);
    case "model":
      return asLine(entry.data.id);
    case "prompt":
      return asLine(entry.data.cause);
    default:
      return "";
  }
}

/** The text of a message; of one without text, its image, the calls it asks for or the results it gives. */
function said(message: Message): string {
  for (const part of message.parts) {
    if (part.type === "text" && part.text.trim() !== "") return part.text;
    if (part.type === "image") return imageLine(part);
    if (part.type === "result") return `${part.tool}: ${part.text}`;
  }
  return callsOf(message)
    .map(({ tool }) => tool)
    .join(", ");
}

/** A text as one line that any terminal may show. */
export function asLine(text: string): string {
  return safeLine(text.slice(0, 4 * previewLength), previewLength);
}
