// What an allow rule would have done in the past sessions of a project: each call is judged again, in the mode `ask`, with
// the rule and without it.
// Invariants: reads only and runs nothing; commands are analysed as they stand in the log and as the project is now, so the
// answer is about rules, not about history. Calls that the rule says nothing about are not mentioned.

import type { Entry } from "../../core/entry.js";
import { UserError } from "../../core/errors.js";
import type { JsonObject } from "../../core/json.js";
import { callsOf } from "../../core/message.js";
import { pathsOf } from "../../core/plan.js";
import type { ToolDescriptor } from "../../core/tool.js";
import { isObject } from "../../lib/json.js";
import { resolvePath, shownPath } from "../../lib/paths.js";
import { type Act, decide, type Facts } from "../../permission/decide.js";
import { type Rule, readRule } from "../../permission/rules.js";
import { sandboxProgram } from "../../sandbox/program.js";
import { listSessions, projectKey, sessionDir } from "../../session/store.js";
import { builtinTools } from "../../tools/index.gen.js";
import { readLog } from "../sessions/family.js";
import { answered } from "../shell/answering.js";
import { createCommands } from "../shell/commands.js";
import type { UndoPlace } from "../undo/undo.js";
import { basesOf } from "./judge.js";

/** What became of a call, riskiest first: the user said no, nobody answered, the mode or a rule let it run, the user said yes. */
const fates = ["denied", "unanswered", "unasked", "approved"] as const;
export type Fate = (typeof fates)[number];

export interface Tried {
  tool: string;
  /** The command, or the path. */
  what: string;
  fate: Fate;
  count: number;
}

export interface Trial {
  sessions: number;
  /** Questions that nobody would have been asked. */
  saved: number;
  /** Calls it would have let through, riskiest first. */
  calls: Tried[];
}

export async function tryRule(at: UndoPlace, text: string): Promise<Trial> {
  const tools = builtinTools.map(({ descriptor }) => descriptor);
  const rule = parsed(at, text, tools);
  const { analyse } = createCommands({ ...at, env: process.env });
  const tried = new Map<string, Tried>();
  let sessions = 0;
  for (const { file, problem } of listSessions(at.disk, sessionDir(at.state, projectKey(at.root)))) {
    if (problem !== null) continue;
    sessions++;
    const entries = readLog(at, file).entries;
    for (const { id, tool, input } of callsIn(entries)) {
      const descriptor = tools.find(({ name }) => name === tool);
      const act = descriptor && (await actOf(at, descriptor, input, analyse));
      if (!act || !isLet(act, rule, at)) continue;
      const what = act.command?.command ?? act.paths.map((path) => shownPath(at.root, path)).join(", ");
      const fate = fateOf(entries, id);
      const key = `${fate} ${tool} ${what}`;
      const known = tried.get(key) ?? { tool, what, fate, count: 0 };
      tried.set(key, { ...known, count: known.count + 1 });
    }
  }
  const calls = [...tried.values()].sort((a, b) => fates.indexOf(a.fate) - fates.indexOf(b.fate) || b.count - a.count);
  const saved = calls.reduce((sum, { fate, count }) => (fate === "unasked" ? sum : sum + count), 0);
  return { sessions, saved, calls };
}

function parsed(at: UndoPlace, text: string, tools: readonly ToolDescriptor[]): Rule {
  try {
    return readRule({ list: "allow", text, source: "try" }, tools, basesOf(at.root, at.disk));
  } catch (error) {
    throw new UserError(
      `${JSON.stringify(text)} is no rule: ${(error as Error).message}.`,
      "See docs/permission.md, Rules.",
    );
  }
}

function isLet(act: Act, rule: Rule, { root, disk }: Pick<UndoPlace, "root" | "disk">): boolean {
  const sandboxed = sandboxProgram(disk, process.platform) !== null;
  const facts: Facts = { bases: [root], readable: [], own: [], sandboxed, undoable: false };
  const verdict = (rules: Rule[]) =>
    decide(act, { mode: "ask", profile: "full", rules, protections: [] }, facts).verdict;
  return verdict([]) === "ask" && verdict([rule]) === "allow";
}

async function actOf(
  { disk, root }: UndoPlace,
  tool: ToolDescriptor,
  { command, path }: JsonObject,
  analyse: ReturnType<typeof createCommands>["analyse"],
): Promise<Act | undefined> {
  if (tool.verb === "run") {
    if (typeof command !== "string") return undefined;
    const known = await analyse(command, root);
    return { tool, effect: known.verdict === "readonly" ? "read" : "exec", paths: [], command: answered(known) };
  }
  const [effect] = tool.effects;
  if (effect === undefined || typeof path !== "string" || path.includes("\0")) return undefined;
  return { tool, effect, ...pathsOf([resolvePath(disk, root, path)]) };
}

/** What was asked for, behind a door as well. */
function callsIn(entries: readonly Entry[]): { id: string; tool: string; input: JsonObject }[] {
  return entries.flatMap((entry) => {
    if (entry.type !== "message") return [];
    return callsOf(entry.data).map(({ id, tool, input }) => {
      const { name, input: inner } = input;
      return typeof name === "string" && isObject(inner) ? { id, tool: name, input: inner } : { id, tool, input };
    });
  });
}

function fateOf(entries: readonly Entry[], call: string): Fate {
  const found = entries.findLast((entry) => entry.type === "approval" && entry.data.call === call);
  if (found?.type !== "approval") return "unasked";
  const { by, decision } = found.data;
  if (by === "headless") return "unanswered";
  if (by !== "user") return "unasked";
  return decision === "deny" ? "denied" : "approved";
}
