// Rules as users write them (SPEC 2.8): `Name` or `Name(spec)`.
//   Read   reading, searching, finding, listing       Edit   whatever changes files       Write   creating, appending, deleting
//   Bash, Grep, Glob, LS   tools with that alias      own names of tools                  mcp__server, mcp__server__tool
// The spec of a command is words (words.ts), of everything else a path (path-patterns.ts). Which one a name takes is asked
// of the descriptors it covers; no tool is named here.
// Invariants: a text that is no rule is refused, never taken for a wider one; rules that tighten match more generously
// (any letter case, a program with its directory, one part or path is enough) than rules that allow (all of them).

import type { CommandPart } from "../core/command.js";
import type { RuleList, WrittenRule } from "../core/policy.js";
import type { ToolDescriptor, Verb } from "../core/tool.js";
import { byLikeness } from "../lib/nearest.js";
import { type PathTest, type PatternBases, pathTest } from "./path-patterns.js";
import { isSecretPath } from "./secret-files.js";
import { type CommandSpec, isExact, matchesWords, meantBy, namedIn, readCommandSpec } from "./words.js";

/** What rules ask of a tool. */
export type Covered = Pick<ToolDescriptor, "name" | "verb" | "alias" | "effects" | "family">;

export interface Rule extends WrittenRule {
  covers(tool: Covered): boolean;
  /** It is about changing things and says nothing about reading them. */
  changes: boolean;
  spec: { of: "anything" } | { of: "command"; command: CommandSpec } | PathSpec;
}

export interface PathSpec {
  of: "path";
  test: PathTest;
  /** It is about secret files by their names, not as one of many. */
  namesSecrets: boolean;
}

/** A path that is asked about in every mode. */
export interface Protection extends WrittenRule {
  test: PathTest;
}

const groups: Readonly<Record<string, (tool: Covered) => boolean>> = {
  Read: verbs("read", "search", "find", "list"),
  Write: verbs("create", "append", "delete"),
  Edit: (tool) => tool.effects.includes("write"),
};

function verbs(...those: Verb[]): (tool: Covered) => boolean {
  return (tool) => those.includes(tool.verb);
}

/** @throws Error with a sentence that begins in lower case and has no full stop */
export function readRule(written: WrittenRule, tools: readonly Covered[], bases: PatternBases): Rule {
  const [, name = "", inside] = /^\s*([A-Za-z0-9_-]+)\s*(?:\((.*)\)\s*)?$/s.exec(written.text) ?? [];
  if (name === "") throw new Error("a rule is Tool or Tool(what), like Edit(src/**) or Bash(npm test)");
  const covers = coverage(name, tools);
  const covered = tools.filter(covers);
  const changes = covered.length > 0 && covered.every(({ effects }) => !effects.includes("read"));
  return { ...written, covers, changes, spec: readSpec(written.list, inside?.trim(), covered, bases) };
}

function coverage(name: string, tools: readonly Covered[]): (tool: Covered) => boolean {
  if (name.startsWith("mcp__")) {
    const whole = name.replace(/__$/, "");
    return (tool) => tool.name === whole || (tool.family === "mcp" && tool.name.startsWith(`${whole}__`));
  }
  const group = Object.hasOwn(groups, name) ? groups[name] : undefined;
  if (group) return group;
  const known = tools.flatMap((tool) => (tool.alias === null ? [tool.name] : [tool.alias, tool.name]));
  if (known.includes(name)) return (tool) => tool.alias === name || tool.name === name;
  const valid = byLikeness(name, [...new Set([...Object.keys(groups), ...known])]);
  throw new Error(`there is no tool ${name}; tools are ${valid.join(", ")} and mcp__server__tool`);
}

function readSpec(
  list: RuleList,
  spec: string | undefined,
  tools: readonly Covered[],
  bases: PatternBases,
): Rule["spec"] {
  if (spec === undefined || spec === "*" || spec === "**") return { of: "anything" };
  if (spec === "") throw new Error("there is nothing between the brackets");
  if (tools.some((tool) => tool.verb === "run")) return { of: "command", command: readCommandSpec(spec) };
  if (tools.length === 0 || tools.every((tool) => tool.family === "mcp"))
    throw new Error("this tool takes no brackets");
  if (!isBalanced(spec)) throw new Error("its brackets do not match; one entry is one rule");
  return { of: "path", test: pathTest(spec, bases, list !== "allow"), namesSecrets: namesSecrets(spec) };
}

/** `.env*`, `*.pem`, `~/.ssh`; not `src/**`, whatever lies there. */
function namesSecrets(pattern: string): boolean {
  const names = pattern.split("/").map((name) => name.replace(/[\\*]/g, ""));
  return isSecretPath(names) || isSecretPath([...names, "x"]);
}

function isBalanced(text: string): boolean {
  let depth = 0;
  for (const char of text) {
    if (char === "(") depth++;
    if (char === ")" && --depth < 0) return false;
  }
  return depth === 0;
}

/** @throws Error, as `readRule` */
export function readProtection(written: WrittenRule, bases: PatternBases): Protection {
  return { ...written, test: pathTest(written.text, bases, true) };
}

/** Does the rule allow this part? `exactly`: only if it can mean nothing else. */
export function allowsPart(rule: Rule, { argv, exact, beyond = [] }: CommandPart, exactly: boolean): boolean {
  if (rule.spec.of !== "command") return rule.spec.of === "anything" && !exactly;
  if (!exact || (exactly && !isExact(rule.spec.command))) return false;
  return matchesWords(rule.spec.command, argv, false) && beyond.every((word) => names(rule.spec, word));
}

/** The rule has this very word. */
function names(spec: Rule["spec"], word: string): boolean {
  return spec.of === "command" && spec.command.words.some((each) => each.length === 1 && each[0] === word);
}

/** Also a part whose words are not all known, and one that may start what the rule names: what is known may be enough. */
export function hitsPart(rule: Rule, part: CommandPart): boolean {
  if (rule.spec.of !== "command") return false;
  const { command } = rule.spec;
  return meantBy(command, part.argv) || (mayStart(part) && namedIn(command, part.argv));
}

/** What starts other programs, or may: everything that is not known to do just its own work. */
function mayStart({ verdict, rule }: CommandPart): boolean {
  return verdict === "never-auto" || starters.test(rule);
}

const starters =
  /^(wrapper|shell|interpreter|launcher):|^program:(unlisted|unknown|project|path|npx|npm|pnpm|yarn|make|cargo|go|docker\S*|podman|nerdctl|ssh)$/;
