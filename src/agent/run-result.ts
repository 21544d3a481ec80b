// The result object of a run, from how it ended and what it has used (SPEC 2.1).
// Invariant: an answer is a success only when nobody was missing who could have allowed a call, and no budget was passed.

import { hitRate } from "../core/message.js";
import { exitOf, type Result, resultUsage } from "../core/result.js";
import { type Limits, reachedAtEnd } from "./budget.js";
import { endOf } from "./ending.js";
import type { LoopEnd } from "./loop.js";
import type { Tally } from "./tally.js";

export interface RunFacts extends Pick<Result, "tasks" | "undelivered"> {
  session: string;
  /** How long it took. */
  ms: number;
  tally: Tally;
  limits: Limits;
  /** The answer as a value, when one was asked for. */
  structured: Result["structured_output"];
}

export function resultOf(end: LoopEnd, facts: RunFacts): Result {
  const { tally, tasks, undelivered, structured } = facts;
  const { usage, cost } = tally.total;
  const { subtype, detail } = judged(end, facts);
  return {
    type: "result",
    subtype,
    is_error: subtype !== "success",
    result: end.text,
    session_id: facts.session,
    num_turns: tally.modelCalls,
    duration_ms: Math.round(facts.ms),
    total_cost_usd: cost,
    usage: resultUsage(usage),
    cache: { hit_rate: hitRate(tally.usage), breaks: tally.breaks },
    permission_denials: tally.denials,
    exit_code: exitOf[subtype],
    files: tally.files(),
    tasks,
    undelivered,
    coverage: tally.coverage,
    ...(detail === undefined ? {} : { detail }),
    ...(structured === undefined ? {} : { structured_output: structured }),
  };
}

function judged(end: LoopEnd, { tally, limits }: RunFacts): Pick<LoopEnd, "subtype" | "detail"> {
  if (end.subtype !== "success") return end;
  if (tally.unanswered !== null) {
    return {
      subtype: "error_denied",
      detail: `a call was denied because nobody could answer: ${tally.unanswered}`,
    };
  }
  const over = reachedAtEnd(tally.spent(), limits);
  return over ? endOf.budget(over) : end;
}
