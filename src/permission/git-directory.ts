// What may come and go in a `.git` directory with everyday work, and what decides what git runs.
// Invariant: a name that is not known to be routine is none. The state of a rebase or a cherry-pick is routine while its list of
// steps starts no program.

import { codeOf } from "../core/errors.js";
import type { Fs } from "../lib/fs.js";

const routine: readonly RegExp[] = [
  /^(?:objects|refs|logs|index|HEAD|packed-refs|shallow|description|lfs|branches)$/,
  /^(?:[A-Z]+_HEAD|[A-Z]+_MSG|[A-Z]+_MODE|[A-Z]+_RR|AUTO_MERGE|BISECT_[A-Z_]+|COMMIT_EDITMSG|TAG_EDITMSG)$/,
  /^(?:sharedindex\.[0-9a-f]+|index\.[\w-]+|gc\.log|gc\.pid|[\w.-]+\.lock)$/,
];

/** Where git keeps the steps of what it has begun. */
const sequencers: readonly string[] = ["rebase-merge", "rebase-apply", "sequencer"];

export function isRoutine(name: string): boolean {
  return sequencers.includes(name) || routine.some((pattern) => pattern.test(name));
}

/** Paths in a `.git` directory that are not routine. */
export function governingInGit(disk: Fs, git: string): string[] {
  const names = read(() => disk.readdirSync(git)) ?? [];
  return names.filter((name) => !isRoutine(name)).map((name) => `${git}/${name}`);
}

const steps =
  /^(?:#.*|\s*|(?:pick|p|reword|r|edit|e|squash|s|fixup|f|break|b|drop|d|label|l|reset|t|merge|m|noop)(?: .*)?)$/;

/** The sequencer states in a `.git` directory whose steps start a program, or cannot be told. */
export function armedSequencers(disk: Fs, git: string): string[] {
  return sequencers
    .map((name) => `${git}/${name}`)
    .filter((path) => read(() => disk.lstatSync(path)) !== undefined && !isTame(disk, path));
}

function isTame(disk: Fs, path: string): boolean {
  if (!disk.lstatSync(path).isDirectory()) return false;
  return ["git-rebase-todo", "git-rebase-todo.backup", "todo"].every((name) => {
    const stat = disk.lstatSync(`${path}/${name}`, { throwIfNoEntry: false });
    if (!stat) return true;
    const text = stat.isFile() ? read(() => disk.readFileSync(`${path}/${name}`, "utf8")) : undefined;
    return text?.split("\n").every((line) => steps.test(line)) ?? false;
  });
}

function read<Value>(act: () => Value): Value | undefined {
  try {
    return act();
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EACCES"].includes(codeOf(error) ?? "")) return undefined;
    throw error;
  }
}
