// Questions to the user that are still open. Each answer is bound to the id of its question.
// Invariant: a question ends exactly once: by an answer, or by the abort of the run.

import { Cancelled } from "../core/errors.js";

export interface ApprovalAnswer {
  decision: "allow" | "deny";
  feedback?: string;
  /** `headless`: nobody is left who could answer. Default: the user has answered. */
  by?: "user" | "headless";
}

export class Approvals {
  readonly #open = new Map<string, (answer: ApprovalAnswer) => void>();

  /** Resolves with the answer; rejects with Cancelled when the signal aborts first. */
  wait(id: string, signal: AbortSignal): Promise<ApprovalAnswer> {
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
  answer(id: string, answer: ApprovalAnswer): boolean {
    const settle = this.#open.get(id);
    settle?.(answer);
    return settle !== undefined;
  }
}
