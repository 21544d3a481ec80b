// Arguments of `cinch bench`, and the plan that follows from them: which runs, how often.

import { UserError } from "../core/errors.js";
import { figuresOf, type Series } from "./figure.js";
import type { TaskLoad } from "./tasks.js";
import type { TerminalLoad } from "./terminal.js";

export interface BenchOptions {
  /** File for the JSON; true = standard output, instead of the table. */
  json: string | true | undefined;
  quick: boolean;
  only: string | undefined;
  /** How the floor sends its requests. */
  floor: Floor;
}

/** `http` is the faster one and the one that counts; `fetch` is what many programs use. */
export type Floor = "http" | "fetch";

export interface Plan {
  /** Pairs of `--version`; 0 = none. */
  version: number;
  series: Series[];
  /** Tool turns of the run whose requests are kept for the figures about caching; 0 = none. */
  record: number;
  /** The session that is gone on with, and how often; null = none. */
  resume: { turns: number; pairs: number } | null;
  /** Whether the refusals are played. */
  refusals: boolean;
  /** Whether the corpus of loops is played. */
  loops: boolean;
  /** The TypeScript project in which a language server is asked, and how often; null = not at all. */
  definition: { files: number; pairs: number } | null;
  /** Turns of the run that never ends; 0 = none. */
  forever: number;
  /** Tasks to list and commands to start; null = none. */
  tasks: TaskLoad | null;
  /** Agents that do nothing; 0 = none. */
  agents: number;
  /** What is shown in a terminal; null = none. */
  terminal: TerminalLoad | null;
}

const full: Plan = {
  version: 15,
  series: [
    { name: "1", turns: 1, pairs: 15 },
    { name: "50", turns: 50, pairs: 7 },
    { name: "300", turns: 300, pairs: 5 },
    { name: "1000", turns: 1000, pairs: 3 },
  ],
  record: 300,
  // 5,000 entries.
  resume: { turns: 1250, pairs: 15 },
  refusals: true,
  loops: true,
  definition: { files: 200, pairs: 15 },
  forever: 500,
  tasks: { records: 10_000, lists: 9, commands: 100, bytes: 1_000_000 },
  agents: 1_000,
  terminal: { pairs: 9, finished: 40, pieces: 600, files: 50_000 },
};

/** Enough to see that everything works; its figures mean little. */
const quick: Plan = {
  version: 1,
  series: [
    { name: "1", turns: 1, pairs: 1 },
    { name: "6", turns: 6, pairs: 1 },
  ],
  record: 12,
  resume: { turns: 6, pairs: 1 },
  refusals: true,
  loops: true,
  definition: { files: 20, pairs: 1 },
  forever: 12,
  tasks: { records: 20, lists: 1, commands: 2, bytes: 10_000 },
  agents: 12,
  terminal: { pairs: 1, finished: 2, pieces: 20, files: 500 },
};

const costNames = ["effective-explicit", "effective-automatic", "prefix-breaks"];
const definitionNames = ["lsp-definition", "lsp-overhead"];
const loopNames = ["loops-missed", "loops-wrong", "loop-requests"];
const foreverNames = ["forever-memory", "forever-lag"];
const taskNames = ["tasks-list", "tasks-shell", "tasks-memory"];
const agentNames = ["tasks-agents", "tasks-agents-cpu", "tasks-agents-memory", "tasks-agents-peak"];
const terminalNames = [
  ...["terminal-ready", "terminal-written", "terminal-cleared", "terminal-cpu"],
  ...["terminal-echo", "terminal-files"],
];
export const usage = "Use `cinch bench [--json [<file>]] [--quick] [--only <figure>] [--floor http|fetch]`.";

export function parseOptions(args: readonly string[]): BenchOptions {
  const options: BenchOptions = { json: undefined, quick: false, only: undefined, floor: "http" };
  const words = [...args];
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    const [flag = "", inline] = split(word);
    if (flag === "--quick" && inline === undefined) {
      options.quick = true;
      continue;
    }
    const value = inline ?? (words[0]?.startsWith("--") ? undefined : words.shift());
    if (flag === "--json") options.json = value ?? true;
    else if (flag === "--only" && value !== undefined) options.only = value;
    else if (flag === "--floor" && (value === "http" || value === "fetch")) options.floor = value;
    else throw new UserError(complaint(word, flag, value), usage);
  }
  return options;
}

function split(word: string): [flag: string, value?: string] {
  const at = word.startsWith("--") ? word.indexOf("=") : -1;
  return at < 0 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}

function complaint(word: string, flag: string, value: string | undefined): string {
  if (flag === "--only") return "--only needs the name of a figure.";
  if (flag === "--floor") return `--floor is http or fetch, not ${value ?? "nothing"}.`;
  return `bench does not know ${word}.`;
}

export function planOf({ quick: isQuick, only }: BenchOptions): Plan {
  const plan = isQuick ? quick : full;
  if (only === undefined) return plan;
  const alone = [
    "refusal-turns",
    ...loopNames,
    ...definitionNames,
    ...foreverNames,
    ...taskNames,
    ...agentNames,
    ...terminalNames,
  ];
  const names = ["version", ...plan.series.flatMap(namesOf), "resume", ...costNames, ...alone];
  if (!names.includes(only)) throw new UserError(`There is no figure ${only}.`, `Figures: ${names.join(" ")}.`);
  return {
    version: only === "version" ? plan.version : 0,
    series: plan.series.filter((series) => namesOf(series).includes(only)),
    record: costNames.includes(only) ? plan.record : 0,
    resume: only === "resume" ? plan.resume : null,
    refusals: only === "refusal-turns",
    loops: loopNames.includes(only),
    definition: definitionNames.includes(only) ? plan.definition : null,
    forever: foreverNames.includes(only) ? plan.forever : 0,
    tasks: taskNames.includes(only) ? plan.tasks : null,
    agents: agentNames.includes(only) ? plan.agents : 0,
    terminal: terminalNames.includes(only) ? plan.terminal : null,
  };
}

function namesOf(series: Series): string[] {
  return figuresOf({ version: [], runs: [] }, [series]).map((figure) => figure.name);
}
