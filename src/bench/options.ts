// Arguments of `cinch bench`, and the plan that follows from them: which runs, how often.

import { UserError } from "../core/errors.js";
import { figuresOf, type Series } from "./figure.js";

export interface BenchOptions {
  /** File for the JSON; true = standard output, instead of the table. */
  json: string | true | undefined;
  quick: boolean;
  only: string | undefined;
}

export interface Plan {
  /** Pairs of `--version`; 0 = none. */
  version: number;
  series: Series[];
  /** Tool turns of the run whose requests are kept for the figures about caching; 0 = none. */
  record: number;
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
};

/** Enough to see that everything works; its figures mean little. */
const quick: Plan = {
  version: 1,
  series: [
    { name: "1", turns: 1, pairs: 1 },
    { name: "6", turns: 6, pairs: 1 },
  ],
  record: 12,
};

const costNames = ["effective-explicit", "effective-automatic", "prefix-breaks"];
const usage = "Use `cinch bench [--json [<file>]] [--quick] [--only <figure>]`.";

export function parseOptions(args: readonly string[]): BenchOptions {
  const options: BenchOptions = { json: undefined, quick: false, only: undefined };
  for (let at = 0; at < args.length; at++) {
    const [flag = "", ...rest] = (args[at] ?? "").split("=");
    const inline = rest.length > 0 ? rest.join("=") : undefined;
    const next = args[at + 1];
    const value = inline ?? (next !== undefined && !next.startsWith("--") ? next : undefined);
    if (flag === "--quick" && inline === undefined) options.quick = true;
    else if (flag === "--json") options.json = value ?? true;
    else if (flag === "--only" && value !== undefined) options.only = value;
    else if (flag === "--only") throw new UserError("--only needs the name of a figure.", usage);
    else throw new UserError(`bench does not know ${args[at]}.`, usage);
    if (flag !== "--quick" && inline === undefined && value !== undefined) at++;
  }
  return options;
}

export function planOf({ quick: isQuick, only }: BenchOptions): Plan {
  const plan = isQuick ? quick : full;
  if (only === undefined) return plan;
  const names = ["version", ...plan.series.flatMap(namesOf), ...costNames];
  if (!names.includes(only)) throw new UserError(`There is no figure ${only}.`, `Figures: ${names.join(" ")}.`);
  return {
    version: only === "version" ? plan.version : 0,
    series: plan.series.filter((series) => namesOf(series).includes(only)),
    record: costNames.includes(only) ? plan.record : 0,
  };
}

function namesOf(series: Series): string[] {
  return figuresOf({ version: [], runs: [] }, [series]).map((figure) => figure.name);
}
