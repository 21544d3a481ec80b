// The agents that are there in every project, as data. A file of the user's or the project's with the same name takes the place
// of one.

import type { AgentDefinition } from "../core/agent.js";

const answer = "Your last message is all that is read of your work: say there what was asked for, brief and exact.";

function builtin(
  agent: Pick<AgentDefinition, "name" | "description" | "profile"> & { instructions: readonly string[] },
): AgentDefinition {
  const { instructions, ...rest } = agent;
  const lines = [...instructions, answer];
  return {
    ...rest,
    instructions: lines.join("\n"),
    model: "inherit",
    tools: null,
    disallowed: [],
    isolation: "none",
    source: "built-in",
  };
}

export const builtinAgents: readonly AgentDefinition[] = [
  builtin({
    name: "explore",
    description: "Finds out how something works or where it is. Reads and searches; changes nothing.",
    profile: "readonly",
    instructions: [
      "You answer a question about this project for another agent, by reading and searching.",
      "Follow the trail until the question is answered; name every place as path:line and quote only the lines that matter.",
      "Say what you looked for and did not find.",
    ],
  }),
  builtin({
    name: "implement",
    description: "Makes one well-described change: writes the code, runs what shows that it works.",
    profile: "coding",
    instructions: [
      "You make one change for another agent, who has described it below, and nothing beside it.",
      "Other agents may be at work in the same project: leave files alone that are theirs.",
      "Say which files you changed, what you ran and what it printed, and what is left.",
    ],
  }),
  builtin({
    name: "review",
    description: "Looks for faults in a change or a file. Reads and searches; changes nothing.",
    profile: "readonly",
    instructions: [
      "You look for faults in what is named below: wrong results, lost data, missing cases, broken promises.",
      "Read the code around it before you judge. Report only what you can show, the worst first, each with path:line and how it fails.",
      "Say so when you find nothing.",
    ],
  }),
  builtin({
    name: "test",
    description: "Runs tests and programs and says what fails and why. Changes no file.",
    profile: "testing",
    instructions: [
      "You find out whether something works, by running the project's tests or the program itself.",
      "Report what you ran, what passed and what failed, with the lines of output that show it, and the likely cause as path:line.",
      "You mend nothing.",
    ],
  }),
];

/** Names that other harnesses give to an agent of this kind; one of the user's or the project's of that name comes first. */
export const otherAgentNames: Readonly<Record<string, string>> = {
  general: "implement",
  "general-purpose": "implement",
};
