// Puts together what a decision goes by (settings, answers kept from earlier, facts about the place) and asks permission/.
// Invariant: rules are read once, answers each time, so that what another process revokes no longer counts here.

import { homedir } from "node:os";
import { join } from "node:path";
import type { Judgement } from "../../agent/ports.js";
import type { CommandAnalysis } from "../../core/command.js";
import { messageOf } from "../../core/errors.js";
import type { Plan } from "../../core/plan.js";
import type { Mode, Profile, RuleCheck, WrittenRule } from "../../core/policy.js";
import type { ToolDescriptor } from "../../core/tool.js";
import type { Fs } from "../../lib/fs.js";
import { alsoCalled, resolvePath } from "../../lib/paths.js";
import { aliasesIn } from "../../permission/aliases.js";
import { type Act, decide, type Facts, type Policy, showable } from "../../permission/decide.js";
import { rulingOn } from "../../permission/explain.js";
import { Grants } from "../../permission/granted.js";
import { offerFor } from "../../permission/offer.js";
import type { PatternBases } from "../../permission/path-patterns.js";
import { type Protection, type Rule, readProtection, readRule } from "../../permission/rules.js";
import { isSecretPath } from "../../permission/secret-files.js";
import { projectKey } from "../../session/store.js";

export interface JudgeOptions {
  /** As of now: the user may change it at any time. */
  mode(): Mode;
  profile: Profile;
  rules: readonly WrittenRule[];
  tools: readonly ToolDescriptor[];
  /** Canonical. */
  root: string;
  addDirs: readonly string[];
  /** Directories outside that are read unasked. */
  readable: readonly string[];
  /** Directories where Cinch keeps what it goes by. */
  own: readonly string[];
  state: string;
  disk: Fs;
  now(): number;
  /** Says what the user should know about kept answers. */
  tell(text: string): void;
}

export class Judge {
  /** What the user answered with "always". */
  readonly grants: Grants;
  readonly #options: JudgeOptions;
  readonly #bases: PatternBases;
  readonly #facts: Facts;
  readonly #rules: readonly Rule[];
  readonly #protections: readonly Protection[];
  /** Are there rules that may hide more than secrets? */
  readonly #hides: boolean;
  readonly #granted = new Map<string, Rule | null>();

