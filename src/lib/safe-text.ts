// Text made safe for a terminal. Whatever a model, a file or a program wrote, it can neither steer the terminal (escape
// sequences, control characters) nor hide or reorder what is shown (bidirectional controls, zero-width characters).
// Invariant: the result holds no control character but tab and line feed. Not for files or pipes: they get bytes as is.

const suspicious = /[^\t\n\x20-\x7e\u00a0-\u00ac\u00ae-\u0600]/;

/**
 * CSI, OSC/DCS/APC/PM/SOS strings up to their end, and two-character escapes; 7-bit and 8-bit.
 * A string without an end loses only its beginning: it must not take the rest of the text with it.
 */
const sequence =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]?/g;
const control = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/** Soft hyphen, bidirectional and zero-width controls, line separators, variation and tag characters. */
const invisible =
  /[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udfff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const joined = /\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]*$/u;
const pictograph = /^\p{Extended_Pictographic}/u;

/** `text` without escape sequences and control characters; what would be invisible is shown as `\u{202e}`. */
export function safeText(text: string): string {
  if (!suspicious.test(text)) return text;
  return showInvisible(text.replace(/\r\n/g, "\n").replace(sequence, "").replace(control, "")).text;
}

/** `text` with what would be invisible shown as `\u{202e}`, and how many such characters there were. */
export function showInvisible(text: string): { text: string; count: number } {
  let count = 0;
  const shown = text.replace(invisible, (unit, at: number, whole: string) => {
    if (joins(unit, at, whole)) return unit;
    count++;
    return escaped(unit);
  });
  return { text: shown, count };
}

/** One line for a status display: safe, without line breaks and tabs, at most `width` characters. */
export function safeLine(text: string, width: number): string {
  const line = safeText(text).replace(/\s+/g, " ").trim();
  const letters = [...line];
  return letters.length <= width ? line : `${letters.slice(0, Math.max(0, width - 1)).join("")}…`;
}

/** A joiner between two pictographs makes one picture of them and hides nothing. */
function joins(unit: string, at: number, whole: string): boolean {
  return unit === "\u200d" && joined.test(whole.slice(Math.max(0, at - 8), at)) && pictograph.test(whole.slice(at + 1));
}

function escaped(unit: string): string {
  return `\\u{${(unit.codePointAt(0) ?? 0).toString(16)}}`;
}
