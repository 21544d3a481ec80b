// The one place where a call is allowed, asked about or denied (SPEC 2.8). Pure: no clock, no disk, no conversation text.
// The first row that fits decides:
//
//   1  the profile, or the mode plan, does not hold the plan's effect       deny
//   2  a deny rule fits: one path, one part of the command is enough        deny
//   3  something is changed or run, and a protected path is among its paths ask
//   4  a command is dangerous, a file is secret   ask, unless an allow rule names exactly this command or this path
//      something outside is read                  ask, unless allow rules with a path fit (SPEC 1.21)
//   5  a command cannot be analysed               ask; auto goes on where the sandbox is full or all can be undone,
//                                                 unless some deny or ask rule is about commands and might be meant
//   6  an ask rule fits                                                     ask
//   7  it goes on when Cinch has ended   ask; auto goes on where commands run without a sandbox anyway
//   8  allow rules fit: every path, every part of the command               allow
//   9  a command that only reads, no full sandbox for it, and Cinch does not answer it itself   ask; auto goes on
//  10  the mode      read, ask, spawn (b)   write   exec      net
//      ask, plan     allow                  ask     ask       ask
//      acceptEdits   allow                  allow   ask (a)   ask   (a) allow in a full sandbox, if the command was analysed
//      auto          allow                  allow   allow     allow
//
// (b) Starting an agent has no effect of its own: each of its calls is decided here, and budgets limit the rest (SPEC 3.1).
// A path has a name for each link on the way to it. For deny, ask, protect and secret one of them is enough; for allow all
// that lie in the project have to fit.
// Another deny, ask or protect rule never loosens, another allow rule never tightens (decide.test.ts).

import type { CommandPart } from "../core/command.js";
import type { Plan } from "../core/plan.js";
import { effectsIn, type Mode, type Profile } from "../core/policy.js";
import { within, withinApart } from "../lib/paths.js";
import { lackOf } from "./profile.js";
import { isProtectedPath } from "./protected.js";
import { allowsPart, type Covered, hitsPart, type PathSpec, type Protection, type Rule } from "./rules.js";
import { isSecretPath } from "./secret-files.js";

/** What of a plan counts. */
export type Act = Pick<Plan, "effect" | "paths" | "names" | "command" | "survives"> & { tool: Covered };

export interface Policy {
  mode: Mode;
  profile: Profile;
  rules: readonly Rule[];
  protections: readonly Protection[];
  /** Another policy that has to agree (intersect.ts). */
  within?: Policy;
}

/** What is known of the world before deciding. All paths canonical. */
export interface Facts {
  /** The project's root and the added directories. */
  bases: readonly string[];
  /** Further places that are read unasked: what was put aside for this session. */
  readable: readonly string[];
  /** Where Cinch keeps its own files. */
  own: readonly string[];
  /** Commands run in a full sandbox; of what survives: in any. */
  sandboxed: boolean;
  /** Whatever a command does can be undone. */
  undoable: boolean;
}

export interface Decision {
  verdict: "allow" | "ask" | "deny";
  /** What decided: a rule as written, or `mode:auto`, `profile:readonly`, `protected`, `secret`, `danger`, `opaque`. */
  rule: string;
  /** Where that is from: `file:line`, `flags`, `built-in`, … */
  source: string;
  /** One sentence for a person and for the model. */
  reason: string;
  /** A command, and rules name each of its parts that would ask: nothing else could be meant. */
  exact?: true | undefined;
  /** How to do it so that nobody need be asked. */
  hint?: string;
}

export function decide(act: Act, policy: Policy, facts: Facts): Decision {
  const own = decideAlone(act, policy, facts);
  if (!policy.within) return own;
  const other = decide(act, policy.within, facts);
  if (strictness[other.verdict] > strictness[own.verdict]) return other;
  // What both allow was named by somebody only if both named it.
  if (own.exact && other.verdict === "allow" && !other.exact) return { ...own, exact: undefined };
  return own;
}

const strictness = { allow: 0, ask: 1, deny: 2 } as const;

