// Reads one agent file (SPEC 2.10): Markdown, with fields before its text. The text is what the agent is told.
//   name description             required
//   model                        an id, fast, smart or inherit; the words of other programs for sizes are taken for tiers
//   tools disallowedTools        a profile (`tools` only), a list of names or aliases, or such a list as one text with commas
//   maxTurns maxCost isolation   limits; none or worktree
//   output                       a JSON Schema of the answer
// Invariant: an agent is either whole or not there at all: a value that means nothing is a problem, never a default that gives
// the agent more than was written. A field nobody knows is left out with a notice.

import { type AgentDefinition, modelTiers } from "../core/agent.js";
import type { Json, JsonSchema } from "../core/json.js";
import { type Profile, profiles } from "../core/policy.js";
import { type Field, readFrontMatter } from "../lib/front-matter.js";
import { isObject } from "../lib/json.js";

export interface ReadAgent {
  /** Null when a problem says why. */
  agent: AgentDefinition | null;
  /** `file:line: …` */
  problems: string[];
  notices: string[];
}

/** Of other programs' words for sizes of models; `sonnet` is what most sessions run with anyway. */
const sizes: Readonly<Record<string, string>> = { haiku: "fast", opus: "smart", sonnet: "inherit" };

/** Fields of other programs that say nothing about what an agent may do. */
const ornaments = new Set(["color", "$schema", "version", "license", "metadata"]);

const known = [
  "name",
  "description",
  "model",
  "tools",
  "disallowedTools",
  "maxTurns",
  "maxCost",
  "isolation",
  "output",
];

export async function readAgent(text: string, source: string): Promise<ReadAgent> {
  const { fields, body, problem } = await readFrontMatter(text);
  if (problem) return { agent: null, problems: [`${source}:${problem.line}: ${problem.text}.`], notices: [] };
  const reading = new Reading(fields, source);
  const agent = reading.agent(body);
  const { problems } = reading;
  return { agent: problems.length > 0 ? null : agent, problems, notices: reading.notices() };
}

class Reading {
  readonly problems: string[] = [];
  readonly #fields: ReadonlyMap<string, Field>;
  readonly #source: string;

  constructor(fields: ReadonlyMap<string, Field>, source: string) {
    this.#fields = fields;
    this.#source = source;
  }

  agent(instructions: string): AgentDefinition {
    const { profile, tools } = this.#tools();
    const agent: AgentDefinition = {
      name: this.#name(),
      description: this.#description(),
      instructions,
      model: this.#model(),
      profile,
      tools,
      disallowed: this.#names("disallowedTools") ?? [],
      isolation: this.#isolation(),
      source: this.#source,
    };
    const turns = this.#number("maxTurns", true);
    const cost = this.#number("maxCost", false);
    const output = this.#output();
    if (instructions === "") this.#fault("name", "there is no text behind the fields, which is what the agent is told");
    return {
      ...agent,
      ...(turns === undefined ? {} : { maxTurns: turns }),
      ...(cost === undefined ? {} : { maxCost: cost }),
      ...(output === undefined ? {} : { output }),
    };
  }

  notices(): string[] {
    const unknown = [...this.#fields].filter(([name]) => !known.includes(name) && !ornaments.has(name));
    return unknown.map(([name, { line }]) => `${this.#source}:${line}: ${name} means nothing here and was left out.`);
  }

  #name(): string {
    const name = this.#value("name");
    if (typeof name === "string" && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) && name.length <= 64) return name;
    this.#fault("name", `name is ${shown(name)}; it has to be small letters, digits and -`);
    return "";
  }

  #description(): string {
    const text = this.#value("description");
    if (typeof text === "string" && text.trim() !== "") return text.trim();
    this.#fault("description", "description is missing: it says when to give the agent a task");
    return "";
  }

  #model(): string {
    const model = this.#value("model") ?? "inherit";
    if (typeof model === "string") {
      const tier = sizes[model] ?? model;
      if (tier === "inherit" || (modelTiers as readonly string[]).includes(tier) || /^[^/\s]+\/\S+$/.test(tier))
        return tier;
    }
    this.#fault(
      "model",
      `model is ${shown(model)}; it has to be <provider>/<model>, ${modelTiers.join(", ")} or inherit`,
    );
    return "inherit";
  }

  #tools(): { profile: Profile; tools: readonly string[] | null } {
    const given = this.#value("tools");
    if (given === undefined || given === null || given === "*") return { profile: "full", tools: null };
    const profile = profiles.find((each) => each === given);
    return profile ? { profile, tools: null } : { profile: "full", tools: this.#names("tools") ?? [] };
  }

  #names(field: string): string[] | null {
    const given = this.#value(field);
    if (given === undefined || given === null) return null;
    const list = typeof given === "string" ? given.split(",") : given;
    if (Array.isArray(list) && list.every((each) => typeof each === "string")) {
      return list.map((each) => String(each).trim()).filter((each) => each !== "");
    }
    this.#fault(field, `${field} is ${shown(given)}; it has to be a list of names of tools`);
    return null;
  }

  #number(field: string, whole: boolean): number | undefined {
    const given = this.#value(field);
    if (given === undefined) return undefined;
    const fits = typeof given === "number" && given > 0 && (!whole || Number.isInteger(given));
    if (!fits) this.#fault(field, `${field} is ${shown(given)}; it has to be a ${whole ? "whole " : ""}number above 0`);
    return fits ? given : undefined;
  }

  #isolation(): "none" | "worktree" {
    const given = this.#value("isolation") ?? "none";
    if (given === "none" || given === "worktree") return given;
    this.#fault("isolation", `isolation is ${shown(given)}; it has to be none or worktree`);
    return "none";
  }

  #output(): JsonSchema | undefined {
    const given = this.#value("output");
    if (given === undefined) return undefined;
    if (isObject(given)) return given;
    this.#fault("output", `output is ${shown(given)}; it has to be a JSON Schema`);
    return undefined;
  }

  #value(field: string): Json | undefined {
    return this.#fields.get(field)?.value;
  }

  #fault(field: string, text: string): void {
    this.problems.push(`${this.#source}:${this.#fields.get(field)?.line ?? 1}: ${text}.`);
  }
}

function shown(value: Json | undefined): string {
  const text = value === undefined ? "missing" : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
