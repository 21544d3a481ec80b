// Loads the levels of settings and merges them: flags, then the user's file, then the project's (SPEC 2.13).
// Invariants (SPEC 1.16): nothing a project's file says can end the program or loosen anything; every entry that cannot
// be used is a problem with file and line, and the others still count. `refuse` turns problems into the exit they earn.
// Start path: without settings files this is two failed opens and a merge of nothing; the parser is not loaded.

import { join } from "node:path";
import { codeOf, UserError } from "../core/errors.js";
import type { Hook, WrittenHook } from "../core/hook.js";
import type { Json } from "../core/json.js";
import { type Mode, profiles, type RuleCheck, type WrittenRule } from "../core/policy.js";
import type { Fs } from "../lib/fs.js";
import { type Assignment, type CheckContext, type Checked, checkSettings, type Problem } from "./check.js";
import { defaultSettings } from "./defaults.js";
import { type Located, locateText, locateValue } from "./located.js";
import { keyText, type Settings, type SettingsInput } from "./schema.js";

export interface LoadOptions {
  disk: Pick<Fs, "readFileSync">;
  configDir: string;
  projectRoot: string;
  /** Settings of the level "flags", from the command line or the SDK. */
  flags?: SettingsInput | undefined;
  /** The file of `--settings`; like flags, but single flags win over it. */
  settingsFile?: string | undefined;
  /** Names that may follow `models.`; absent = any. */
  providers?: readonly string[] | undefined;
  /** Judges rules; asked for when there is one. Absent = any text is a rule. */
  rules?: (() => Promise<RuleCheck>) | undefined;
}

export interface Loaded {
  settings: Settings;
  /** Where each set key comes from: `file:line`, or `flags`. Keys that are absent have their default. */
  sources: Record<string, string>;
  problems: Problem[];
  /** All rules that count, strongest level first. */
  rules: WrittenRule[];
  /** Allow rules of the project: they count once its user trusts it. */
  offered: WrittenRule[];
  /** All hooks that count, in the order in which they were written. */
  hooks: WrittenHook[];
  /** Those of the project: they run once its user trusts them. */
  offeredHooks: WrittenHook[];
}

const unusable = (): Checked => ({ assignments: [], problems: [] });

export async function loadSettings(options: LoadOptions): Promise<Loaded> {
  const { configDir, projectRoot, settingsFile, providers } = options;
  const shared = providers ? { providers } : {};
  const flags = await checkFlags(options.flags, { level: "flags", ...shared });
  const named =
    settingsFile === undefined ? unusable() : await read(options, settingsFile, { level: "flags", ...shared });
  const user = await read(options, join(configDir, "settings.json"), { level: "user", ...shared });
  const project = await read(options, join(projectRoot, ".cinch", "settings.json"), { level: "project", ...shared });
  const levels = [flags, named, user, project];
  await dropBadRules(levels, options.rules);
  const problems = levels.flatMap((level) => level.problems);
  const merged = merge([user.assignments, named.assignments, flags.assignments], project.assignments, problems);
  takeLegacyMode(merged, problems);
  if (isGuarded(project.problems)) askOnly(merged, project.problems);
  const assignments = levels.flatMap((level) => level.assignments);
  const isOffered = ({ level, row }: Assignment) => level === "project" && row.project === "trusted";
  const own = assignments.filter((each) => !isOffered(each));
  const offers = assignments.filter(isOffered);
  return {
    ...merged,
    problems,
    ...{ rules: own.flatMap(ruleOf), offered: offers.flatMap(ruleOf) },
    ...{ hooks: own.flatMap(hookOf), offeredHooks: offers.flatMap(hookOf) },
  };
}

/**
 * Throws UserError (exit 2) that lists every problem which may not be passed over: flags always; the user's file when
 * nobody is there to read a notice, or when the entry guards something. Returns the rest, which are warnings.
 */
