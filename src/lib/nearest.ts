// Which of the valid words was probably meant: for messages about a mistyped flag, value or key.

/** `candidates` ordered by likeness to `word`, nearest first; equally near ones keep their order. */
export function byLikeness(word: string, candidates: readonly string[]): string[] {
  const typed = word.toLowerCase();
  const ranked = candidates.map((text, index) => ({ text, index, cost: distance(typed, text.toLowerCase()) }));
  return ranked.sort((a, b) => a.cost - b.cost || a.index - b.index).map((item) => item.text);
}

/** The candidate that differs from `word` by a slip of the fingers (a third of its letters at most), or undefined. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const [best] = byLikeness(word, candidates);
  if (best === undefined) return undefined;
  const near = distance(word.toLowerCase(), best.toLowerCase()) <= Math.max(1, Math.floor(best.length / 3));
  return near ? best : undefined;
}

/** Letters to insert, drop, replace or swap with their neighbour. Words beyond 64 letters are compared by their start. */
function distance(left: string, right: string): number {
  const a = left.slice(0, 64);
  const b = right.slice(0, 64);
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, at(beforeLast, j - 2) + 1);
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
