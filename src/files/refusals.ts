// Refusals that pay for themselves: they carry the content or the change that the model needs to go on at once (SPEC 1.10).
// What stands in the text counts as seen from then on; the refusal says so in its facts, for a session that is resumed.

import { Refusal } from "../core/errors.js";
import { diffTexts } from "../lib/diff.js";
import type { SeenFiles } from "./seen.js";
import { carried, type Span, union } from "./spans.js";
import { linesOf, numbered } from "./text.js";

/** A file as it is now. */
export interface Present {
  path: string;
  shown: string;
  hash: string;
  text: string;
}

const maxLines = 200;
const maxChars = 20_000;
/** Lines shown on either side of those that an edit touches. */
const around = 10;
const unchanged = "Nothing was changed.";

/** The content as numbered lines, or null when it is too long to be shown in a refusal. */
function contentOf(text: string): string | null {
  if (text.length > maxChars) return null;
  const lines = linesOf(text);
  return lines.length > maxLines ? null : describeContent("Its content", lines);
}

/** `label` and numbered lines on lines of their own. */
export function describeContent(label: string, lines: readonly string[]): string {
  if (lines.length === 0) return " It is empty.";
  return ` ${label}:\n${label === "Its content" ? numbered(lines) : lines.join("\n")}`;
}

/** The beginning of a text, in place of a whole file. `ref`: where it is kept; undefined when the disk did not take it. */
export function cutRefusal(shown: string, beginning: string, ref: string | undefined): Refusal {
  const why = `${shown} was not rewritten: the reply was cut, and a part must not replace a whole file. ${unchanged}`;
  if (ref === undefined) {
    return new Refusal("exists", `${why} Send a first piece that is complete, then the rest.`, ["append"]);
  }
  const facts = cutFacts(beginning, ref);
  const { lines, last } = facts.beginning;
  const text = `${why} Kept as its beginning: ${sizeOf(beginning)}, the last one is ${JSON.stringify(last)}. Send what follows line ${lines}.`;
  return new Refusal("exists", text, ["complete", "append"], facts);
}

function cutFacts(text: string, ref: string) {
  const lines = linesOf(text);
  return { ref, beginning: { lines: lines.length, last: (lines.at(-1) ?? "").replace(/\r$/, "") } };
}

/** A file of which nothing is known and no place is meant in particular. */
export function unreadRefusal(seen: SeenFiles, file: Present): Refusal {
  const content = contentOf(file.text);
  if (content === null) {
    const text = `${file.shown} was not read in this session (${sizeOf(file.text)}). ${unchanged}`;
    return new Refusal("unread", text, ["read"]);
  }
  const text = `${file.shown} was not read before. ${unchanged} You may edit it now.${content}`;
  return new Refusal("unread", text, [], teach(seen, file));
}

/** An edit of lines that were not shown: refused with them and what is around them. */
export function unseenRefusal(seen: SeenFiles, file: Present, wanted: readonly Span[]): Refusal {
  const lines = linesOf(file.text);
  if (lines.length <= maxLines && file.text.length <= maxChars) return unreadRefusal(seen, file);
  const parts = union(
    wanted.map(([first, last]) => [Math.max(1, first - around), Math.min(lines.length, last + around)]),
  );
  const windows = parts.map(([first, last]) => numbered(lines.slice(first - 1, last), first));
  const text = windows.join("\n…\n");
  if (text.length > maxChars || text.split("\n").length > maxLines) {
    const named = wanted.slice(0, 5).map(spanName).join(", ");
    return new Refusal("unread", `${file.shown}: ${named} were not read (${sizeOf(file.text)}). ${unchanged}`, [
      "read-part",
    ]);
  }
  const lead = `${file.shown}: the lines to change were not read before. ${unchanged} You may edit here now:`;
  return new Refusal("unread", `${lead}\n${text}`, [], teach(seen, file, parts));
}

export async function staleRefusal(seen: SeenFiles, file: Present): Promise<Refusal> {
  const lead = `${file.shown} changed on disk since you last saw it. ${unchanged}`;
  const old = seen.text(file.path);
  const diff = old === undefined ? "" : (await diffTexts(old, file.text, 1)).text;
  const content = contentOf(file.text);
  const short = diff !== "" && diff.length <= maxChars && diff.split("\n").length <= maxLines;
  if (short && (content === null || diff.length <= content.length)) {
    const known = seen.last(file.path)?.spans ?? undefined;
    const text = `${lead} Edit it again with this in mind:\n${diff}`;
    return new Refusal("stale", text, [], teach(seen, file, known && carried(known, diff)));
  }
  if (content !== null) return new Refusal("stale", `${lead}${content}`, [], teach(seen, file));
  return new Refusal("stale", `${lead} Read it again (${sizeOf(file.text)}).`, ["read"]);
}

/**
 * `text`: the content when there is one and the model does not know it yet. `ref`: where the refused content is kept.
 * `cut`: that content, when it is only a beginning.
 */
export function existsRefusal(
  seen: SeenFiles,
  file: Omit<Present, "text"> & { text: string | undefined; bytes: number },
  ref: string | undefined,
  cut: string | undefined,
): Refusal {
  const lead = `${file.shown} exists already with other content (${file.bytes} bytes). ${unchanged}`;
  const content = file.text === undefined ? null : contentOf(file.text);
  const facts = content === null || file.text === undefined ? {} : teach(seen, { ...file, text: file.text });
  const kept = ref === undefined ? facts : { ...facts, ...(cut === undefined ? { ref } : cutFacts(cut, ref)) };
  return new Refusal("exists", `${lead}${content ?? ""}`, ["edit", "append", "rewrite"], kept);
}

/** The model knows these lines from now on (none given = all of them), and a resumed session as well. */
function teach(seen: SeenFiles, { path, hash, text }: Present, spans?: readonly Span[]) {
  seen.mark(path, hash, text, spans);
  const change = { path, before: hash, after: hash };
  const lines = seen.last(path)?.spans;
  return { seen: [lines ? { ...change, lines } : change] };
}

function spanName([first, last]: Span): string {
  return first === last ? `line ${first}` : `lines ${first}-${last}`;
}

function sizeOf(text: string): string {
  const lines = linesOf(text).length;
  return lines === 1 ? "1 line" : `${lines} lines`;
}

/** A change that was worked out for another text than the one that is there. */
export function movedOn(shown: string): Refusal {
  return new Refusal("stale", `${shown} changed while this was worked out. Nothing was changed.`, ["read"]);
}
