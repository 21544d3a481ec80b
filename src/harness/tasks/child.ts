// A session that works on a task for another one: what it shares with that, and what it has less of.
// Invariants: whatever it may do, the session above may as well: same mode, rules, sandbox and hooks, a profile and a scope of
// tools that only narrow, limits that only lower. Its requests declare the same tools behind the same stable block, so all
// agents of a session share one prefix in the provider's cache; what it is told apart from that is in its context block.

import type { AgentDefinition } from "../../core/agent.js";
import type { Model } from "../../core/model.js";
import { narrower, type Profile } from "../../core/policy.js";
import type { HarnessOptions } from "../api/index.js";
import { meantModel } from "../models/model.js";
import type { Surroundings } from "../surroundings.js";
import type { Child } from "./kin.js";

/** What of the surroundings of the session above holds for it. `told`: what the user should know. */
export function childSurroundings(child: Child): { at: Surroundings; told: string[] } {
  const { agent, above, limits } = child;
  const { at } = above;
  const { settings } = at;
  const { model, told } = modelOf(child);
  const lowest = (...given: (number | undefined)[]) => {
    const numbers = given.filter((each) => each !== undefined);
    return numbers.length > 0 ? Math.min(...numbers) : undefined;
  };
  const { turns, cost, tokens, ...others } = settings.limits;
  const lowered = {
    cost: lowest(cost, agent.maxCost, limits.cost),
    tokens: lowest(tokens, limits.tokens),
  };
  return {
    at: {
      ...at,
      settings: {
        ...settings,
        tools: { ...settings.tools, profile: profileOf(child, settings.tools.profile) },
        limits: {
          ...others,
          turns: lowest(turns, agent.maxTurns, limits.turns) ?? turns,
          ...(lowered.cost === undefined ? {} : { cost: lowered.cost }),
          ...(lowered.tokens === undefined ? {} : { tokens: lowered.tokens }),
        },
      },
      options: childOptions(child, model),
    },
    told,
  };
}

function profileOf({ agent, bounds }: Child, above: Profile): Profile {
  const own = narrower(above, agent.profile);
  return bounds.profile === undefined ? own : narrower(own, bounds.profile);
}

function childOptions({ agent, output, above, bounds }: Child, model: string | Model): HarnessOptions {
  // A cassette holds one conversation, and the answer of the session is not that of its agents.
  const { record: _record, jsonSchema: _schema, appendSystemPrompt = "", ...rest } = above.given;
  const schema = output ?? agent.output;
  const told = [appendSystemPrompt, instructionsOf(agent, bounds.deny ?? [])]
    .filter((text) => text !== "")
    .join("\n\n");
  return { ...rest, model, appendSystemPrompt: told, ...(schema ? { jsonSchema: schema } : {}) };
}

function instructionsOf({ name, instructions, tools, disallowed }: AgentDefinition, deny: readonly string[]): string {
  const only = tools === null ? "" : `Of the tools you may use only ${tools.join(", ") || "none"}.`;
  const denied = [...new Set([...disallowed, ...deny])];
  const never = denied.length === 0 ? "" : `You may not use ${denied.join(", ")}.`;
  return [`# You are the agent ${name}`, instructions, only, never].filter((text) => text !== "").join("\n");
}

function modelOf({ agent, model, above }: Child): { model: string | Model; told: string[] } {
  const { options, settings } = above.at;
  const inherited = typeof options.model === "object" ? options.model : above.model.id;
  const named = model ?? agent.model;
  const meant = meantModel(named, settings);
  if (meant !== null) return { model: meant, told: [] };
  if (named === "inherit") return { model: inherited, told: [] };
  const text = `The agent ${agent.name} wants a ${named} model, and models.${named} is not set: it works with ${above.model.id}.`;
  return { model: inherited, told: [text] };
}
