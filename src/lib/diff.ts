// Unified hunks from what is already known about a change: replaced ranges first, a real line diff only when it pays.
// Invariant: applying the hunks to the old lines gives the new lines. No file headers; `\r` at line ends is not shown.
// The `diff` package is loaded the first time two blocks of some size face each other, never at start-up.

/** `text` replaces the characters `start` to `end` (exclusive) of the old text. */
export interface Replacement {
  start: number;
  end: number;
  text: string;
}

/** A run of old lines replaced by new ones; `at` is 0-based in the old lines. */
export interface LineBlock {
  at: number;
  removed: string[];
  added: string[];
}

export interface LineDiff {
  /** Empty when nothing changed. */
  text: string;
  added: number;
  removed: number;
}

/** Below this many lines on either side a block is shown as "all out, all in"; the package would not make it shorter. */
const worthDiffing = 4;

/** The diff of known replacements, sorted and not overlapping, in time proportional to the text once. */
export async function diffReplacements(
  before: string,
  changes: readonly Replacement[],
  context: number,
): Promise<LineDiff> {
  const blocks: LineBlock[] = [];
  let line = 0;
  let counted = 0;
  for (let i = 0; i < changes.length; ) {
    const first = changes[i] as Replacement;
    // lastIndexOf takes a negative position for 0, where a line end may be.
    const from = first.start === 0 ? 0 : before.lastIndexOf("\n", first.start - 1) + 1;
    let to = lineEnd(before, first.end);
    let text = before.slice(from, first.start) + first.text;
    let end = first.end;
    for (i++; i < changes.length; i++) {
      const next = changes[i] as Replacement;
      if (next.start > to) break;
      text += before.slice(end, next.start) + next.text;
      end = next.end;
      to = lineEnd(before, end);
    }
    text += before.slice(end, to);
    for (let at = before.indexOf("\n", counted); at >= 0 && at < from; at = before.indexOf("\n", at + 1)) line++;
    counted = from;
    // At the end of the file nothing else ends the last line, so a final line end begins no further one.
    const split = to === before.length ? splitLines : (block: string) => block.split("\n");
    for (const block of await refine(trim(line, split(before.slice(from, to)), split(text)))) blocks.push(block);
  }
  return format(before.split("\n"), blocks, context);
}

/** The diff of two texts of which nothing is known. */
export async function diffTexts(before: string, after: string, context: number): Promise<LineDiff> {
  const old = splitLines(before);
  return format(old, await refine(trim(0, old, splitLines(after))), context);
}

function splitLines(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function lineEnd(text: string, from: number): number {
  const at = text.indexOf("\n", from);
  return at < 0 ? text.length : at;
}

function trim(at: number, old: string[], fresh: string[]): LineBlock {
  const shorter = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < shorter && old[head] === fresh[head]) head++;
  let tail = 0;
  while (tail < shorter - head && old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]) tail++;
  return {
    at: at + head,
    removed: old.slice(head, old.length - tail),
    added: fresh.slice(head, fresh.length - tail),
  };
}

async function refine(block: LineBlock): Promise<LineBlock[]> {
  if (block.removed.length === 0 && block.added.length === 0) return [];
  if (block.removed.length < worthDiffing || block.added.length < worthDiffing) return [block];
  const { diffArrays } = await import("diff");
  const parts = diffArrays(block.removed, block.added, { maxEditLength: 2_000 });
  if (!parts) return [block];
  return blocksOf(parts, block.at);
}

/** What the `diff` package found of lines, from line `at` on, as blocks: runs that touch are one. */
export function blocksOf(parts: readonly Part[], at: number): LineBlock[] {
  const blocks: LineBlock[] = [];
  let line = at;
  let open: LineBlock | null = null;
  for (const { value, added, removed } of parts) {
    if (!added && !removed) {
      line += value.length;
      open = null;
      continue;
    }
    if (!open) {
      open = { at: line, removed: [], added: [] };
      blocks.push(open);
    }
    if (removed) {
      for (const each of value) open.removed.push(each);
      line += value.length;
    } else for (const each of value) open.added.push(each);
  }
  return blocks;
}

interface Part {
  value: string[];
  added?: boolean;
  removed?: boolean;
}

function format(old: readonly string[], blocks: readonly LineBlock[], context: number): LineDiff {
  const out: string[] = [];
  let added = 0;
  let removed = 0;
  for (let i = 0; i < blocks.length; ) {
    const start = Math.max(0, (blocks[i] as LineBlock).at - context);
    const body: string[] = [];
    const shift = added - removed;
    let position = start;
    let fresh = 0;
    const keep = (to: number) => {
      for (; position < to; position++, fresh++) body.push(` ${bare(old[position])}`);
    };
    for (; i < blocks.length && (blocks[i] as LineBlock).at - context <= position + context; i++) {
      const block = blocks[i] as LineBlock;
      keep(block.at);
      for (const line of block.removed) body.push(`-${bare(line)}`);
      for (const line of block.added) body.push(`+${bare(line)}`);
      position += block.removed.length;
      fresh += block.added.length;
      added += block.added.length;
      removed += block.removed.length;
    }
    const last = old.length - (old.at(-1) === "" ? 1 : 0);
    keep(Math.max(position, Math.min(last, position + context)));
    out.push(`@@ -${range(start, position - start)} +${range(start + shift, fresh)} @@`);
    for (const row of body) out.push(row);
  }
  return { text: out.join("\n"), added, removed };
}

/** Line numbers count from 1; an empty range names the line before it, as in every unified diff. */
function range(start: number, count: number): string {
  return `${count === 0 ? start : start + 1}${count === 1 ? "" : `,${count}`}`;
}

function bare(line: string | undefined): string {
  return line?.endsWith("\r") ? line.slice(0, -1) : (line ?? "");
}
