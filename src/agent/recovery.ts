// What is done about a run that goes round in circles: reminders first, then the end (SPEC 1.18).
//
//   finding   reminders left   -> verdict
//   none                          on; a round that brought something new gives all reminders back
//   some      yes                 nudge: the model is told what repeats and how to change course
//   some      no                  stop: one summary, exit 5
//
// Invariant: no finding passes unused. At threshold 3 and three reminders a trivial loop has six rounds and one summary.

import { detect, type Finding, patience, type Shape } from "./detector.js";
import type { Round } from "./round.js";

export interface LoopRules {
  /** Equal rounds that count as a loop; at least 2, since one round repeats nothing. */
  threshold: number;
  /** Reminders before the run is ended. */
  recoveries: number;
}

export type LoopVerdict =
  | { kind: "on" }
  /** `n`: which reminder this is. */
  | { kind: "nudge"; n: number; finding: Finding; text: string }
  | Circle;

/** A run that has to end; `text` asks for its summary, `said` tells the user. */
export interface Circle {
  kind: "stop";
  finding: Finding;
  text: string;
  said: string;
}

export class Recovery {
  readonly #rules: LoopRules;
  #rounds: Round[] = [];
  readonly #known = new Set<string>();
  #used = 0;

  constructor({ threshold, recoveries }: LoopRules) {
    this.#rules = { threshold: Math.max(2, threshold), recoveries };
  }

  /** Reminders given since the last productive round. */
  get used(): number {
    return this.#used;
  }

  judge(round: Round): LoopVerdict {
    const { threshold, recoveries } = this.#rules;
    const news = this.#learn(round);
    this.#rounds = [...this.#rounds, round].slice(-Math.max(2 * threshold * patience, 5) - recoveries);
    const finding = detect(this.#rounds, threshold);
    if (!finding) {
      if (news) this.#used = 0;
      return { kind: "on" };
    }
    if (this.#used >= recoveries) {
      return { kind: "stop", finding, text: summaryPrompt(finding), said: said(finding) };
    }
    this.#used++;
    return { kind: "nudge", n: this.#used, finding, text: reminder(finding, recoveries - this.#used) };
  }

  /** True when a call succeeded with a result that this run has not seen in this state of the project. */
  #learn({ calls, revision }: Round): boolean {
    let news = false;
    for (const { tool, result, failed } of calls) {
      const known = `${tool} ${result} ${revision}`;
      if (!failed && !this.#known.has(known)) news = true;
      this.#known.add(known);
    }
    return news;
  }
}

const seen: Record<Shape, (count: number, tools: string) => string> = {
  same: (count, tools) => `You have made the same call ${count} times with the same result (${tools})`,
  cycle: (count, tools) => `Your last ${count} turns repeat a few calls in turn, with the same results (${tools})`,
  error: (count, tools) => `Your last ${count} turns ended in the same error (${tools})`,
  failing: (count, tools) => `${tools} has failed in ${count} turns in a row`,
  "no-bytes": (count, tools) => `For ${count} turns you have tried to change files and none has changed (${tools})`,
  "no-news": (count, tools) => `Your last ${count} turns asked for different things and got the same (${tools})`,
};

function said({ shape, count, tools }: Finding): string {
  return seen[shape](count, tools.join(", "));
}

function reminder(finding: Finding, left: number): string {
  const end = left === 0 ? "If the next turn is of the same kind, this run ends." : "";
  return [
    `${said(finding)}, and the project is where it was. More of the same will not help. Change course:`,
    "1. Find out why it goes this way: read the error or the result again, and check what it assumes.",
    "2. Do it by another way: another tool, other arguments, a smaller step.",
    "3. If it cannot be done, say so, with what you tried and what is missing.",
    ...(end ? [end] : []),
  ].join("\n");
}

function summaryPrompt(finding: Finding): string {
  return `${said(finding)}, after several reminders. This run ends now; no more calls are run. Write a short summary for the user: what is done, what is not, what you tried, and what would help.`;
}