function decideAlone(act: Act, policy: Policy, facts: Facts): Decision {
  return (
    byProfile(act, policy) ??
    byRule("deny", act, policy) ??
    byProtection(act, policy, facts) ??
    bySecret(act, policy, facts) ??
    byPlace(act, policy, facts) ??
    byDanger(act, policy, facts) ??
    byOpacity(act, policy, facts) ??
    byRule("ask", act, policy) ??
    bySurvival(act, policy, facts) ??
    byAllowance(act, policy, facts) ??
    byWall(act, policy, facts) ??
    byMode(act, policy, facts)
  );
}

/**
 * May this path be shown without a question? For results that show more paths than their plan names: where it lies was
 * decided with the plan.
 */
export function showable(path: string, reader: Covered, policy: Policy, facts: Facts): boolean {
  const act: Act = { tool: reader, effect: "read", paths: [path] };
  return decide(act, policy, { ...facts, readable: ["/"] }).verdict === "allow";
}

// --- the rows --------------------------------------------------------------------------------------------------------

const builtIn = { source: "built-in" } as const;

function byProfile({ effect }: Act, { mode, profile }: Policy): Decision | null {
  if (effectsIn(mode, profile).includes(effect)) return null;
  const [what, rule] = lackOf(mode, profile, [effect]);
  return { verdict: "deny", rule, source: "settings", reason: `${what} does not allow ${nouns[effect]}` };
}

const nouns: Readonly<Record<Plan["effect"], string>> = {
  read: "reading",
  write: "changing files",
  exec: "running commands",
  net: "using the network",
  ask: "asking the user",
  spawn: "starting agents",
};

function byRule(list: "deny" | "ask", act: Act, { rules }: Policy): Decision | null {
  const rule = rules.find((each) => each.list === list && hits(each, act));
  if (!rule) return null;
  const reason = list === "deny" ? "a rule of the user or the project forbids it" : "a rule says to ask";
  return { verdict: list, rule: `${list} ${rule.text}`, source: rule.source, reason };
}

function byProtection(act: Act, { protections }: Policy, facts: Facts): Decision | null {
  if (act.effect === "read" || act.effect === "ask") return null;
  for (const path of namesOf(act)) {
    const own = protections.find(({ test }) => test(path));
    if (own) return askAbout(`protect ${own.text}`, own.source, "this path is protected by a setting");
    if (isProtectedPath(namesBelow(path, facts)) || withinApart(facts.own, path, facts.bases))
      return askAbout(
        "protected",
        builtIn.source,
        "this file decides what runs or how agents behave; it is only changed with a yes",
      );
  }
  return null;
}

function bySecret(act: Act, { rules }: Policy, facts: Facts): Decision | null {
  if (act.effect !== "read" || !shows.includes(act.tool.verb)) return null;
  const secret = namesOf(act).filter((path) => isSecretPath(namesBelow(path, facts)));
  if (secret.every((path) => isNamed(path, act, rules, ({ namesSecrets }) => namesSecrets))) return null;
  return askAbout("secret", builtIn.source, "files like this hold keys or passwords, so their content is withheld");
}

/** Verbs that bring the content of their paths to the model. */
const shows: readonly string[] = ["read", "search"];

function byPlace(act: Act, { rules }: Policy, facts: Facts): Decision | null {
  if (act.effect !== "read" || act.command) return null;
  const free = [...facts.bases, ...facts.readable];
  const outside = act.paths.filter((path) => !free.some((directory) => within(directory, path)));
  if (outside.every((path) => isNamed(path, act, rules, () => true))) return null;
  return askAbout("outside", builtIn.source, "it is outside the project");
}

/** Does an allow rule with a path cover this one? */
function isNamed(path: string, { tool }: Act, rules: readonly Rule[], fits: (spec: PathSpec) => boolean): boolean {
  return rules.some(({ list, spec, covers }) => {
    return list === "allow" && spec.of === "path" && fits(spec) && covers(tool) && spec.test(path);
  });
}

