// Budgets of a run: pure comparison of what was spent with what may be. Reaching one ends the run with exit 6.
// Invariant: checked before each model request and before each call, so a limit is overshot by at most one of them.

/** Absent = no limit. Money in US dollars, time in seconds, tokens counted as sent, read from cache and received. */
export interface Limits {
  turns?: number;
  calls?: number;
  tokens?: number;
  cost?: number;
  time?: number;
  /** Tokens received. */
  output?: number;
}

export interface Spent {
  turns: number;
  calls: number;
  tokens: number;
  /** null = unknown price. */
  cost: number | null;
  time: number;
  output: number;
}

export interface BudgetNotice {
  what: keyof Limits;
  used: number;
  limit: number;
}

const kinds = ["turns", "calls", "tokens", "cost", "time", "output"] as const;

/** Before a model request: any limit but the one on calls, which an answer in prose does not need. */
export function reachedByTurn(spent: Spent, limits: Limits): BudgetNotice | null {
  return first(["turns", "tokens", "cost", "time", "output"], spent, limits);
}

/** After the answer: what the last reply cost counts as well. Turns and calls are whole, so using all of them is no excess. */
export function reachedAtEnd(spent: Spent, limits: Limits): BudgetNotice | null {
  return first(["tokens", "cost", "time", "output"], spent, limits);
}

/** Before a call. */
export function reachedByCall(spent: Spent, limits: Limits): BudgetNotice | null {
  return first(["calls", "cost", "time"], spent, limits);
}

/** Limits at or beyond 80 %, in a fixed order. */
export function nearing(spent: Spent, limits: Limits): BudgetNotice[] {
  return kinds.flatMap((what) => {
    const notice = at(what, spent, limits, 0.8);
    return notice ? [notice] : [];
  });
}

function first(candidates: readonly (keyof Limits)[], spent: Spent, limits: Limits): BudgetNotice | null {
  for (const what of candidates) {
    const notice = at(what, spent, limits, 1);
    if (notice) return notice;
  }
  return null;
}

function at(what: keyof Limits, spent: Spent, limits: Limits, share: number): BudgetNotice | null {
  const limit = limits[what];
  const used = spent[what];
  if (limit === undefined || used === null || used < limit * share) return null;
  return { what, used, limit };
}
