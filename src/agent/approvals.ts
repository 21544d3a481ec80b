// Questions to the user that are still open. Each answer is bound to the id of its question.
// Invariant: a question ends exactly once: by an answer, or by the abort of the run.

import { Cancelled } from "../core/errors.js";
import type { View } from "../core/plan.js";

/** What is put to the user; the same for a callback, an event and a control line. */
export interface Approval {
  id: string;
  call: string;
  tool: string;
  summary: string;
  view: View;
  digest: string;
}

export interface Answer {
  decision: "allow" | "deny";
  feedback?: string;
  /** `headless`: a front end says that nobody is left who could answer. Default `user`. */
  by?: "user" | "headless";
}

export class Approvals {
  readonly #open = new Map<string, (answer: Answer) => void>();

  /** Resolves with the answer; rejects with Cancelled when the signal aborts first. */
  wait(id: string, signal: AbortSignal): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const cancel = () => {
        this.#open.delete(id);
        reject(new Cancelled());
      };
      if (signal.aborted) return cancel();
      signal.addEventListener("abort", cancel, { once: true });
      this.#open.set(id, (answer) => {
        signal.removeEventListener("abort", cancel);
        this.#open.delete(id);
        resolve(answer);
      });
      return undefined;
    });
  }

  /** False when no such question is open. */
  answer(id: string, answer: Answer): boolean {
    const settle = this.#open.get(id);
    settle?.(answer);
    return settle !== undefined;
  }
}
