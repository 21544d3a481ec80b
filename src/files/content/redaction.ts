// Finds the marks that took the place of a secret in what the model read: written into a file, one would put words where the
// secret is. Pure. What follows from that is decided elsewhere (hygiene.ts).

const mark = /\[redacted:[^\]\n]{1,80}\]/g;

/** The marks of `after` that `before` has not, or has fewer times, each once. */
export function newMarks(before: string, after: string): string[] {
  if (!after.includes("[redacted:")) return [];
  const old = counted(before);
  return [...counted(after)].flatMap(([text, times]) => (times > (old.get(text) ?? 0) ? text : []));
}

function counted(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [found] of text.matchAll(mark)) counts.set(found, (counts.get(found) ?? 0) + 1);
  return counts;
}
