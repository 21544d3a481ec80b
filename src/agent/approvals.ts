// Questions to the user that are still open. Each answer is bound to the id of its question.
// Invariants: a question ends exactly once: by an answer, or by the abort of the run; and only one is open at a time, so
// that an answer can only be meant for the one that is shown.

import type { CommandPart } from "../core/command.js";
import { Cancelled } from "../core/errors.js";
import type { View } from "../core/plan.js";

/** What is put to the user; the same for a callback, an event and a control line. */
export interface Approval {
  id: string;
  /** Whose call it is: the id of a task, or `main`. */
  agent: string;
  call: string;
  tool: string;
  summary: string;
  view: View;
  digest: string;
  /** Why it is asked, in one sentence. */
  reason: string;
  /** The parts of a command, each with what is known of it. */
  parts: readonly CommandPart[];
  /** The rule that `remember` would make of a yes; null = this has to be asked every time. */
  rule: string | null;
  /** It asks for words; these are offered. `feedback` of an allow is the answer. */
  answers?: readonly string[];
}

export interface Answer {
  decision: "allow" | "deny";
  feedback?: string;
  /** With `allow`: do not ask again in this project, as far as the question's `rule` goes. */
  remember?: boolean;
  /** `headless`: a front end says that nobody is left who could answer. Default `user`. */
  by?: "user" | "headless";
  /** Where the user has given it, when that is not where the session is held; it goes into the log. */
  via?: string;
}

interface Open {
  question: Approval;
  settle(answer: Answer): void;
}

export class Approvals {
  readonly #open = new Map<string, Open>();
  #turn: Promise<void> = Promise.resolve();

  /** Calls `ask` when no other question is open any more. */
  async inTurn<Result>(ask: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    const before = this.#turn;
    let end: () => void = () => {};
    this.#turn = new Promise((resolve) => {
      end = resolve;
    });
    try {
      await before;
      if (signal.aborted) throw new Cancelled();
      return await ask();
    } finally {
      end();
    }
  }

  /** What waits for an answer, oldest first. */
  get open(): readonly Approval[] {
    return [...this.#open.values()].map(({ question }) => question);
  }

  /** Resolves with the answer; rejects with Cancelled when the signal aborts first. */
  wait(question: Approval, signal: AbortSignal): Promise<Answer> {
    const { id } = question;
    return new Promise((resolve, reject) => {
      const cancel = () => {
        this.#open.delete(id);
        reject(new Cancelled());
      };
      if (signal.aborted) return cancel();
      signal.addEventListener("abort", cancel, { once: true });
      const settle = (answer: Answer) => {
        signal.removeEventListener("abort", cancel);
        this.#open.delete(id);
        resolve(answer);
      };
      this.#open.set(id, { question, settle });
      return undefined;
    });
  }

  /** False when no such question is open, and for what is neither a yes nor a no: a program may send anything. */
  answer(id: string, given: Answer | Answer["decision"]): boolean {
    const answer: Answer | null = typeof given === "string" ? { decision: given } : given;
    const open = this.#open.get(id);
    if (!open || (answer?.decision !== "allow" && answer?.decision !== "deny")) return false;
    open.settle(answer);
    return true;
  }
}