export function refuse(problems: readonly Problem[], interactive: boolean): Problem[] {
  const fatal = problems.filter(({ level, block, notice }) => {
    if (level === "project" || notice) return false;
    return level === "flags" || !interactive || guards.includes(block) || block === "";
  });
  if (fatal.length === 0) return [...problems];
  const list = fatal.map(({ text }) => text).join("\n");
  throw new UserError(list, "`cinch config --explain` lists every setting and what it may be.", 2);
}

// --- reading ---------------------------------------------------------------------------------------------------------

const legacy = ["permission_mode", "yolo_mode"];
const guards = ["permissions", "sandbox", "trust", "hooks", ...legacy];
const largest = 1_000_000;

async function checkFlags(input: SettingsInput | undefined, context: CheckContext): Promise<Checked> {
  if (!input || Object.keys(input).length === 0) return unusable();
  const root = locateValue(input);
  if (root?.is === "object") return checkSettings(root, context);
  return only({ level: context.level, source: "flags", block: "", text: "The settings are not a plain JSON object." });
}

async function read({ disk }: LoadOptions, file: string, context: CheckContext): Promise<Checked> {
  const { level } = context;
  let text: string;
  try {
    text = disk.readFileSync(file, "utf8");
  } catch (error) {
    const code = codeOf(error);
    const absent = code === "ENOENT" || code === "ENOTDIR";
    if (absent && level !== "flags") return unusable();
    const why = absent ? "there is no such file" : `it cannot be read (${code ?? "unknown error"})`;
    return only({ level, source: file, block: "", text: `${file}: the settings were not loaded: ${why}.` });
  }
  if (text.length > largest) {
    return only({
      level,
      source: file,
      block: "",
      text: `${file}: the settings were not loaded: longer than ${largest} characters.`,
    });
  }
  if (text.trim() === "") return unusable();
  return checkText(text, { ...context, file });
}

async function checkText(text: string, context: CheckContext & { file: string }): Promise<Checked> {
  const { root, problems } = await locateText(text);
  const broken = problems.map(({ line, text: what }): Problem => {
    const block = root ? blockAt(root, line) : "";
    const source = `${context.file}:${line}`;
    return { level: context.level, source, block, text: `${source}: not valid JSON: ${what}.`, unreadable: true };
  });
  const checked = root ? await checkSettings(root, context) : unusable();
  if (!root && text.includes('"permissions"')) for (const problem of broken) problem.block = "permissions";
  return { assignments: checked.assignments, problems: [...broken, ...checked.problems] };
}

/** The top-level key whose text a line belongs to. */
function blockAt(root: Located, line: number): string {
  if (root.is !== "object") return "";
  return root.members.findLast((member) => member.line <= line)?.key ?? "";
}

function only(problem: Problem): Checked {
  return { assignments: [], problems: [problem] };
}

// --- merging ---------------------------------------------------------------------------------------------------------

type Merged = Pick<Loaded, "settings" | "sources">;

/** `levels` from weakest to strongest; scalars and lists replace, the members of an object are merged. */
function merge(levels: readonly Assignment[][], project: readonly Assignment[], problems: Problem[]): Merged {
  const merged: Merged = { settings: defaultSettings(), sources: {} };
  const [user = [], ...flags] = levels;
  for (const assignment of user) put(merged, assignment);
  for (const assignment of project) {
    if (assignment.row.project === "trusted") continue;
    if (assignment.row.kind.is === "rules" || isNarrower(merged.settings, assignment)) put(merged, assignment);
    else problems.push(tooWide(assignment));
  }
  for (const assignment of flags.flat()) put(merged, assignment);
  return merged;
}

function put({ settings, sources }: Merged, { path, value, source, row }: Assignment): void {
  let at = settings as unknown as Record<string, unknown>;
  for (const part of path.slice(0, -1)) {
    if (!Object.hasOwn(at, part)) at[part] = {};
    at = at[part] as Record<string, unknown>;
  }
  const last = path.at(-1);
  if (last === undefined) return;
  const key = keyText(path);
  if (row.kind.is === "rules" || row.kind.is === "hooks") {
    at[last] = [...(at[last] as Json[]), value];
    sources[key] = sources[key] === undefined ? source : `${sources[key]}, ${source}`;
    return;
  }
  at[last] = value;
  sources[key] = source;
}

