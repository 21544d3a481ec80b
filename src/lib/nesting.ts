// How deeply a text is nested, as far as its brackets and block signs tell, before a recursive parser is given it: deep
// inside a recursion the JavaScript engine cannot compile an expression, and ends the whole process.
// Invariant: linear, and never too low for JSON, YAML flow collections and YAML lists in lists. Brackets in strings and
// comments count as well, so it may be too high.

/** Levels that every parser in use takes. */
export const safeNesting = 500;

export function isDeeplyNested(text: string): boolean {
  let depth = 0;
  /** Dashes, question marks and colons of block entries that begin on one line, each inside the one before. */
  let onLine = 0;
  for (let i = 0; i < text.length; i++) {
    const sign = text[i];
    if (sign === "[" || sign === "{") depth++;
    else if (sign === "]" || sign === "}") depth = Math.max(0, depth - 1);
    else if (sign === "\n") onLine = 0;
    else if ((sign === "-" || sign === "?" || sign === ":") && /[\s]/.test(text[i + 1] ?? "\n")) onLine++;
    if (depth + onLine > safeNesting) return true;
  }
  return false;
}
