// How a run that did not end in an answer is named: subtype and one sentence (SPEC 2.1). Pure.

import type { ModelFailure } from "../core/model.js";
import type { BudgetNotice } from "./budget.js";
import type { LoopEnd } from "./loop.js";

/** Why the run's signal was aborted. */
export type Ending = { type: "cancelled" } | { type: "budget"; notice: BudgetNotice };

const units = {
  turns: "turns",
  calls: "tool calls",
  tokens: "tokens",
  cost: "US dollars",
  time: "seconds",
  output: "output tokens",
} as const;

function budget(notice: BudgetNotice): LoopEnd {
  const { what, limit } = notice;
  const detail = `the budget of ${limit} ${units[what]} was reached; continue the session with a larger one`;
  return { subtype: what === "turns" ? "error_max_turns" : "error_budget", text: "", detail };
}

/** What the model reads when a budget is nearly used up, so that it can end by itself. */
export function nearlySpent({ what, used, limit }: BudgetNotice): string {
  const spent = what === "cost" ? used.toFixed(4) : Math.round(used);
  return `${spent} of the ${limit} ${units[what]} of this run are used; it ends when they are gone. Do what matters most, then answer and say what is left to do.`;
}

function abort(ending: Ending): LoopEnd {
  if (ending.type === "budget") return budget(ending.notice);
  return { subtype: "error_cancelled", text: "", detail: "the run was cancelled" };
}

function failure(failed: ModelFailure, ending: Ending): LoopEnd {
  const text = failed.partial?.parts.map((part) => (part.type === "text" ? part.text : "")).join("") ?? "";
  switch (failed.kind) {
    case "cancelled":
      return { ...abort(ending), text };
    case "auth":
      return { subtype: "error_auth", text, detail: failed.text };
    case "rate":
    case "network":
      return {
        subtype: "error_provider",
        // What had arrived was declared void when its attempt was given up.
        text: "",
        detail: `${failed.text.replace(/\.$/, "")}; the same command may be run again`,
      };
    case "overflow":
    case "refusal":
    case "request":
      return { subtype: "error_during_execution", text, detail: failed.text };
  }
}

function halt(reason: string): LoopEnd {
  return { subtype: "error_during_execution", text: "", detail: `a hook ended the run: ${reason}` };
}

export const endOf = { budget, abort, failure, halt };
