// A figure of the benchmark: what was measured for Cinch and for the floor, their ratio, and what it must reach.
// Invariant: a ratio is the median of the ratios of pairs that ran one after the other on the same machine, never a ratio
// of medians, so that a slow minute of the machine hits both sides of a pair. Pure: samples in, figures out.

import type { AgentCost } from "./agents.js";
import type { CacheCost } from "./cache-cost.js";
import type { DefinitionPair } from "./definition.js";
import type { Forever } from "./forever.js";
import type { LoopTrial } from "./loops/index.js";
import { alone, type Figure, figureOf, type Label, median, type Pair } from "./measured.js";

export { type Figure, figureOf, median } from "./measured.js";

import type { TaskCosts } from "./tasks.js";

import type { TerminalCosts } from "./terminal.js";
import { terminalFigures } from "./terminal-figures.js";

export type Program = "cinch" | "floor";

/** What the stopwatch measured in one run. Times in ms, memory in KB. */
export interface Run {
  series: string;
  program: Program;
  pair: number;
  turns: number;
  first: number;
  gaps: number[];
  cpu: number | null;
  rss: number | null;
  firstBytes: number;
  lastBytes: number;
}

export interface Samples {
  version: { cinch: number; floor: number }[];
  runs: Run[];
  /** CPU to the first request of a session that goes on; the floor is a new session and the parsing of the log. */
  resume?: Pair[];
  cost?: Record<Program, CacheCost>;
  /** Extra turns of each kind of refusal. */
  refusals?: number[];
  loops?: LoopTrial[];
  /** The first answer of a language server. */
  definitions?: DefinitionPair[];
  forever?: Pick<Forever, "turns" | "growth" | "lag">;
  tasks?: TaskCosts;
  agents?: AgentCost;
  /** Null: there is no terminal to be had here. */
  terminal?: TerminalCosts | null;
}

export interface Series {
  /** Name of the series: its number of turns. */
  name: string;
  turns: number;
  pairs: number;
}

/** Every figure that the samples allow, in the order of the table. */
export function figuresOf(samples: Samples, series: readonly Series[]): Figure[] {
  const of = (name: string, value: (run: Run) => number | null) => pairsOf(samples.runs, name, value);
  const figures: Figure[] = [];
  if (samples.version.length > 0) {
    const label: Label = { name: "version", title: "--version, against node -e 0", unit: "ms", target: 1.3 };
    figures.push(figureOf(label, samples.version));
  }
  for (const { name, turns } of series) {
    if (turns === 1) figures.push(...oneTurn((value) => of(name, value)));
    else figures.push(...manyTurns(turns, (value) => of(name, value)));
  }
  return [
    ...figures,
    ...resumes(samples.resume ?? []),
    ...costs(samples.cost),
    ...refusals(samples.refusals),
    ...loops(samples.loops),
    ...definitions(samples.definitions),
    ...forever(samples.forever),
    ...tasks(samples.tasks),
    ...agents(samples.agents),
    ...(samples.terminal === undefined ? [] : terminalFigures(samples.terminal)),
  ];
}

type Take = (value: (run: Run) => number | null) => Pair[];

function oneTurn(take: Take): Figure[] {
  const tokens: Label = {
    name: "first-tokens",
    title: "first request, tokens",
    unit: "tokens",
    target: 1400,
    of: "cinch",
  };
  return [
    figureOf(
      { name: "first-request", title: "launch to first request", unit: "ms", target: 2.5 },
      take((run) => run.first),
    ),
    figureOf(
      { name: "memory-1", title: "peak memory, 1 turn", unit: "MB", target: 1.4 },
      take((run) => megabytes(run.rss)),
    ),
    figureOf(
      tokens,
      take((run) => run.firstBytes / 4),
    ),
  ];
}

function manyTurns(turns: number, take: Take): Figure[] {
  const figures = [
    figureOf(
      {
        name: `wall-${turns}`,
        title: `wall per tool turn, ${turns} turns`,
        unit: "ms",
        target: turns === 300 ? 2 : null,
      },
      take((run) => sum(run.gaps) / run.turns),
    ),
    figureOf(
      { name: `cpu-${turns}`, title: `CPU per tool turn, ${turns} turns`, unit: "ms" },
      take((run) => (run.cpu === null ? null : run.cpu / run.turns)),
    ),
  ];
  if (turns === 300) {
    const label: Label = { name: "memory-300", title: "peak memory, 300 turns", unit: "MB", target: 1.5 };
    figures.push(
      figureOf(
        label,
        take((run) => megabytes(run.rss)),
      ),
    );
  }
  if (turns >= 300) {
    const many = Math.min(100, turns);
    const label: Label = {
      name: `growth-${turns}`,
      title: `last ${many} turns of ${turns}, against the first`,
      unit: "times",
    };
    const target = turns === 1000 ? 2.5 : null;
    figures.push(
      figureOf(
        { ...label, target, of: "cinch" },
        take((run) => sum(run.gaps.slice(-many)) / sum(run.gaps.slice(0, many))),
      ),
    );
  }
  return figures;
}

function resumes(pairs: readonly Pair[]): Figure[] {
  if (pairs.length === 0) return [];
  const title = "CPU to the first request, long session";
  return [figureOf({ name: "resume", title, unit: "ms", target: 1.5 }, pairs)];
}

