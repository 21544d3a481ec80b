// A text with gaps: pieces between which anything may be, `["a", "b"]` for `a*b`. Each piece is looked for once, behind the
// one before: the first place is as good as any later one, so nothing backtracks. Pure.

/** One piece = exactly this text. */
export type Pieces = readonly string[];

export function fitsPieces(pieces: Pieces, said: string): boolean {
  const [first = "", ...others] = pieces;
  if (others.length === 0) return said === first;
  const last = others.pop() ?? "";
  if (!said.startsWith(first)) return false;
  let at = first.length;
  for (const piece of others) {
    const found = said.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return said.length - at >= last.length && said.endsWith(last);
}
