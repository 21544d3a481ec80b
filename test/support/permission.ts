// Acts, rules and places as the tests of permission/ write them: the tools as far as rules ask, a policy out of texts of
// rules, a command out of its parts. Nothing is looked up; what a real tool or command is does not matter here.

import type { CommandAnalysis, CommandPart, CommandVerdict, NeverReason } from "../../src/core/command.js";
import type { RuleList } from "../../src/core/policy.js";
import { type Act, decide, type Facts, type Policy } from "../../src/permission/decide.js";
import { type Covered, readProtection, readRule } from "../../src/permission/rules.js";

/** The tools there are, as far as rules ask. */
export const tools = (
  [
    ["read_file", "read", "Read", "read"],
    ["write_file", "create", "Write", "write"],
    ["append_file", "append", "Write", "write"],
    ["edit_file", "edit", "Edit", "write"],
    ["delete_file", "delete", "Write", "write"],
    ["list_files", "list", "LS", "read"],
    ["find_files", "find", "Glob", "read"],
    ["search_text", "search", "Grep", "read"],
    ["run_command", "run", "Bash", "exec"],
  ] as const
).map(([name, verb, alias, effect]): Covered => ({ name, verb, alias, effects: [effect], family: "core" }));
export const bases = { root: "/p", home: "/home/u" };
export const facts: Facts = {
  bases: ["/p"],
  readable: ["/state/spill"],
  own: ["/home/u/.config/cinch"],
  sandboxed: false,
  undoable: false,
};

export function toolBy(verb: string) {
  const found = tools.find((tool) => tool.verb === verb);
  if (!found) throw new Error(verb);
  return found;
}

export type Rules = Partial<Record<RuleList, string[]>>;

export function policy(mode: Policy["mode"], rules: Rules = {}, profile: Policy["profile"] = "full"): Policy {
  const lines = (["deny", "ask", "allow"] as const).flatMap((list) =>
    (rules[list] ?? []).map((text) => ({ list, text, source: "s" })),
  );
  return {
    mode,
    profile,
    rules: lines.map((line) => readRule(line, tools, bases)),
    protections: (rules.protect ?? []).map((text) => readProtection({ list: "protect", text, source: "s" }, bases)),
  };
}

export const write = (...paths: string[]): Act => ({ tool: toolBy("edit"), effect: "write", paths });
export const read = (...paths: string[]): Act => ({ tool: toolBy("read"), effect: "read", paths });

export type PartSpec = [argv: string, verdict?: CommandVerdict, reason?: NeverReason];

export function command(specs: PartSpec[], paths: string[] = []): Act {
  const parts = specs.map(([argv, verdict = "needs-approval", reason]): CommandPart => {
    const part = {
      argv: argv.split(" "),
      exact: reason !== "opaque",
      verdict,
      rule: "r",
      source: "t",
      why: `${argv}.`,
    };
    return reason ? { ...part, reason } : part;
  });
  const strictest =
    parts.find((part) => part.verdict === "never-auto") ?? parts.find((part) => part.verdict === "needs-approval");
  const verdict = strictest?.verdict ?? "readonly";
  const known: CommandAnalysis = {
    command: "…",
    verdict,
    parts,
    ...(strictest?.reason ? { reason: strictest.reason } : {}),
  };
  return { tool: toolBy("run"), effect: verdict === "readonly" ? "read" : "exec", paths, command: known };
}

export const verdict = (act: Act, mode: Policy["mode"], rules: Rules = {}, more: Partial<Facts> = {}) =>
  decide(act, policy(mode, rules), { ...facts, ...more }).verdict;
