// What the sessions of one conversation know of each other: the one a person talks to, and those that work on tasks for it, on
// whatever level. Every session has a Kin; whoever works for it is made from that (child.ts).

import { Approvals } from "../../agent/approvals.js";
import { Beside } from "../../agent/beside.js";
import { Board } from "../../agents/board.js";
import type { AgentDefinition } from "../../core/agent.js";
import type { JsonSchema } from "../../core/json.js";
import type { Model } from "../../core/model.js";
import type { Effect } from "../../core/plan.js";
import { effectsIn, type ToolScope } from "../../core/policy.js";
import type { TaskBounds, TaskLimits } from "../../core/task.js";
import type { ToolDescriptor } from "../../core/tool.js";
import { once } from "../../lib/once.js";
import { knownSecrets } from "../../secrets/known.js";
import type { SessionLog } from "../../session/log.js";
import type { AgentCatalog } from "../agents/catalog.js";
import type { HarnessOptions } from "../api/index.js";
import { EventHub } from "../events.js";
import type { SessionHooksOptions } from "../hooks/session-hooks.js";
import { loadAgents } from "../lazy.js";
import type { Surroundings } from "../surroundings.js";

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
  /** The agents that tasks may be given to; read when they are first asked for. */
  agents(): Promise<AgentCatalog>;
  /** What its agents have announced to each other. */
  board: Board;
  /** Announcements up to this number have been told to this agent. */
  heard: number;
  model: Model;
  /** What narrows its profile. */
  scopes: readonly ToolScope[];
  /** Decides which tools requests declare, for all agents. */
  declaring: readonly Effect[];
  /** The task it works on, or `main`: the one a person talks to. */
  agent: string;
  /** What it goes by for people. */
  name: string;
  /** Files that only it may change: a test for absolute paths; null = none in particular. */
  owns: ((path: string) => boolean) | null;
  /** Those it works for, the nearest first. */
  above: Kin | null;
  depth: number;
  /** The session that a person talks to. */
  top: { session: string; file: string };
}

export interface Child {
  /** Id of the task. */
  task: string;
  /** The call that gave it. */
  call: string | null;
  /** Id of the session that it is worked on in. */
  session: string | undefined;
  agent: AgentDefinition;
  above: Kin;
  /** Over the agent's own. */
  model?: string | undefined;
  limits: TaskLimits;
  bounds: TaskBounds;
  /** Over the agent's own. */
  output?: JsonSchema | undefined;
}

export function kinOf(
  at: Surroundings,
  child: Child | undefined,
  { model, log, tools }: { model: Model; log: Pick<SessionLog, "id" | "file">; tools: readonly ToolDescriptor[] },
): Kin {
  const above = child?.above;
  const { id: session, file } = log;
  const agent = child?.task ?? "main";
  const from = { session, agent, call: child?.call, above: above?.hub };
  const hub = new EventHub({ clock: at.clock, redactor: knownSecrets, ...from });
  const tell = (text: string) => hub.emit({ type: "notice", level: "warning", code: "agents", text });
  const kin: Kin = {
    ...{ at, session, file, model },
    given: above?.given ?? at.options,
    hub,
    approvals: above?.approvals ?? new Approvals(),
    beside: new Beside(agent, above?.beside, above !== undefined && above.at.root !== at.root),
    agents: above?.agents ?? once(async () => new (await loadAgents()).AgentCatalog(at, tools, tell)),
    board: above?.board ?? new Board(),
    heard: 0,
    scopes: child ? [...child.above.scopes, scopeOf(child.agent), { only: null, never: child.bounds.deny ?? [] }] : [],
    declaring: declaringOf(at, above),
    agent,
    name: child?.bounds.name ?? child?.agent.name ?? "main",
    owns: null,
    above: above ?? null,
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
function declaringOf({ settings }: Surroundings, above: Kin | undefined): readonly Effect[] {
  const own = effectsIn(settings.permissions.mode, settings.tools.profile);
  return above && own.length > 0 ? above.declaring : own;
}

/** Whom hooks hear of: a session, or an agent in one. */
export function hearing({ top, file }: Kin, child: Child | undefined): Pick<SessionHooksOptions, "session" | "agent"> {
  const { session: id, file: transcript } = top;
  const agent = child ? { id: child.task, type: child.agent.name, file } : null;
  return { session: { id, file: transcript }, agent };
}

/** Characters the model is told at most of what others have announced. */
export const maxAnnounced = 1_500;

/** `new`: what was announced since this agent was last told. Each announcement counts as told from here on. */
export function announcedTo(kin: Kin, which: "all" | "new"): string {
  const { board, agent, heard } = kin;
  kin.heard = board.count;
  return board.textFor(agent, maxAnnounced, which === "all" ? 0 : heard);
}
