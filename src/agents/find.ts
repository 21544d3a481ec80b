// Where agents are looked for, and which of several with one name is meant: the project's before the user's before the built-in
// ones; in one place the first by file name.
// Invariant: a project's file counts only with the bytes that its user trusted.

import { join } from "node:path";
import type { AgentDefinition } from "../core/agent.js";
import type { Fs } from "../lib/fs.js";
import { readSmall } from "../lib/small-file.js";
import { builtinAgents } from "./builtin.js";
import { readAgent } from "./definition.js";
import { markdownIn, projectAgentFiles } from "./folders.js";

export interface AgentPlaces {
  disk: Fs;
  root: string;
  /** Where the user's own are. */
  config: string;
  /** The text of this file of the project, relative to its root; null when its user has not trusted it as it is. */
  trusted(path: string): string | null;
}

export interface FoundAgents {
  /** By name, in the order of names. */
  agents: ReadonlyMap<string, AgentDefinition>;
  /** What the user should know of files that were left out or not understood, a sentence each. */
  remarks: string[];
}

const largest = 256 * 1024;

export async function findAgents(places: AgentPlaces): Promise<FoundAgents> {
  const own = projectAgentFiles(places).flatMap((source) => {
    const text = places.trusted(source);
    return text === null ? [] : [{ source, text }];
  });
  const agents = new Map<string, AgentDefinition>();
  const remarks: string[] = [];
  for (const { source, text } of [...own, ...ownOfUser(places)]) {
    const read = await readAgent(text, source);
    remarks.push(...read.problems.map((text) => `${text} The agent was left out.`), ...read.notices);
    const { agent } = read;
    const other = agent && agents.get(agent.name);
    if (other) remarks.push(`${source}: there is an agent ${other.name} in ${other.source} already, which is used.`);
    else if (agent) agents.set(agent.name, agent);
  }
  for (const agent of builtinAgents) if (!agents.has(agent.name)) agents.set(agent.name, agent);
  return { agents: new Map([...agents].sort(([a], [b]) => (a < b ? -1 : 1))), remarks };
}

/** One that cannot be read, or is no small file, is its user's own affair: an empty text says what is missing. */
function ownOfUser({ disk, config }: AgentPlaces): { source: string; text: string }[] {
  const directory = join(config, "agents");
  return markdownIn(disk, directory).map((name) => {
    const source = join(directory, name);
    return { source, text: readSmall(disk, source, largest)?.text ?? "" };
  });
}
