// The text of a new AGENTS.md. Pure.

import type { ProjectFacts } from "./project-facts.js";

export function agentsText({ name, about, commands, folders }: ProjectFacts): string {
  const lines = [`# ${name}`, "", about ?? "What this project is, in one sentence.", "", "## Commands", ""];
  if (commands.length > 0) lines.push(...commands.map(({ command, use }) => `- \`${command}\`: ${use}`));
  else lines.push("How to build it, and how to run its tests.");
  lines.push("", "## Where things are", "");
  if (folders.length > 0) lines.push(...folders.map((folder) => `- \`${folder}/\`: what is in it`));
  else lines.push("Which file holds what.");
  lines.push("", "## Rules", "", "What a newcomer would get wrong.", "");
  return lines.join("\n");
}
