// A change to one file, worked out: the facts tools and people see, and beside them the bytes only the door knows.
// Invariant: `digest` covers the path, what is done, and the content before and after, so an approval cannot be reused
// for anything else. `before === after` means there is nothing to write.

import type { FilePlan, FileStats } from "../core/ports.js";
import type { LineDiff } from "../lib/diff.js";
import { sha256 } from "../lib/hash.js";
import { canonical } from "../lib/json.js";
import { alsoCalled } from "../lib/paths.js";
import type { Span } from "./spans.js";
import { countLines, type Encoding, encode, lastLines, linesOf } from "./text.js";

/** `unlink`: a symbolic link goes, not what it leads to. */
export type Deed = "create" | "replace" | "delete" | "unlink" | "nothing";

/** What `commit` does; never leaves files/. */
export interface Work {
  deed: Deed;
  /** The new content; null for `delete`, `unlink` and `nothing`. */
  bytes: Buffer | null;
  /** The new text, to be remembered as seen. */
  text: string | null;
  /** The lines of it that the model knows; absent = all. */
  spans?: readonly Span[];
}

export interface Change {
  path: string;
  shown: string;
  names: readonly string[];
  deed: Deed;
  before: string | null;
  /** Bytes that are there now. */
  beforeBytes: number;
  /** Null for a deletion. */
  text: string | null;
  encoding: Encoding;
  diff: { text: string; added: number; removed: number };
  replaced?: number;
  notes?: readonly string[];
}

export function planOf(change: Change): { plan: FilePlan; work: Work } {
  const bytes = change.text === null ? null : encode(change.text, change.encoding);
  const after = bytes === null ? null : sha256(bytes);
  const deed = after !== null && after === change.before ? "nothing" : change.deed;
  const stats: FileStats = {
    linesAdded: change.diff.added,
    linesRemoved: change.diff.removed,
    bytesAdded: (bytes?.length ?? 0) - change.beforeBytes,
    totalLines: change.text === null ? 0 : countLines(change.text),
    totalBytes: bytes?.length ?? 0,
    replaced: change.replaced ?? 0,
    tail: change.text === null ? [] : lastLines(change.text, 3),
    open: change.text !== null && change.text !== "" && !change.text.endsWith("\n"),
    notes: [...(change.notes ?? [])],
  };
  const { path, shown, before } = change;
  const plan: FilePlan = {
    path,
    shown,
    ...alsoCalled(change.names),
    before,
    after,
    digest: sha256(canonical({ deed, path, before, after })),
    diff: deed === "nothing" ? "" : change.diff.text,
    stats,
  };
  return { plan, work: { deed, bytes: deed === "nothing" ? null : bytes, text: change.text } };
}

/** The diff of lines that are put in behind line `after`. */
export function addedLines(after: number, content: string): LineDiff {
  const lines = linesOf(content);
  if (lines.length === 0) return { text: "", added: 0, removed: 0 };
  const head = `@@ -${after},0 +${after + 1}${lines.length === 1 ? "" : `,${lines.length}`} @@`;
  return { text: [head, ...lines.map((line) => `+${line}`)].join("\n"), added: lines.length, removed: 0 };
}
