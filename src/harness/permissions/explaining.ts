// What would become of a shell command here: the analysis, and over it the rules that stand and the mode.
// Invariant: reads only; nothing is run, no sandbox is tried out: where its program is, it counts as working.

import type { CommandAnalysis, CommandPart } from "../../core/command.js";
import type { Mode, Profile } from "../../core/policy.js";
import type { Decision } from "../../permission/decide.js";
import { sandboxProgram } from "../../sandbox/program.js";
import { builtinTools } from "../../tools/index.gen.js";
import type { ReadingPlace } from "../api/index.js";
import { loadJudge } from "../lazy.js";
import { answered } from "../shell/answering.js";
import { createCommands } from "../shell/commands.js";
import type { RulesPlace } from "./standing-rules.js";

export interface ExplainPlace extends RulesPlace {
  cwd: string;
  config: string;
  mode: Mode;
  profile: Profile;
  sandbox: "auto" | "off";
  addDirs: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
}

export interface Explained {
  analysis: CommandAnalysis;
  /** With the rule of the user that decides about it, where there is one. */
  parts: (CommandPart & { decision?: "allow" | "ask" | "deny" })[];
  /** In this mode, at the beginning of a session. */
  decision: Decision;
  where?: ReadingPlace;
}

export async function explain(at: ExplainPlace, command: string): Promise<Explained> {
  const { disk } = at;
  const tools = builtinTools.map(({ descriptor }) => descriptor);
  const tool = tools.find(({ verb }) => verb === "run");
  if (!tool) throw new Error("no tool runs commands");
  const { Judge } = await loadJudge();
  const own = [at.config, at.state];
  const mode = () => at.mode;
  const judge = new Judge({ ...at, mode, tools, readable: [], own, now: Date.now });
  const conceals = (path: string) => judge.conceals(path);
  const analysis = answered(await createCommands({ ...at, conceals }).analyse(command, at.cwd));
  const sandboxed = at.sandbox === "auto" && sandboxProgram(disk, process.platform) !== null;
  const { decision, rules } = judge.explain(analysis, tool, { sandboxed, undoable: true });
  const parts = analysis.parts.map((part, i) => {
    const rule = rules[i];
    if (!rule || rule.list === "protect") return part;
    const { list, text, source } = rule;
    return { ...part, decision: list, rule: `${list} ${text}`, source };
  });
  const where = sandboxed ? "sandbox" : analysis.answered ? "cinch" : "shell";
  return { analysis, parts, decision, ...(analysis.verdict === "readonly" ? { where } : {}) };
}