function costs(cost: Samples["cost"]): Figure[] {
  if (!cost) return [];
  const turns = cost.cinch.requests - 1;
  const pair = (value: (cost: CacheCost) => number) => [{ cinch: value(cost.cinch), floor: value(cost.floor) }];
  // In a short run the first request, paid in full, outweighs the rest.
  const target = turns >= 300 ? 1.12 : null;
  const title = `effective input tokens, ${turns} turns`;
  return [
    figureOf(
      { name: "effective-explicit", title: `${title}, explicit caching`, unit: "tokens", target },
      pair((each) => each.explicit),
    ),
    figureOf(
      { name: "effective-automatic", title: `${title}, automatic caching`, unit: "tokens", target },
      pair((each) => each.automatic),
    ),
    figureOf(
      { name: "prefix-breaks", title: `prefix breaks, ${turns} turns`, unit: "count", target: 0, of: "cinch" },
      pair((each) => each.breaks),
    ),
  ];
}

/** The floor refuses nothing, so there is no pair; the mean, because every kind counts. */
function refusals(extra: Samples["refusals"]): Figure[] {
  if (!extra) return [];
  const label: Label = { name: "refusal-turns", title: "extra turns per refusal", unit: "turns" };
  return [alone(label, 1, sum(extra) / extra.length)];
}

/** Whole counts over the corpus of loops/, without a floor: the floor would go on for ever. */
function loops(trials: Samples["loops"]): Figure[] {
  if (!trials) return [];
  const count = (name: string, title: string, target: number, value: number): Figure =>
    alone({ name, title, unit: "count" }, target, value);
  const all = trials.filter((trial) => trial.looping);
  const missed = all.filter(({ stopped }) => !stopped);
  const wrong = trials.filter(({ looping, stopped }) => stopped && !looping);
  const trivial = Math.max(...all.filter(({ name }) => name.startsWith("same-")).map(({ calls }) => calls));
  return [
    count("loops-missed", `loops not ended, of ${all.length}`, 0, missed.length),
    count("loops-wrong", `other work ended as a loop, of ${trials.length - all.length}`, 0, wrong.length),
    count("loop-requests", "requests of a trivial loop, at most", 8, trivial),
  ];
}

/** Beside a bare client of the same server: the ratio, and what Cinch takes on top. */
function definitions(pairs: Samples["definitions"]): Figure[] {
  if (!pairs) return [];
  const title = "first definition by a language server";
  const overhead = median(pairs.map(({ cinch, floor }) => cinch - floor)) ?? 0;
  return [
    figureOf({ name: "lsp-definition", title, unit: "ms", target: 1.2 }, pairs),
    alone({ name: "lsp-overhead", title: "the same, over a bare client", unit: "ms" }, 50, overhead),
  ];
}

/** A floor that keeps nothing has nothing to grow by. In a short run the program has not finished loading itself. */
function forever(run: Samples["forever"]): Figure[] {
  if (!run) return [];
  const title = (what: string) => `${what}, ${run.turns} turns of 1 MB`;
  return [
    alone({ name: "forever-memory", title: title("heap a turn leaves"), unit: "KB" }, 4, run.growth),
    alone({ name: "forever-lag", title: title("event loop late, p99"), unit: "ms" }, 50, run.lag.p99),
  ];
}

/** The floor has no tasks. The target is half of what a hundred print: what is kept of it is the end of each log. */
function tasks(costs: TaskCosts | undefined): Figure[] {
  if (!costs) return [];
  const { records, list, commands, lost, memory } = costs;
  const title = (what: string) => `${what}, ${commands} commands at once`;
  return [
    alone(
      { name: "tasks-list", title: `list of ${records.toLocaleString("en-GB")} tasks`, unit: "ms" },
      100,
      median(list) ?? 0,
    ),
    alone({ name: "tasks-shell", title: title("bytes of output lost"), unit: "count" }, 0, lost),
    alone({ name: "tasks-memory", title: title("memory over idle"), unit: "MB" }, 50, memory),
  ];
}

/** Wall is what the goal is about; CPU beside it says how much of that is waiting for a disk. */
function agents(cost: AgentCost | undefined): Figure[] {
  if (!cost) return [];
  const title = (what: string) => `${what}, ${cost.tasks.toLocaleString("en-GB")} agents that do nothing`;
  const cpu: Label = { name: "tasks-agents-cpu", title: title("CPU a task"), unit: "ms" };
  return [
    alone({ name: "tasks-agents", title: title("wall a task"), unit: "ms" }, 5, cost.wall),
    { ...figureOf(cpu, []), cinch: cost.cpu },
    alone({ name: "tasks-agents-memory", title: title("memory"), unit: "MB" }, 250, cost.memory),
    alone({ name: "tasks-agents-peak", title: title("running at once"), unit: "count" }, cost.parallel, cost.peak),
  ];
}

function pairsOf(runs: readonly Run[], series: string, value: (run: Run) => number | null): Pair[] {
  const mine = runs.filter((run) => run.series === series);
  const side = (program: Program, pair: number) => {
    const run = mine.find((each) => each.program === program && each.pair === pair);
    return run ? value(run) : null;
  };
  return [...new Set(mine.map((run) => run.pair))].map((pair) => ({
    cinch: side("cinch", pair),
    floor: side("floor", pair),
  }));
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const megabytes = (kilobytes: number | null) => (kilobytes === null ? null : kilobytes / 1024);
