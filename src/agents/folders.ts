// The agent files there are, by name. On the start path, because trust is asked about them: opens nothing but a folder of agents.

import { join } from "node:path";
import { codeOf } from "../core/errors.js";
import type { Fs } from "../lib/fs.js";

/** Folders of a project, the nearest to Cinch first. */
const projectFolders = [".cinch/agents", ".claude/agents"];

/** Relative to the root. */
export function projectAgentFiles({ disk, root }: { disk: Fs; root: string }): string[] {
  return projectFolders.flatMap((folder) => markdownIn(disk, join(root, folder)).map((name) => `${folder}/${name}`));
}

/** Sorted; none where there is no such folder, or none that may be read. */
export function markdownIn(disk: Fs, directory: string): string[] {
  try {
    if (!disk.existsSync(directory)) return [];
    const names = disk.readdirSync(directory, { withFileTypes: true });
    return names.flatMap((entry) => (entry.name.endsWith(".md") && !entry.isDirectory() ? [entry.name] : [])).sort();
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return [];
  }
}
