// The approved content of a hook as files of our own, and its command with their names in the place of those in the project: what
// runs are the bytes that were approved, whatever is swapped in the work tree meanwhile.
// Invariants: a copy has the hash that was approved or the hook does not run; nobody but the user may write where copies are.
// Beside a copy stand links to what lies beside the file in the project, so that a script still finds its data and packages.

import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import { codeOf } from "../core/errors.js";
import { writeAll } from "../lib/atomic-file.js";
import type { Fs } from "../lib/fs.js";
import { sha256 } from "../lib/hash.js";
import { createObjectStore } from "../lib/object-store.js";
import { coveredBytes, type Fingerprint, namePieces, shellWords, withMark } from "./resource.js";

export interface HookCommand {
  command: string;
  args?: readonly string[];
}

export interface ApprovedCopy extends HookCommand {
  /** Where its copies are; null when its command names no file of the project. */
  directory: string | null;
}

export interface CopyPlace {
  disk: Fs;
  /** Of the project. */
  root: string;
  /** The store of approved contents; copies are in a directory of it. */
  kept: string;
}

/** @throws Error when what was approved is not to be had, or cannot be named in the command */
export function approvedCopy(hook: HookCommand, { hash, files, named }: Fingerprint, place: CopyPlace): ApprovedCopy {
  const names = new Map(named);
  if (names.size === 0) return { ...hook, directory: null };
  const { disk, root, kept } = place;
  const directory = join(kept, "run", sha256(`${root}\0${hash}`).slice(0, 32));
  const store = createObjectStore(disk, kept);
  for (const file of files) {
    const bytes = store.get(file.hash) ?? coveredBytes({ disk, root, path: undefined }, file.path);
    if (!bytes || sha256(bytes) !== file.hash) throw new Error(`${file.path} has changed since it was approved`);
    lay(disk, join(directory, file.path), bytes, isProgram(disk, join(root, file.path)));
  }
  const folders = new Set(files.flatMap(({ path }) => foldersOf(path)));
  for (const folder of folders) link(disk, { from: join(root, folder), to: join(directory, folder) });
  return { ...renamed(hook, names, root, directory), directory };
}

/** From the root down to the one that holds it. */
function foldersOf(path: string): string[] {
  const folder = dirname(path);
  return folder === "." ? [""] : [...foldersOf(folder), folder];
}

function isProgram(disk: Fs, path: string): boolean {
  return ((disk.statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o111) !== 0;
}

/** Whole or not at all: the same hook may run at the same time. */
function lay(disk: Fs, path: string, bytes: Uint8Array, runs: boolean): void {
  const there = disk.lstatSync(path, { throwIfNoEntry: false });
  const mode = runs ? 0o500 : 0o400;
  if (there?.isFile() && (there.mode & 0o777) === mode && Buffer.compare(disk.readFileSync(path), bytes) === 0) return;
  const folder = dirname(path);
  if (!disk.existsSync(folder)) disk.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const temp = `${path}.${randomBytes(6).toString("hex")}`;
  const fd = disk.openSync(temp, "wx", mode);
  try {
    writeAll(disk, fd, bytes);
  } finally {
    disk.closeSync(fd);
  }
  disk.renameSync(temp, path);
}

function link(disk: Fs, { from, to }: { from: string; to: string }): void {
  const there = new Set(disk.readdirSync(to));
  for (const name of disk.existsSync(from) ? disk.readdirSync(from) : []) {
    if (there.has(name) || name === ".git") continue;
    try {
      disk.symlinkSync(join(from, name), join(to, name));
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    }
  }
}

function renamed(hook: HookCommand, names: Map<string, string>, root: string, directory: string): HookCommand {
  const done = new Set<string>();
  const copyOf = (name: string): string | undefined => {
    const path = names.get(name);
    if (path === undefined) return undefined;
    done.add(name);
    return join(directory, path);
  };
  const word = (text: string) =>
    copyOf(text) ?? namePieces(text, (piece) => copyOf(piece) ?? piece).replaceAll("\0", root);
  const args = hook.args?.map((each) => word(withMark(each)));
  const command = args
    ? word(withMark(hook.command))
    : shellWords(withMark(hook.command), (raw, text) => shellWord(raw, text, { names, word, copyOf }));
  const left = [...names.keys()].find((name) => !done.has(name));
  if (left !== undefined)
    throw new Error(`its approved copy of ${left.replaceAll("\0", ".")} cannot be named in the command`);
  return args ? { command, args } : { command: command.replaceAll("\0", root) };
}

const rootVariable = ["$", "{CINCH_PROJECT_DIR}"].join("");

interface Renaming {
  names: Map<string, string>;
  word(text: string): string;
  copyOf(name: string): string | undefined;
}

/** One word of a command line, as it is written and as the shell reads it. */
function shellWord(raw: string, text: string, { names, word, copyOf }: Renaming): string {
  let isNamed = names.has(text);
  namePieces(text, (piece) => {
    isNamed ||= names.has(piece);
    return piece;
  });
  // The shell would expand the mark's variable; behind it stands the path itself.
  if (!isNamed) return raw.replaceAll("\0", rootVariable);
  const [, setting = "", rest = text] = /^(\w+=)(.*)$/s.exec(text) ?? [];
  if (!/[\s$`;&|()<>*?[\]{}~"']/.test(text) || names.has(text)) {
    return names.has(text) ? quoted(word(text)) : `${setting}${quoted(word(rest))}`;
  }
  // A command line of its own: names in it are replaced where they stand.
  return namePieces(raw, (piece) => {
    const path = copyOf(piece)?.replace(/[^\w./\u0080-\uffff-]/g, "\\$&");
    return path ?? piece.replaceAll("\0", rootVariable);
  });
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
