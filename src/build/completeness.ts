// Is what a task was to make there and whole? The judgement of a text is the one that file tools give (`inspectText`); here
// is only what follows from it.
// Invariants: size decides nothing, so a small file that is what it should be is never found wanting; what lies elsewhere, led
// to by a link, is none of the project's files.

import { join } from "node:path";
import { codeOf } from "../core/errors.js";
import { inspectText, type TextReport } from "../index.js";
import type { Fs } from "../lib/fs.js";
import { PathError, resolvePath, within } from "../lib/paths.js";
import { readSmall } from "../lib/small-file.js";
import type { PlanTask } from "./plan.js";
import { unkept } from "./verify/promised.js";

export interface Fault {
  kind: "missing" | "stub" | "export";
  file: string;
  line?: number;
  what: string;
}

export interface Ground {
  root: string;
  disk: Fs;
}

/** So much of a file may be hollow before it is a stub. */
const tolerated = 0.2;
const largest = 4_000_000;
/** Empty because they should be. */
const emptyByRight = /(?:^|\/)(?:__init__\.py|\.git-?keep|\.keep|py\.typed)$/;

export async function faultsOf(
  { files, exports }: Pick<PlanTask, "files" | "exports">,
  { root, disk }: Ground,
): Promise<Fault[]> {
  const found: Fault[] = [];
  for (const file of files) {
    if (leadsOut(file, { root, disk })) {
      found.push({
        kind: "missing",
        file,
        what: "a link on the way leads out of the project, so it is none of its files",
      });
      continue;
    }
    const read = readSmall(disk, join(root, file), largest);
    if (!read) {
      found.push({ kind: "missing", file, what: "it is not there" });
      continue;
    }
    if (read.cut) continue;
    if (read.text.trim() === "" && !emptyByRight.test(file)) found.push({ kind: "stub", file, what: "it is empty" });
    found.push(...stubsIn(file, await inspectText(file, read.text)));
    for (const name of await unkept(file, read.text, exports[file] ?? []))
      found.push({ kind: "export", file, what: `${name}, which the plan promises, is not in it` });
  }
  return found;
}

/** As the system would go, and not as the plan says. */
export function leadsOut(file: string, { root, disk }: Ground): boolean {
  const base = disk.realpathSync(root);
  try {
    return !within(base, resolvePath(disk, base, file).path);
  } catch (error) {
    // A path that leads nowhere is not there, which is told by reading it.
    if (error instanceof PathError || codeOf(error) !== undefined) return false;
    throw error;
  }
}

function stubsIn(file: string, { stub, hollow, omitted }: TextReport): Fault[] {
  const left = omitted.map(({ line, what }) => ({
    line,
    what: `${JSON.stringify(what)} stands for code that was left out`,
  }));
  return [...left, ...(stub >= tolerated ? hollow : [])].map((each): Fault => ({ kind: "stub", file, ...each }));
}
