// What lies in a project for agents to execute or to obey, and this version of Cinch has no use for, trusted or not: said,
// so that nobody takes silence for "it is not there" or for "it runs". By name only; nothing is opened.
// Not here: scripts of hooks, which are covered by the hook that names them. A kind that comes to be loaded leaves this table and becomes a resource (resource.ts) or a speaker (speakers.ts).

import { join } from "node:path";
import type { Fs } from "../lib/fs.js";

export interface Unused {
  /** Relative to the root. */
  path: string;
  /** What it holds, by the conventions of agents. */
  what: string;
}

/** In `""`, the root itself, and in the directories of agents. */
const places: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "": { ".mcp.json": "MCP servers" },
  ".cinch": {
    "mcp.json": "MCP servers",
    commands: "commands",
    skills: "skills",
    plugins: "plugins",
  },
  ".claude": {
    "settings.json": "settings and hooks",
    "settings.local.json": "settings and hooks",
    commands: "commands",
    skills: "skills",
    plugins: "plugins",
  },
  ".agents": { skills: "skills" },
};

export function unusedIn(disk: Pick<Fs, "existsSync">, root: string): Unused[] {
  return Object.entries(places).flatMap(([folder, names]) => {
    if (!disk.existsSync(join(root, folder))) return [];
    const found = Object.entries(names).filter(([name]) => disk.existsSync(join(root, folder, name)));
    return found.map(([name, what]) => ({ path: join(folder, name), what }));
  });
}
