// What a command changed, as the model reads it: the diff itself when it is short, else one line with names and counts.
// Invariant: terse, since every byte is read again in each later request; nothing changed = nothing said.
// Only a change whose whole content stands in the text counts as seen (`shown`).

import { diffTexts } from "../../lib/diff.js";
import { grouped } from "../../lib/grouped.js";
import { isDirectory, isFile, isLink, permissions, sameMode } from "../mode.js";
import { decode } from "../text.js";

export interface Side {
  hash: string;
  mode: number;
}

export interface Changed {
  path: string;
  /** For messages. */
  name: string;
  before: Side | null;
  after: Side | null;
}

export interface Described {
  text: string;
  /** New contents that can be read in `text`, or can be worked out from it and the old content. */
  shown: { path: string; hash: string; text: string }[];
}

const maxLines = 20;
const maxChars = 2_000;
const maxNames = 10;
/** Files and bytes that are compared at all. */
const maxCompared = 50;
const maxBytes = 256 * 1024;

interface Line {
  change: Changed;
  /** `+3 -1`, `new`, `deleted`, `mode 644 -> 755`. */
  note: string;
  /** Undefined: not to be shown. */
  diff?: string;
  text?: string;
}

export async function describeChanges(
  changes: readonly Changed[],
  content: (hash: string) => Buffer | undefined,
  conceals: (path: string) => boolean = () => false,
): Promise<Described> {
  const files = changes.filter(({ before, after }) => !isDirectory((after ?? before)?.mode ?? 0));
  const named = files.length > 0 ? files : changes;
  const lines: Line[] = [];
  for (const change of named) {
    const compared = lines.length < maxCompared && !conceals(change.path);
    lines.push(compared ? await lineOf(change, content) : { change, note: plainNote(change) });
  }
  const full = asDiff(lines);
  if (full !== null) return { text: full, shown: lines.flatMap(shownBy) };
  const some = lines.slice(0, maxNames).map(({ change, note }) => `${change.name} ${note}`.trimEnd());
  const more = lines.length > maxNames ? `, ${grouped(lines.length - maxNames)} more` : "";
  return { text: lines.length === 0 ? "" : `[changed: ${some.join(", ")}${more}]`, shown: [] };
}

function asDiff(lines: readonly Line[]): string | null {
  const out: string[] = [];
  for (const { change, note, diff } of lines) {
    if (diff === undefined) return null;
    out.push(`[changed: ${`${change.name} ${note}`.trimEnd()}]`);
    if (diff !== "") out.push(...diff.split("\n"));
    if (out.length > maxLines) return null;
  }
  const text = out.join("\n");
  return text.length > maxChars ? null : text;
}

function shownBy({ change, diff, text }: Line): Described["shown"] {
  if (diff === undefined || text === undefined || !change.after) return [];
  return [{ path: change.path, hash: change.after.hash, text }];
}

async function lineOf(change: Changed, content: (hash: string) => Buffer | undefined): Promise<Line> {
  const { before, after } = change;
  const note = plainNote(change);
  if (before && after && before.hash === after.hash) return { change, note, diff: "" };
  if ((before && !isFile(before.mode)) || (after && !isFile(after.mode))) {
    const target = after && isLink(after.mode) ? content(after.hash)?.toString() : undefined;
    return { change, note: target === undefined ? note : `${note} -> ${JSON.stringify(target)}`, diff: "" };
  }
  const old = before ? textOf(content(before.hash)) : "";
  const fresh = after ? textOf(content(after.hash)) : "";
  if (old === undefined || fresh === undefined) return { change, note: `${note} (not text, or large)`.trim() };
  const { text, added, removed } = await diffTexts(old, fresh, 1);
  const counts = [added > 0 && `+${added}`, removed > 0 && `-${removed}`].filter(Boolean).join(" ");
  const line: Line = { change, note: [note, counts].filter(Boolean).join(" "), diff: after ? text : "" };
  return after ? { ...line, text: fresh } : line;
}

function plainNote({ before, after }: Changed): string {
  if (!after) return before && isDirectory(before.mode) ? "directory deleted" : "deleted";
  if (!before) return isDirectory(after.mode) ? "new directory" : isLink(after.mode) ? "new link" : "new";
  if (isLink(after.mode)) return "link";
  if (sameMode(before.mode, after.mode)) return "";
  return `mode ${permissions(before.mode).toString(8)} -> ${permissions(after.mode).toString(8)}`;
}

function textOf(bytes: Buffer | undefined): string | undefined {
  if (!bytes || bytes.length > maxBytes) return undefined;
  return decode(bytes)?.text;
}
