// The agents that tasks of one harness may be given to. Read when one is asked for, and again a while later: files of the
// user's change, and a file of the project's counts only with the bytes that were trusted.

import { otherAgentNames } from "../../agents/builtin.js";
import { type FoundAgents, findAgents } from "../../agents/find.js";
import type { AgentDefinition } from "../../core/agent.js";
import { Refusal } from "../../core/errors.js";
import type { ToolDescriptor } from "../../core/tool.js";
import { nearest } from "../../lib/nearest.js";
import { nameFault } from "../../models/open.js";
import type { Surroundings } from "../surroundings.js";
import { trustedText } from "../trust/trusted-text.js";

/** Milliseconds that what was read is taken for what is there. */
const fresh = 1_000;

export class AgentCatalog {
  readonly #at: Surroundings;
  readonly #tools: readonly ToolDescriptor[];
  #found: { agents: FoundAgents["agents"]; at: number } | undefined;
  readonly #told = new Set<string>();
  readonly #tell: (text: string) => void;

  /** `tell`: what the user should know of a file; said once. */
  constructor(at: Surroundings, tools: readonly ToolDescriptor[], tell: (text: string) => void) {
    this.#at = at;
    this.#tools = tools;
    this.#tell = tell;
  }

  async all(): Promise<FoundAgents["agents"]> {
    const now = this.#at.clock.mono();
    if (this.#found && now - this.#found.at < fresh) return this.#found.agents;
    const { agents, remarks } = await findAgents({
      ...this.#at,
      trusted: (file) => trustedText(this.#at, { kind: "agent", file }),
    });
    for (const text of [...remarks, ...[...agents.values()].flatMap((agent) => this.#unknownNames(agent))]) {
      if (!this.#told.has(text)) this.#tell(text);
      this.#told.add(text);
    }
    this.#found = { agents, at: now };
    return agents;
  }

  /** @throws Refusal that says which there are */
  async find(name: string): Promise<AgentDefinition> {
    const agents = await this.all();
    const found = agents.get(name) ?? agents.get(otherAgentNames[name] ?? "");
    if (found) return found;
    const meant = nearest(name, [...agents.keys()]);
    const list = [...agents.values()].map((agent) => `- ${agent.name}: ${agent.description}`);
    const guess = meant === undefined ? "" : ` Did you mean ${meant}?`;
    throw new Refusal(
      "missing",
      `There is no agent ${JSON.stringify(name)}.${guess} Nothing was started. The agents are:\n${list.join("\n")}`,
    );
  }

  #unknownNames({ name, model, tools, disallowed, source }: AgentDefinition): string[] {
    const known = new Set(this.#tools.flatMap((tool) => [tool.name, tool.alias]));
    const unknown = [...(tools ?? []), ...disallowed].filter((tool) => !known.has(tool));
    const noModel = nameFault(model);
    return [
      ...(unknown.length === 0
        ? []
        : [`${source}: the agent ${name} names what is no tool here: ${unknown.join(", ")}.`]),
      ...(noModel === null ? [] : [`${source}: the agent ${name} cannot start: ${noModel}`]),
    ];
  }
}
