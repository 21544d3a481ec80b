// The formations there are: those that come with Cinch, the user's, and those of a trusted project. A name of the user's or
// the project's takes the place of one that comes with Cinch; the user's is stronger than the project's.
// Invariant: a file that does not hold is told with file and line and leaves the others as they are.

import { join } from "node:path";
import { messageOf } from "../core/errors.js";
import type { Fs } from "../lib/fs.js";
import { type Formation, readFormation } from "./formation.js";
import { builtinFormations } from "./formations.gen.js";

export type FormationLevel = "built-in" | "project" | "user";

export interface KnownFormation {
  name: string;
  level: FormationLevel;
  /** The file; null = it comes with Cinch. */
  file: string | null;
  formation: Formation | null;
  /** `file:line: what`, one each. */
  problems: string[];
}

export interface FormationPlace {
  level: "project" | "user";
  directory: string;
}

/** Sorted by name. `places`: weakest first. `agents`: who can play a role. */
export function knownFormations(
  disk: Fs,
  places: readonly FormationPlace[],
  agents: readonly string[],
): KnownFormation[] {
  const known = new Map<string, KnownFormation>();
  for (const [name, text] of Object.entries(builtinFormations))
    known.set(name, read({ name, level: "built-in", file: null, text, agents }));
  for (const { level, directory } of places) {
    for (const file of filesOf(disk, directory)) {
      const name = file.replace(/\.ya?ml$/, "");
      known.set(name, fromFile(disk, { name, level, file: join(directory, file), agents }));
    }
  }
  return [...known.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** One file, wherever it lies; its name need not be that of the formation. */
export function formationIn(disk: Fs, file: string, agents: readonly string[]): KnownFormation {
  return fromFile(disk, { name: null, level: "user", file, agents });
}

interface Wanted {
  /** What the formation must be called; null = anything. */
  name: string | null;
  level: FormationLevel;
  agents: readonly string[];
}

/** More than any formation needs. */
const maxBytes = 256 * 1024;

function fromFile(disk: Fs, wanted: Wanted & { file: string }): KnownFormation {
  const { name, level, file } = wanted;
  const failed = (text: string) => ({
    name: name ?? "",
    level,
    file,
    formation: null,
    problems: [`${file}:1: ${text}`],
  });
  try {
    const { size } = disk.statSync(file);
    if (size > maxBytes) return failed(`the file has ${size} bytes; a formation has ${maxBytes} at most`);
    return read({ ...wanted, text: disk.readFileSync(file, "utf8") });
  } catch (error) {
    return failed(`it cannot be read: ${messageOf(error)}`);
  }
}

function read({ name, level, file, text, agents }: Wanted & { file: string | null; text: string }): KnownFormation {
  const { value: formation, problems } = readFormation(text, agents);
  const shown = file ?? `built-in ${name}`;
  const told = problems.map(({ line, text: what }) => `${shown}:${line}: ${what}`);
  if (!formation) return { name: name ?? "", level, file, formation, problems: told };
  if (name !== null && formation.name !== name)
    return {
      name,
      level,
      file,
      formation: null,
      problems: [`${shown}:1: the file is called ${name} and the formation ${formation.name}`],
    };
  return { name: formation.name, level, file, formation, problems: told };
}

function filesOf(disk: Fs, directory: string): string[] {
  if (!disk.existsSync(directory)) return [];
  return disk
    .readdirSync(directory)
    .filter((name) => /^[a-z][a-z0-9-]*\.ya?ml$/.test(name))
    .sort();
}
