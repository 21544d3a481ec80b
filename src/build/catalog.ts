// The formations there are: those that come with Cinch, those of a trusted project, and the user's. A name of the user's or
// the project's takes the place of one that comes with Cinch; the user's is stronger than the project's.
// Invariant: a file that does not hold is told with file and line and leaves the others as they are.

import { basename } from "node:path";
import type { FormationFile } from "../index.js";
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
  /** It is of a project that is not trusted, or has changed since: nothing of it was read. */
  untrusted?: true;
}

/** Sorted by name. `files`: the weaker first. `agents`: who can play a role. */
export function knownFormations(files: readonly FormationFile[], agents: readonly string[]): KnownFormation[] {
  const known = new Map<string, KnownFormation>();
  for (const [name, text] of Object.entries(builtinFormations))
    known.set(name, read({ name, level: "built-in", file: null, text, agents }));
  for (const { level, file, text, why } of files) {
    const name = basename(file).replace(/\.ya?ml$/, "");
    if (text !== null) known.set(name, read({ name, level, file, text, agents }));
    // What may not be read takes nobody's place.
    else {
      const untrusted = why === "untrusted" ? { untrusted: true as const } : {};
      const found = { name, level, file, formation: null, problems: [unread(file, why)], ...untrusted };
      known.set(known.has(name) ? file : name, found);
    }
  }
  return [...known.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** One text, whatever its formation is called. */
export function formationIn(file: string, text: string, agents: readonly string[]): KnownFormation {
  return read({ name: null, level: "user", file, text, agents });
}

function unread(file: string, why: FormationFile["why"]): string {
  const told =
    why === "untrusted"
      ? "not trusted as it is; `cinch trust project` shows it"
      : "it is no small file of its own that can be read";
  return problemAt(file, 1, told);
}

/** On one line, whatever a file is called or says: a list of these has no rows that it has not. */
function problemAt(file: string, line: number, what: string): string {
  return `${file}:${line}: ${what}`.replace(/[\x00-\x1f\x7f]/g, (found) => JSON.stringify(found).slice(1, -1));
}

interface Wanted {
  /** What the formation must be called; null = anything. */
  name: string | null;
  level: FormationLevel;
  file: string | null;
  text: string;
  agents: readonly string[];
}

function read({ name, level, file, text, agents }: Wanted): KnownFormation {
  const { value: formation, problems } = readFormation(text, agents);
  const shown = file ?? `built-in ${name}`;
  const told = problems.map(({ line, text: what }) => problemAt(shown, line, what));
  if (!formation) return { name: name ?? "", level, file, formation, problems: told };
  if (name !== null && formation.name !== name)
    return {
      name,
      level,
      file,
      formation: null,
      problems: [problemAt(shown, 1, `the file is called ${name} and the formation ${formation.name}`)],
    };
  return { name: formation.name, level, file, formation, problems: told };
}
