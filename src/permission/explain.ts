// Which rule of the user, if any, decides about one part of a command: the overlay of `cinch permissions explain`. Pure.
// It goes the way of `decide`, part by part; what becomes of the whole is decided there.

import type { CommandPart } from "../core/command.js";
import { hits } from "./decide.js";
import { allowsPart, type Covered, type Rule } from "./rules.js";

export function rulingOn(part: CommandPart, tool: Covered, rules: readonly Rule[]): Rule | undefined {
  const { verdict, reason } = part;
  const command = { command: "", verdict, parts: [part] };
  const act = { tool, effect: verdict === "readonly" ? "read" : "exec", paths: [], command } as const;
  const first = (list: Rule["list"], fits: (rule: Rule) => boolean) =>
    rules.find((rule) => rule.list === list && fits(rule));
  const tightens = first("deny", (rule) => hits(rule, act)) ?? first("ask", (rule) => hits(rule, act));
  if (tightens || verdict === "readonly" || reason === "opaque") return tightens;
  return first("allow", (rule) => rule.covers(tool) && allowsPart(rule, part, reason === "danger"));
}
