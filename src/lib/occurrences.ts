// Every place where one text stands in another, overlapping ones included.
// Invariant: linear in both. Searching anew behind each place is not: a long text that repeats itself is compared whole at each.

/** Beyond this length a place is not looked at twice. */
const short = 32;

/** Ascending positions. `wanted` is not empty. */
export function occurrencesOf(text: string, wanted: string): number[] {
  const found: number[] = [];
  const first = text.indexOf(wanted);
  if (first < 0) return found;
  if (wanted.length <= short) {
    for (let at = first; at >= 0; at = text.indexOf(wanted, at + 1)) found.push(at);
    return found;
  }
  const borders = bordersOf(wanted);
  let matched = 0;
  for (let i = first; i < text.length; i++) {
    while (matched > 0 && text.charCodeAt(i) !== wanted.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (text.charCodeAt(i) === wanted.charCodeAt(matched)) matched++;
    if (matched < wanted.length) continue;
    found.push(i - wanted.length + 1);
    matched = borders[matched - 1] ?? 0;
  }
  return found;
}

/** For each beginning of a text: how much of it stands at its own end as well, itself apart. */
function bordersOf(text: string): Uint32Array {
  const borders = new Uint32Array(text.length);
  for (let i = 1, length = 0; i < text.length; i++) {
    while (length > 0 && text.charCodeAt(i) !== text.charCodeAt(length)) length = borders[length - 1] ?? 0;
    if (text.charCodeAt(i) === text.charCodeAt(length)) length++;
    borders[i] = length;
  }
  return borders;
}
