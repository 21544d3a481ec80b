// The names in a directory, sorted by what the journal does with them.
// Invariant: every name is a string that leads to its entry; one that is no UTF-8, for which there is no such string, is
// handed out as bytes, beside a name that can be shown.

import type { Fs } from "../../lib/fs.js";
import { isTempName } from "../../lib/temp-name.js";

export interface Names {
  /** To be looked at. */
  names: string[];
  /** Data of version control. */
  own: string[];
  /** No UTF-8: `name` has `\xe9` for a byte. */
  odd: { name: string; at: Buffer }[];
  /** Unfinished writes are among them; they are in no list. */
  unfinished: boolean;
}

const ownData = new Set([".git", ".hg", ".svn", ".jj"]);
/** What Node.js puts in the place of bytes that it cannot decode. */
const replacement = "\ufffd";

/** Throws what the system says. */
export function readNames(disk: Fs, directory: string): Names {
  const listed = disk.readdirSync(directory);
  const all = listed.filter((name) => !isTempName(name));
  const found: Names = { names: [], own: [], odd: [], unfinished: all.length < listed.length };
  for (const name of all) {
    if (ownData.has(name)) found.own.push(name);
    else if (!name.includes(replacement)) found.names.push(name);
  }
  if (found.names.length + found.own.length === all.length) return found;
  for (const bytes of disk.readdirSync(directory, { encoding: "buffer" })) {
    const name = bytes.toString();
    if (!name.includes(replacement)) continue;
    if (Buffer.from(name).equals(bytes)) found.names.push(name);
    else found.odd.push({ name: escaped(bytes), at: Buffer.concat([Buffer.from(`${directory}/`), bytes]) });
  }
  return found;
}

function escaped(bytes: Buffer): string {
  return bytes.toString("latin1").replace(/[\x80-\xff]/g, (unit) => `\\x${unit.charCodeAt(0).toString(16)}`);
}
