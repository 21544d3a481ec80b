// Files of a project that say who works and as what: agents and formations. On the start path, because trust is asked about
// them: opens nothing but two folders. Not here: what they say, and whether it counts (roster.ts).

import { join } from "node:path";
import { projectAgentFiles } from "../../agents/folders.js";
import { codeOf } from "../../core/errors.js";
import type { Fs } from "../../lib/fs.js";

export interface ProjectFile {
  kind: "agent" | "formation";
  /** Relative to the root. */
  file: string;
}

const projectFormations = ".cinch/formations";

export function projectFiles(place: { disk: Fs; root: string }): ProjectFile[] {
  return [
    ...projectAgentFiles(place).map((file): ProjectFile => ({ kind: "agent", file })),
    ...yamlIn(place.disk, join(place.root, projectFormations)).map(
      (name): ProjectFile => ({ kind: "formation", file: `${projectFormations}/${name}` }),
    ),
  ];
}

/** Sorted; none where there is no such folder, or none that may be read. */
export function yamlIn(disk: Fs, directory: string): string[] {
  try {
    if (!disk.existsSync(directory)) return [];
    const names = disk.readdirSync(directory, { withFileTypes: true });
    return names.flatMap((entry) => (/\.ya?ml$/.test(entry.name) && !entry.isDirectory() ? [entry.name] : [])).sort();
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return [];
  }
}
