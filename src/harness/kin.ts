// What the sessions of one conversation know of each other: the one a person talks to, and those that work on tasks for it, on
// whatever level. Every session has a Kin; whoever works for it is made from that (child.ts).

import { Approvals } from "../agent/approvals.js";
import { Beside } from "../agent/beside.js";
import type { AgentDefinition } from "../core/agent.js";
import type { JsonSchema } from "../core/json.js";
import type { Model } from "../core/model.js";
import { type Profile, profileIn, type ToolScope } from "../core/policy.js";
import type { TaskLimits } from "../core/task.js";
import { knownSecrets } from "../secrets/known.js";
import type { SessionLog } from "../session/log.js";
import type { HarnessOptions } from "./api.js";
import { EventHub } from "./events.js";
import type { Surroundings } from "./surroundings.js";

/** A session that is open, as those see it that work for it. */
export interface Kin {
  at: Surroundings;
  /** What the user gave; the options of `at` say what holds for this agent. */
  given: HarnessOptions;
  session: string;
  /** File of its log. */
  file: string;
  hub: EventHub;
  /** One question at a time, over all agents. */
  approvals: Approvals;
  beside: Beside;
  model: Model;
  /** What narrows its profile. */
  scopes: readonly ToolScope[];
  /** Decides which tools requests declare, for all agents. */
  declaring: Profile;
  /** The task it works on, or `main`: the one a person talks to. */
  agent: string;
  depth: number;
  /** The session that a person talks to. */
  top: { session: string; file: string };
}

export interface Child {
  /** Id of the task. */
  task: string;
  agent: AgentDefinition;
  above: Kin;
  /** Over the agent's own. */
  model?: string | undefined;
  limits: TaskLimits;
  /** Over the agent's own. */
  output?: JsonSchema | undefined;
}

export function kinOf(
  at: Surroundings,
  child: Child | undefined,
  { model, log }: { model: Model; log: Pick<SessionLog, "id" | "file"> },
): Kin {
  const above = child?.above;
  const { id: session, file } = log;
  const agent = child?.task ?? "main";
  const kin: Kin = {
    ...{ at, session, file, model },
    given: above?.given ?? at.options,
    hub: new EventHub({ session, clock: at.clock, redactor: knownSecrets, agent, above: above?.hub }),
    approvals: above?.approvals ?? new Approvals(),
    beside: new Beside(above?.beside),
    scopes: child ? [...child.above.scopes, scopeOf(child.agent)] : [],
    declaring: declaringOf(at, above),
    agent,
    depth: above ? above.depth + 1 : 0,
    top: above?.top ?? { session, file },
  };
  at.kin.set(session, kin);
  return kin;
}

function scopeOf({ tools, disallowed }: AgentDefinition): ToolScope {
  return { only: tools, never: disallowed };
}

/** Only a session without any tool sends none. */
function declaringOf({ settings }: Surroundings, above: Kin | undefined): Profile {
  const own = profileIn(settings.permissions.mode, settings.tools.profile);
  return above && own !== "minimal" ? above.declaring : own;
}
