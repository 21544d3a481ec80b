// Ranges of line numbers: which lines of a file were shown, which of them a change touches, where they are after it.
// Pure. Line numbers count from 1, both ends included; a list is sorted and its spans neither overlap nor touch.

export type Span = readonly [first: number, last: number];

export function union(...lists: readonly (readonly Span[])[]): Span[] {
  const out: [number, number][] = [];
  const all = lists.flat().filter(([first, last]) => first <= last);
  for (const [first, last] of all.sort((a, b) => a[0] - b[0])) {
    const open = out.at(-1);
    if (open && first <= open[1] + 1) open[1] = Math.max(open[1], last);
    else out.push([first, last]);
  }
  return out;
}

export function covers(spans: readonly Span[], [first, last]: Span): boolean {
  return spans.some((span) => span[0] <= first && last <= span[1]);
}

/** Old lines `from` up to, not including, `to` became new lines `fresh` up to, not including, `freshTo`. */
interface Block {
  from: number;
  to: number;
  fresh: number;
  freshTo: number;
}

/** What a unified diff replaces, whatever its context. */
function blocksOf(diff: string): Block[] {
  const blocks: Block[] = [];
  let [old, fresh] = [1, 1];
  let open: Block | null = null;
  for (const line of diff === "" ? [] : diff.split("\n")) {
    const head = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (head) {
      // An empty range names the line before it.
      old = Number(head[1]) + (head[2] === "0" ? 1 : 0);
      fresh = Number(head[3]) + (head[4] === "0" ? 1 : 0);
      open = null;
      continue;
    }
    const sign = line[0];
    if (sign !== "-" && sign !== "+") {
      open = null;
      old++;
      fresh++;
      continue;
    }
    if (!open) {
      open = { from: old, to: old, fresh, freshTo: fresh };
      blocks.push(open);
    }
    if (sign === "-") open.to = ++old;
    else open.freshTo = ++fresh;
  }
  return blocks;
}

/** The old lines that a change removes or replaces; for a pure insertion the line before it and the one after. */
export function touched(diff: string, totalLines: number): { span: Span; insertion: boolean }[] {
  return blocksOf(diff).map(({ from, to }) => {
    if (to > from) return { span: [from, to - 1], insertion: false };
    return { span: [Math.max(1, from - 1), Math.max(1, Math.min(from, totalLines))], insertion: true };
  });
}

/** Whether everything a change touches is within `spans`; beside an insertion one of the two lines will do. */
export function within(spans: readonly Span[], diff: string, totalLines: number): boolean {
  return touched(diff, totalLines).every(({ span, insertion }) => {
    if (!insertion) return covers(spans, span);
    return span.some((line) => covers(spans, [line, line]));
  });
}

/** Where the lines of `spans` are after the change, and with them the lines it put in. */
export function carried(spans: readonly Span[], diff: string): Span[] {
  const blocks = blocksOf(diff);
  const out: Span[] = blocks.map(({ fresh, freshTo }) => [fresh, freshTo - 1]);
  for (const [first, last] of spans) {
    let [at, shift] = [first, 0];
    for (const { from, to, freshTo } of blocks) {
      if (from > last) break;
      if (from > at) out.push([at + shift, from - 1 + shift]);
      shift = freshTo - to;
      at = Math.max(at, to);
    }
    if (at <= last) out.push([at + shift, last + shift]);
  }
  return union(out);
}
