// The index of a project on disk, left by one session for the next, so that its first look is a look at time stamps only.
// Invariant: a row whose content is not in the store any more does not count; a lost file costs time and nothing else. Both ways in
// slices, since it may have a hundred thousand rows.

import { replaceFile } from "../../lib/atomic-file.js";
import type { Fs } from "../../lib/fs.js";
import { parseJson } from "../../lib/json.js";
import { parent } from "../../lib/paths.js";
import { isDirectory } from "../mode.js";
import type { Known } from "./stamps.js";

/** Rows that are worked on before the event loop gets its turn. */
export const slice = 2_048;

export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

type Row = [path: string, mode: number, hash: string, size: number, mtime: number, ctime: number, ino: number];

export async function leaveIndex(disk: Fs, file: string, entries: ReadonlyMap<string, Known>): Promise<void> {
  const rows: string[] = [];
  let seen = 0;
  for (const [path, { mode, hash, size, mtime, ctime, ino, settled }] of entries) {
    if (++seen % slice === 0) await turn();
    if (hash === null || isDirectory(mode) || !settled) continue;
    rows.push(JSON.stringify([path, mode, hash, size, mtime, ctime, ino] satisfies Row));
  }
  disk.mkdirSync(parent(file), { recursive: true, mode: 0o700 });
  await replaceFile(disk, file, rows.join("\n"), { mode: 0o600, sync: false });
}

export async function recallIndex(
  disk: Fs,
  file: string,
  entries: Map<string, Known>,
  kept: (hash: string) => boolean,
): Promise<void> {
  if (!disk.existsSync(file)) return;
  let seen = 0;
  for (const line of disk.readFileSync(file, "utf8").split("\n")) {
    if (++seen % slice === 0) await turn();
    const row = parseJson(line);
    if (!Array.isArray(row)) continue;
    const [path, mode, hash, size, mtime, ctime, ino] = row as Row;
    if (kept(hash)) entries.set(path, { mode, hash, size, mtime, ctime, ino, settled: true, met: 0 });
  }
}
