// What hooks hear of a call or a compaction, in the words of other agents, and what their answers come to together. Pure.

import type { Ready } from "../../agent/call.js";
import type { HookVerdict } from "../../agent/hooked.js";
import type { CompactWish } from "../../agent/ports.js";
import type { JsonObject } from "../../core/json.js";
import type { ToolDescriptor } from "../../core/tool.js";
import type { Answered } from "../../hooks/run.js";

export function namesOf({ alias, name }: ToolDescriptor): string[] {
  return alias === null ? [name] : [alias, name];
}

export function callOf({ call, descriptor, tool, plan, input }: Ready): JsonObject {
  return {
    tool_name: descriptor.alias ?? descriptor.name,
    cinch_tool: descriptor.name,
    tool_input: tool.hook?.to(input, plan) ?? input,
    tool_use_id: call.id,
  };
}

export function compactionOf({ cause, focus = "" }: CompactWish) {
  return { trigger: cause === "user" ? "manual" : "auto", custom_instructions: focus };
}

/** No beats ask beats yes; a yes is the user's own hooks' to give. */
export function verdictOf(answers: readonly Answered[]): HookVerdict {
  const no = answers.find(({ block }) => block !== undefined);
  const ask = answers.find(({ decision }) => decision === "ask");
  const yes = answers.find(({ decision, hook }) => decision === "allow" && hook.level !== "project");
  const [decision, by] = no
    ? (["deny", no] as const)
    : ask
      ? (["ask", ask] as const)
      : yes
        ? (["allow", yes] as const)
        : [null];
  return { decision, reason: by?.block ?? by?.reason ?? "it gave no reason", by: by?.name ?? "" };
}