function byDanger({ command, tool }: Act, { rules }: Policy, { sandboxed }: Facts): Decision | null {
  const dangers = partsFor("danger", command);
  if (command?.reason !== "danger" && dangers.length === 0) return null;
  // The /tmp of a sandbox is its own. What else such a part may be is not told, so rules about commands come first.
  const isPrivate = sandboxed && !mightBeMeant(tool, rules);
  const parts = isPrivate ? dangers.filter(({ rule }) => rule !== "path:temporary") : dangers;
  if (parts.length === 0 && dangers.length > 0) return null;
  if (parts.length > 0 && parts.every((part) => isAllowed(part, tool, rules))) return null;
  return never("danger", parts[0]?.why ?? "it is dangerous", command?.hint);
}

function byOpacity({ command, tool, effect }: Act, { mode, rules }: Policy, facts: Facts): Decision | null {
  const parts = partsFor("opaque", command);
  const isMeant = mightBeMeant(tool, rules);
  if (!command) {
    if (effect !== "exec" || !isMeant) return null;
    return never("opaque", "a rule about commands might be meant, and this one was not analysed", undefined);
  }
  if (command.verdict !== "never-auto" || (command.reason === "danger" && parts.length === 0)) return null;
  const isHeld = facts.sandboxed || (facts.undoable && !parts.some(({ rule }) => reachesAnywhere.has(rule)));
  if (mode === "auto" && isHeld && !isMeant) return null;
  return never("opaque", parts[0]?.why ?? "it cannot be analysed", command.hint);
}

/** What is written lies who knows where, so that undo may not reach it. */
const reachesAnywhere = new Set([
  ...["path:unknown", "redirect:unknown", "wrapper:xargs", "wrapper:parallel", "syntax", "syntax:long"],
]);

/** Rules about commands that tighten, of which one may be about a command that is not understood. */
function mightBeMeant(tool: Covered, rules: readonly Rule[]): boolean {
  return rules.some(
    ({ list, spec, covers }) => (list === "deny" || list === "ask") && spec.of === "command" && covers(tool),
  );
}

/** No sandbox holds what outlives Cinch, and a rule that allows a command does not say that it may. */
function bySurvival({ survives }: Act, { mode }: Policy, { sandboxed }: Facts): Decision | null {
  if (!survives || (mode === "auto" && !sandboxed)) return null;
  return askAbout("survives", builtIn.source, "it goes on when Cinch has ended, outside of any sandbox");
}

function byAllowance(act: Act, { rules }: Policy, facts: Facts): Decision | null {
  const { tool, paths, names = [], command } = act;
  const called = [...paths, ...names.filter((name) => facts.bases.some((base) => within(base, name)))];
  const used: Rule[] = [];
  const isCovered = (fits: (rule: Rule) => boolean) => {
    const rule = rules.find((each) => each.list === "allow" && each.covers(tool) && fits(each));
    if (rule) used.push(rule);
    return rule !== undefined;
  };
  const open = openParts(act, facts);
  const everything = isCovered(({ spec }) => spec.of === "anything");
  const all =
    everything ||
    (command
      ? open.length > 0 && open.every((part) => isCovered((rule) => allowsPart(rule, part, false)))
      : called.length > 0 && called.every((path) => isCovered(({ spec }) => spec.of === "path" && spec.test(path))));
  const [rule] = used;
  if (!all || !rule) return null;
  const others = new Set(used.map(({ text }) => text)).size - 1;
  const more = others > 0 ? ` and ${others} more` : "";
  const exact = open.length > 0 && open.every((part) => isAllowed(part, tool, used));
  const decision = { rule: `allow ${rule.text}${more}`, source: rule.source, reason: "a rule allows it" };
  return { verdict: "allow", ...decision, ...(exact ? { exact } : {}) };
}