/** A project may only tighten: a lower number, a narrower profile. */
function isNarrower(settings: Settings, { path, value }: Assignment): boolean {
  const now = valueAt(settings, path);
  if (now === undefined) return true;
  if (typeof now === "number" && typeof value === "number") return value <= now;
  const order: readonly unknown[] = profiles;
  return order.indexOf(value) >= order.indexOf(now);
}

function tooWide({ path, source, value }: Assignment): Problem {
  const key = keyText(path);
  const text = `${source}: ${key} ${JSON.stringify(value)} is wider than what the user has; a project can only narrow it.`;
  return { level: "project", source, block: path[0] ?? "", text };
}

/** The value of a key in merged settings, or undefined. */
export function valueAt(settings: Settings, path: readonly string[]): Json | undefined {
  let at: unknown = settings;
  for (const part of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, part)) return undefined;
    at = (at as Record<string, unknown>)[part];
  }
  return at as Json | undefined;
}

/** A project's permissions that cannot be read may hold a deny rule. */
function isGuarded(problems: readonly Problem[]): boolean {
  return problems.some(({ block, unreadable }) => block === "permissions" && unreadable);
}

function askOnly({ settings, sources }: Merged, problems: Problem[]): void {
  if (settings.permissions.mode === "ask") return;
  settings.permissions.mode = "ask";
  const source = problems.find(({ block }) => block === "permissions")?.source ?? "";
  sources["permissions.mode"] = `${source} (permissions that cannot be read)`;
}

// --- rules and modes -------------------------------------------------------------------------------------------------

/** What is no rule becomes a problem where it stands; the rules beside it still count. */
async function dropBadRules(levels: readonly Checked[], rules: LoadOptions["rules"]): Promise<void> {
  if (!rules || !levels.some(({ assignments }) => assignments.some(({ row }) => row.kind.is === "rules"))) return;
  const check = await rules();
  for (const level of levels) {
    level.assignments = level.assignments.filter((assignment) => {
      const [rule] = ruleOf(assignment);
      const wrong = rule && check(rule.list, rule.text);
      if (rule && typeof wrong === "string") level.problems.push(badRule(assignment, rule.text, wrong));
      return typeof wrong !== "string";
    });
  }
}

function badRule({ path, source, level }: Assignment, rule: string, wrong: string): Problem {
  const text = `${keyText(path)}: ${JSON.stringify(rule)} is no rule: ${wrong}.`;
  return { level, source, block: path[0] ?? "", text: source === "flags" ? text : `${source}: ${text}` };
}

function ruleOf({ row, value, source }: Assignment): WrittenRule[] {
  return row.kind.is === "rules" && typeof value === "string" ? [{ list: row.kind.list, text: value, source }] : [];
}

function hookOf({ row, value, source, level }: Assignment): WrittenHook[] {
  return row.kind.is === "hooks" ? [{ ...(value as unknown as Hook), level, source }] : [];
}

/** Older keys say the mode only where the newer ones say nothing, and the user is told. */
function takeLegacyMode({ settings, sources }: Merged, problems: Problem[]): void {
  const { permission_mode: named, yolo_mode: yolo } = settings;
  const isBroken = problems.some(({ block, level }) => legacy.includes(block) && level !== "project");
  if (isBroken || (named === undefined && yolo === undefined)) return;
  const key = named === undefined ? "yolo_mode" : "permission_mode";
  const source = sources[key] ?? "";
  const told = (text: string) =>
    problems.push({ level: "user", source, block: key, text: `${source}: ${text}`, notice: true });
  if (sources["permissions.mode"] !== undefined) {
    told(`${key} is an older name of permissions.mode, which is set; it has no effect.`);
    return;
  }
  const mode: Mode = named ?? (yolo ? "auto" : "ask");
  settings.permissions.mode = mode;
  sources["permissions.mode"] = source;
  told(`${key} is an older name; it counts as permissions.mode ${JSON.stringify(mode)}. Write that instead.`);
}