  constructor(options: JudgeOptions) {
    const { rules, tools, root, disk } = options;
    this.#options = options;
    this.#bases = basesOf(root, disk);
    const canonical = (path: string) => resolvePath(disk, "/", path).path;
    this.#facts = {
      bases: [root, ...options.addDirs.map(canonical)],
      readable: options.readable.map(canonical),
      own: options.own.map(canonical),
      sandboxed: false,
      undoable: false,
    };
    this.#rules = rules.flatMap((rule) => (rule.list === "protect" ? [] : [readRule(rule, tools, this.#bases)]));
    this.#protections = rules.flatMap((rule) => (rule.list === "protect" ? [readProtection(rule, this.#bases)] : []));
    this.#hides = this.#rules.some(({ list }) => list !== "allow");
    this.grants = grantsOf(options);
  }

  /** `now`: what holds for a command as things are. */
  judge(plan: Plan, tool: ToolDescriptor, now: Pick<Facts, "sandboxed" | "undoable">): Judgement {
    const { effect, paths, command, survives } = plan;
    const act: Act = {
      tool,
      effect,
      paths,
      ...this.#called(plan),
      ...(command ? { command } : {}),
      ...(survives ? { survives } : {}),
    };
    const policy = this.#policy();
    const facts = { ...this.#facts, ...now };
    const decision = decide(act, policy, facts);
    const offer = offerFor(act, decision, this.#options.root);
    const lifts = (mode: Mode) => decide(act, { ...policy, mode }, facts).verdict === "allow";
    return { ...decision, offer, flag: decision.verdict === "ask" ? flagFor(lifts, offer) : "" };
  }

  /** What holds for a command, whole and part by part, should `tool` be asked to run it. */
  explain(command: CommandAnalysis, tool: ToolDescriptor, now: Pick<Facts, "sandboxed" | "undoable">) {
    const policy = this.#policy();
    const effect = command.verdict === "readonly" ? "read" : "exec";
    const decision = decide({ tool, effect, paths: [], command }, policy, { ...this.#facts, ...now });
    return { decision, rules: command.parts.map((part) => rulingOn(part, tool, policy.rules)) };
  }

  /** Tests for the paths that a setting protects; null when there is none. */
  get guards(): ((path: string) => boolean) | null {
    const tests = this.#protections.map(({ test }) => test);
    return tests.length === 0 ? null : (path) => tests.some((test) => test(path));
  }

  conceals(path: string): boolean {
    return this.#isOpenByName(path) ? false : this.concealing()(path);
  }

  /** The same for many paths, by the rules as of now. */
  concealing(): (path: string) => boolean {
    const policy = this.#policy();
    const readers = this.#options.tools.filter(({ verb }) => verb === "read" || verb === "search");
    return (path) =>
      !this.#isOpenByName(path) && !readers.every((reader) => showable(path, reader, policy, this.#facts));
  }

  #isOpenByName(path: string): boolean {
    return !this.#hides && !isSecretPath(path.split("/"));
  }

  /** What the paths of a plan are called beside: on the way to them, and by governing names that are links to them. */
  #called({ effect, paths, names = [] }: Plan): Pick<Act, "names"> {
    if (effect === "read" || paths.length === 0) return alsoCalled(names);
    const aliases = aliasesIn(this.#options.disk, this.#facts.bases);
    return alsoCalled([...names, ...paths.flatMap(aliases)]);
  }

  #policy(): Policy {
    const { profile } = this.#options;
    const mode = this.#options.mode();
    const granted = this.grants.list().flatMap(({ rule }) => this.#grantedRule(rule) ?? []);
    const rules = granted.length === 0 ? this.#rules : [...this.#rules, ...granted];
    return { mode, profile, rules, protections: this.#protections };
  }

  #grantedRule(text: string): Rule | null {
    const known = this.#granted.get(text);
    if (known !== undefined) return known;
    const written = { list: "allow", text, source: this.grants.file } as const;
    let rule: Rule | null = null;
    try {
      rule = readRule(written, this.#options.tools, this.#bases);
    } catch (error) {
      this.#options.tell(`${this.grants.file}: ${text} is left out: ${messageOf(error)}.`);
    }
    this.#granted.set(text, rule);
    return rule;
  }
}

/** Which flags would have made an allow of a question. */
function flagFor(lifts: (mode: Mode) => boolean, offer: string | null): string {
  const auto = "--permission-mode auto runs everything without asking";
  const ways = offer === null ? [] : [`--allow '${offer.replaceAll("'", "'\\''")}' allows just this`];
  if (lifts("acceptEdits")) ways.push("--permission-mode acceptEdits changes files without asking", auto);
  else if (lifts("auto")) ways.push(auto);
  else ways.push("--input-format stream-json lets somebody answer; no mode allows this by itself");
  return ways.join(", ");
}

/** `root` canonical. */
export function ruleCheck(root: string, tools: readonly ToolDescriptor[]): RuleCheck {
  const bases = { root, home: homedir() };
  return (list, text) => {
    try {
      const written = { list, text, source: "" };
      if (list === "protect") readProtection(written, bases);
      else readRule(written, tools, bases);
      return null;
    } catch (error) {
      return messageOf(error);
    }
  };
}

export function grantsOf({
  state,
  root,
  disk,
  now,
  tell,
}: Pick<JudgeOptions, "state" | "root" | "disk" | "now" | "tell">): Grants {
  const file = join(state, "permissions", `${projectKey(root)}.json`);
  return new Grants({ disk, file, root, now, fault: tell });
}

export function basesOf(root: string, disk: Fs): PatternBases {
  return { root, home: resolvePath(disk, "/", homedir()).path };
}

/** Which paths are withheld by these rules, before there is a session. `root` canonical. */
export function concealedBy({
  root,
  disk,
  rules,
  tools,
}: Pick<JudgeOptions, "root" | "disk" | "rules" | "tools">): (path: string) => boolean {
  const bases = basesOf(root, disk);
  const read = rules.flatMap((rule) => (rule.list === "protect" ? [] : [readRule(rule, tools, bases)]));
  const policy: Policy = { mode: "ask", profile: "full", rules: read, protections: [] };
  const facts: Facts = { bases: [root], readable: [], own: [], sandboxed: false, undoable: false };
  const readers = tools.filter(({ verb }) => verb === "read");
  return (path) => !readers.every((reader) => showable(path, reader, policy, facts));
}