/** Tables of programs say that it only reads. Without something around it, nobody's word but the user's is enough. */
function byWall(act: Act, { mode }: Policy, facts: Facts): Decision | null {
  if (mode === "auto" || !needsWall(act, facts)) return null;
  const reason = "there is no full sandbox to run it in, and Cinch does not answer this command itself";
  const hint =
    "List, find, search and read with the tools for that, write it as plain cat, head, tail, ls, wc, grep or git status/log/diff/show, or ask the user to install bubblewrap.";
  return { ...askAbout("unconfined", builtIn.source, reason), hint };
}

function needsWall(
  { effect, command }: Pick<Act, "effect" | "command">,
  { sandboxed }: Pick<Facts, "sandboxed">,
): boolean {
  return effect === "read" && command !== undefined && !sandboxed && command.answered !== true;
}

/** The parts of a command that take a yes: outside of a full sandbox also those of which only tables say that they read. */
function openParts(act: Act, facts: Facts): readonly CommandPart[] {
  const parts = act.command?.parts ?? [];
  if (needsWall(act, facts)) return parts;
  return parts.filter(({ verdict, answered }) => verdict !== "readonly" || (!facts.sandboxed && !answered));
}

function byMode({ effect, command }: Act, { mode }: Policy, { sandboxed }: Facts): Decision {
  if (effect === "read" || effect === "ask")
    return { verdict: "allow", rule: "effect:read", ...builtIn, reason: "it only reads" };
  if (effect === "spawn")
    return { verdict: "allow", rule: "effect:spawn", ...builtIn, reason: "each call of an agent is decided by itself" };
  const rule = `mode:${mode}`;
  const allowed =
    mode === "auto" ||
    (mode === "acceptEdits" && (effect === "write" || (effect === "exec" && sandboxed && !!command)));
  if (allowed)
    return { verdict: "allow", rule, source: "settings", reason: `the mode ${mode} allows ${nouns[effect]}` };
  const reason = `the mode ${mode} asks before ${nouns[effect]}`;
  return { verdict: "ask", rule, source: "settings", reason, ...(command?.hint ? { hint: command.hint } : {}) };
}

// --- parts -----------------------------------------------------------------------------------------------------------

function askAbout(rule: string, source: string, reason: string): Decision {
  return { verdict: "ask", rule, source, reason };
}

function never(rule: "danger" | "opaque", why: string, hint: string | undefined): Decision {
  return {
    ...askAbout(rule, builtIn.source, why.trimEnd().replace(/\.{1,3}$/, "")),
    ...(hint === undefined ? {} : { hint }),
  };
}

function partsFor(reason: "danger" | "opaque", command: Act["command"]): CommandPart[] {
  return command?.parts.filter((part) => part.verdict === "never-auto" && part.reason === reason) ?? [];
}

/** By a rule that can mean nothing else. */
function isAllowed(part: CommandPart, tool: Covered, rules: readonly Rule[]): boolean {
  return rules.some((rule) => rule.list === "allow" && rule.covers(tool) && allowsPart(rule, part, true));
}

/** Does a rule that tightens speak about anything the act does? Rules about files count for commands as well. */
export function hits(rule: Rule, act: Act): boolean {
  const { tool, effect, command } = act;
  const { spec } = rule;
  const concerns = rule.covers(tool) || (command !== undefined && !(rule.changes && effect === "read"));
  if (spec.of === "path") {
    const inCommand = command?.parts.filter(({ verdict }) => !(rule.changes && verdict === "readonly")) ?? [];
    const all = inCommand.flatMap((part) => part.paths ?? []).concat(concerns ? namesOf(act) : []);
    return all.some(spec.test);
  }
  if (!rule.covers(tool)) return false;
  return spec.of === "anything" || (command?.parts.some((part) => hitsPart(rule, part)) ?? false);
}

/** Everything that the paths of an act are called. */
function namesOf({ paths, names = [] }: Act): readonly string[] {
  return names.length === 0 ? paths : [...paths, ...names];
}

/** The names of a path below the directory it was let in by: where the project itself lies says nothing about it. */
function namesBelow(path: string, { bases }: Facts): string[] {
  const base = bases.find((each) => within(each, path));
  return (base === undefined ? path : path.slice(base.length)).split("/").filter((name) => name !== "");
}
