// What quoting takes away: the characters between quotes, as bash would pass them on.
// Not here: what is a word; see read-word.ts and plain.ts.

/** Backslashes outside of quotes. */
export function unescaped(text: string): string {
  return text.replace(/\\([\s\S])/g, "$1");
}

/** Between double quotes: a backslash counts before these four only. */
export function unescapedDouble(text: string): string {
  return text.replace(/\\(["\\$`])/g, "$1");
}

const letters: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "?": "?",
};

/** Between `$'` and `'`; null when it holds what is no text: NUL, bytes that are no ASCII, control letters. */
export function decodedAnsi(text: string): string | null {
  let isText = true;
  const decoded = text.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|([\s\S]))/g,
    (whole, hex?: string, short?: string, long?: string, octal?: string, letter?: string) => {
      if (letter !== undefined) {
        const known = letters[letter];
        if (known === undefined) isText = false;
        return known ?? whole;
      }
      const code = octal === undefined ? Number.parseInt(hex ?? short ?? long ?? "0", 16) : Number.parseInt(octal, 8);
      if (code === 0 || code > 0x7e) isText = false;
      return isText ? String.fromCharCode(code) : "";
    },
  );
  return isText ? decoded : null;
}

/**
 * The text without `\` before a line end, where the shell takes both away. Null when that cannot be told without reading
 * the command: a here-document is in it as well.
 */
export function joinedLines(text: string): string | null {
  if (!text.includes("\\\n")) return text;
  if (text.includes("<<")) return null;
  let joined = "";
  let quote = "";
  let isComment = false;
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    const next = text.charAt(at + 1);
    if (char === "\\" && quote !== "'" && !isComment) {
      if (next !== "\n") joined += char + next;
      at++;
      continue;
    }
    joined += char;
    if (char === "\n") isComment = false;
    else if (isComment) continue;
    else if (char === quote) quote = "";
    else if (quote === "" && (char === "'" || char === '"')) quote = char;
    else if (quote === "" && char === "#" && /(^|[\s;&|()])#$/.test(joined.slice(-2))) isComment = true;
  }
  return joined;
}
