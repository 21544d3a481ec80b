// Permissions of one session, as its agent sees them. What judges is loaded with the first call; until then only the
// profile is known, which is all that is needed to declare tools.
// Invariant: no text of the conversation comes in here, so none can change a decision.

import type { Judgement, Permissions } from "../../agent/ports.js";
import { messageOf } from "../../core/errors.js";
import type { Emit } from "../../core/event.js";
import type { Effect, Plan } from "../../core/plan.js";
import { effectsIn, type RuleCheck, type ToolScope } from "../../core/policy.js";
import type { ToolDescriptor, ToolEntry } from "../../core/tool.js";
import { inScope, lackOf, permits } from "../../permission/profile.js";
import { builtinTools } from "../../tools/index.gen.js";
import { loadJudge } from "../lazy.js";
import type { Surroundings } from "../surroundings.js";
import type { Judge } from "./judge.js";

export type PermissionsOptions = Pick<
  Surroundings,
  "settings" | "rules" | "options" | "root" | "config" | "state" | "disk" | "clock" | "sandboxing"
> & {
  emit: Emit;
  /** What narrows the profile, of this agent and those above it. */
  scopes: readonly ToolScope[];
  /** True while whatever a command changes in the project can be taken back. */
  undoable(): boolean;
  /** Directories outside that are read unasked. */
  readable(): readonly string[];
};

export class SessionPermissions implements Permissions {
  readonly #options: PermissionsOptions;
  #judge: Promise<Judge> | undefined;

  constructor(options: PermissionsOptions) {
    this.#options = options;
  }

  /** A plan that is a read is judged as one, whatever else its tool can do (SPEC 1.1). */
  forbids(tool: ToolDescriptor): string | null {
    return this.#lacks(tool, tool.mayRead ? [...tool.effects, "read"] : tool.effects);
  }

  declares(tool: ToolDescriptor): boolean {
    return this.#lacks(tool, tool.effects) === null;
  }

  #lacks(tool: ToolDescriptor, effects: readonly Effect[]): string | null {
    const { settings, scopes } = this.#options;
    const { permissions, tools } = settings;
    const { mode } = permissions;
    if (!permits(effectsIn(mode, tools.profile), effects)) return lackOf(mode, tools.profile, effects)[1];
    return inScope(tool, scopes) ? null : "tools of the agent";
  }

  async judge(plan: Plan, tool: ToolDescriptor): Promise<Judgement> {
    const judge = await this.#open();
    const state = plan.command ? await this.#options.sandboxing.state() : "none";
    const sandboxed = plan.survives ? state !== "none" : state === "full";
    return judge.judge(plan, tool, { sandboxed, undoable: this.#options.undoable() });
  }

  async remember(rule: string): Promise<string | null> {
    try {
      await (await this.#open()).grants.add(rule);
      return null;
    } catch (error) {
      return messageOf(error);
    }
  }

  /** A test for paths whose content is only shown with a yes. */
  async concealed(): Promise<(path: string) => boolean> {
    const judge = await this.#open();
    return (path) => judge.conceals(path);
  }

  /** The same for many paths, by the rules as of now. */
  async concealing(): Promise<(path: string) => boolean> {
    return (await this.#open()).concealing();
  }

  /** A test for paths that a setting protects, or null. */
  async guarded(): Promise<((path: string) => boolean) | null> {
    return (await this.#open()).guards;
  }

  #open(): Promise<Judge> {
    const { settings, rules, options, root, config, state, disk, clock, emit, readable } = this.#options;
    this.#judge ??= loadJudge().then(
      ({ Judge }) =>
        new Judge({
          mode: () => settings.permissions.mode,
          profile: settings.tools.profile,
          rules,
          tools: toolsOf(options.tools),
          root,
          addDirs: options.addDirs ?? [],
          readable: readable(),
          own: [config, state],
          state,
          disk,
          now: () => clock.now(),
          tell: (text) => emit({ type: "notice", level: "warning", code: "permissions", text }),
        }),
    );
    return this.#judge;
  }
}

/** Judges the rules of settings files by the tools there are. */
export async function loadRuleCheck(root: string, more: readonly ToolEntry[] | undefined): Promise<RuleCheck> {
  return (await loadJudge()).ruleCheck(root, toolsOf(more));
}

/** Which paths the rules withhold, before there is a session. */
export async function loadConcealed(
  at: Pick<Surroundings, "root" | "disk" | "rules">,
  more: readonly ToolEntry[] | undefined,
): Promise<(path: string) => boolean> {
  return (await loadJudge()).concealedBy({ ...at, tools: toolsOf(more) });
}

function toolsOf(more: readonly ToolEntry[] = []): ToolDescriptor[] {
  return [...builtinTools, ...more].map(({ descriptor }) => descriptor);
}
