// Bytes to text and back, and the facts about a text that must survive a change: encoding, byte order mark, line ends.
// Invariant: `encode(decode(bytes))` gives the same bytes; whatever cannot promise that is called binary (null).
// It never guesses legacy encodings: bytes that are not UTF-8 and have no UTF-16 mark are binary.

import { isUtf8 } from "node:buffer";
import { ModelError } from "../core/errors.js";
import type { FileText } from "../core/ports.js";

export type Encoding = FileText["encoding"];
export type Eol = FileText["eol"];

export interface Text {
  /** Without byte order mark, line ends as in the file. */
  text: string;
  encoding: Encoding;
}

/** Where a NUL makes a file binary, in bytes from its start. */
export const binaryWindow = 8_192;

/** The text of a whole file, or null when it is binary. */
export function decode(bytes: Buffer): Text | null {
  const encoding = markOf(bytes);
  if (encoding === "utf-16le" || encoding === "utf-16be") return decodeUtf16(bytes, encoding);
  if (bytes.subarray(0, binaryWindow).includes(0) || !isUtf8(bytes)) return null;
  return { text: bytes.toString("utf8", encoding === "utf-8-bom" ? 3 : 0), encoding };
}

/** The encoding that the first bytes of a file announce. */
export function markOf(bytes: Buffer): Encoding {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8-bom";
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  return "utf-8";
}

function decodeUtf16(bytes: Buffer, encoding: "utf-16le" | "utf-16be"): Text | null {
  if (bytes.length % 2 !== 0) return null;
  const body = encoding === "utf-16le" ? bytes.subarray(2) : Buffer.from(bytes.subarray(2)).swap16();
  return { text: body.toString("utf16le"), encoding };
}

/** `mark`: begin with the byte order mark of the encoding (a whole file, not an added piece). */
export function encode(text: string, encoding: Encoding, mark = true): Buffer {
  if (encoding === "utf-8") return Buffer.from(text);
  const marked = mark ? `\ufeff${text}` : text;
  if (encoding === "utf-8-bom") return Buffer.from(marked);
  const bytes = Buffer.from(marked, "utf16le");
  return encoding === "utf-16le" ? bytes : bytes.swap16();
}

export function eolOf(text: string): Eol {
  if (!text.includes("\r\n")) return "lf";
  let bare = 0;
  let pairs = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
    if (text.charCodeAt(at - 1) === 13) pairs++;
    else bare++;
  }
  return pairs > 0 && bare === 0 ? "crlf" : "mixed";
}

/** `added` with the one kind of line end that `text` has, and what was done to it. */
export function likeEolOf(text: string, added: string): { text: string; note?: string } {
  const eol = eolOf(text);
  if (eol === "mixed" || !text.includes("\n")) return { text: added };
  const like = eol === "crlf" ? toCrlf(added) : added.replaceAll("\r\n", "\n");
  const note = `line ends written as ${eol.toUpperCase()}, like the rest of the file`;
  return like === added ? { text: added } : { text: like, note };
}

export function toCrlf(text: string): string {
  return text.includes("\n") ? text.replace(/\r?\n/g, "\r\n") : text;
}

/** Lines in a text; a last line without line end counts. */
export function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return text.length > 0 && !text.endsWith("\n") ? count + 1 : count;
}

/** The lines without their ends; an empty text has none. */
export function linesOf(text: string): string[] {
  if (text === "") return [];
  const lines = text.split(text.includes("\r\n") ? /\r?\n/ : "\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** The last `count` lines, found from the end. */
export function lastLines(text: string, count: number): string[] {
  let at = text.endsWith("\n") ? text.length - 1 : text.length;
  for (let i = 0; i < count && at >= 0; i++) at = at === 0 ? -1 : text.lastIndexOf("\n", at - 1);
  return linesOf(text.slice(at + 1)).slice(-count);
}

/** Lines as `read` shows them: number, colon, text. */
export function numbered(lines: readonly string[], first = 1): string {
  return lines.map((line, i) => `${first + i}:${line}`).join("\n");
}

/** Half of a surrogate pair cannot be written; it would land as another character. */
export function mustBeWellFormed({ shown }: { shown: string }, content: string): void {
  if (!/\p{Surrogate}/u.test(content)) return;
  throw new ModelError(
    `${shown}: the text contains half of a surrogate pair, which no file can hold. Nothing was changed.`,
  );
}
