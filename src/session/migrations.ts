// Older formats (FORMAT.md, Versions): a numbered table of functions, each from a line of version n to one of n + 1.
// Invariants: a migration is pure and sees intact lines only; reading applies it in memory and changes nothing. A writer
// gets a new file (rewrite.ts), and the old one stays beside it, whole.

import { UserError } from "../core/errors.js";
import { asciiJson, isObject, parseJson } from "../lib/json.js";
import { type Frame, formatVersion, lineOf } from "./line.js";

/** What a line holds beside `v` and its checksum. */
export type LineContent = Omit<Frame, "type"> & { type: string; data: unknown };

/** By the version it starts from. There has been one format so far. */
export const migrations = new Map<number, (line: LineContent) => LineContent>();

/**
 * An intact line of version `from` as the current format has it, without a checksum.
 * @throws UserError when there is no way from that version
 */
export function upgraded(text: string, from: number): string {
  const value = parseJson(text);
  if (!isObject(value)) return "";
  let line = value as unknown as LineContent;
  for (let version = from; version < formatVersion; version++) {
    const migrate = migrations.get(version);
    if (!migrate) throw unknownVersion(version);
    line = migrate(line);
  }
  return lineOf(line as Frame, asciiJson(line.data));
}

function unknownVersion(version: number): UserError {
  const what = `a session of format ${version} cannot be read (this version reads format ${formatVersion})`;
  return new UserError(what, "Use the version of Cinch that wrote it, or start a new session.", 1);
}
