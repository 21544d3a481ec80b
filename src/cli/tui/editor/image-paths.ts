// Whether what was pasted is paths of images: terminals paste the path of a file that is dragged into them, in one of several
// ways. Pure: whether there are such files is asked elsewhere.

import { join } from "node:path";
import { fileURLToPath } from "node:url";

const most = 20;
const longest = 20_000;

export function namesImage(path: string): boolean {
  return /\.(?:png|jpe?g|gif|webp)$/i.test(path);
}

/** The paths, when the text is nothing else; null otherwise. Quoted, with backslashes, as `file://`, or with blanks as they are. */
export function imagePaths(text: string, home: string | undefined): string[] | null {
  const given = text.trim();
  if (given === "" || given.length > longest) return null;
  const words = given.match(/'[^']*'|"[^"]*"|(?:\\.|[^\s'"\\])+/g) ?? [];
  const apart = words.map((word) => pathOf(word, home));
  const nothingElse = unblanked(words.join("")) === unblanked(given);
  if (words.length <= most && nothingElse && apart.every(isImage)) return apart;
  const whole = given.includes("\n") ? null : pathOf(given, home);
  return isImage(whole) ? [whole] : null;
}

function unblanked(text: string): string {
  return text.replace(/\s+/g, "");
}

function isImage(path: string | null): path is string {
  return path !== null && namesImage(path);
}

function pathOf(word: string, home: string | undefined): string | null {
  const quoted = /^(['"])(.*)\1$/.exec(word)?.[2];
  const path = quoted ?? word.replace(/\\(.)/g, "$1");
  if (path.startsWith("file:")) return URL.canParse(path) ? ofUrl(path) : null;
  return home !== undefined && path.startsWith("~/") ? join(home, path.slice(2)) : path;
}

/** Null for what is on another machine, or no path. */
function ofUrl(address: string): string | null {
  const url = new URL(address);
  if (url.host !== "" && url.host !== "localhost") return null;
  try {
    return fileURLToPath(`file://${url.pathname}`);
  } catch {
    // An encoded slash, or bytes that are no text.
    return null;
  }
}
