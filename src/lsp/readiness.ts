// When a server knows its project, so that its answers can be believed. Told by the protocol, for every server alike: no
// work is under way, it has said what is wrong with the document (it cannot before the document's project is loaded), and it
// gives the same answer twice.
// Invariant: bounded. A server that never finishes, or never says anything, is asked all the same, and the answer says so.

import { RunningTimer } from "../lib/running-timer.js";
import { ServerRefusal } from "./connection.js";
import type { LanguageServer } from "./server.js";

/** For one question: work that goes on longer is told of instead. */
const readyMs = 20_000;
/** For a first word about a document. Longer only if something speaks against the answer: some servers never say one. */
const wordMs = 6_000;
/** Between a question and the same one again, until two answers agree. */
const pausesMs = [50, 150, 450, 900, 900];

export interface Question<Answer> {
  /** A document that the question is about, or one of the project. */
  path: string;
  ask(): Promise<Answer>;
  /** Something else speaks against this answer: it then has to come three times. */
  doubts?(answer: Answer): Promise<boolean>;
}

export interface Settled<Answer> {
  answer: Answer;
  /** The server was still at work when it gave this answer. */
  isEarly: boolean;
}

export class Readiness {
  readonly #server: LanguageServer;
  /** Documents that it has said something about. */
  readonly #heard = new Set<string>();
  /** It has given an answer that held. */
  #isProven = false;
  /** It never says what is wrong with a document. */
  #isMute = false;

  constructor(server: LanguageServer) {
    this.#server = server;
  }

  async settled<Answer>(question: Question<Answer>, signal: AbortSignal): Promise<Settled<Answer>> {
    const { path, ask, doubts = async () => false } = question;
    const until = performance.now() + readyMs;
    const left = () => Math.max(until - performance.now(), 0);
    const rest = () => this.#server.atRest(left(), signal);
    this.#server.open(path);
    await rest();
    await this.#hear(path, Math.min(wordMs, left()), signal);
    await rest();
    let answer = await ask();
    let agreed = 0;
    for (const ms of pausesMs) {
      if (this.#isProven && !this.#server.isBusy) break;
      await pause(ms, signal);
      await rest();
      const again = await ask();
      agreed = JSON.stringify(again) === JSON.stringify(answer) ? agreed + 1 : 0;
      answer = again;
      if (agreed === 0) continue;
      if (agreed > 1 || !(await doubts(answer))) break;
      await this.#hear(path, left(), signal);
    }
    const isEarly = this.#server.isBusy;
    this.#isProven ||= !isEarly && agreed > 0;
    return { answer, isEarly };
  }

  /** Waits for what is wrong with the document, where that says something new. */
  async #hear(path: string, ms: number, signal: AbortSignal): Promise<void> {
    const { problems } = this.#server;
    if (this.#heard.has(path) || (!problems.areAsked && (this.#isProven || (this.#isMute && !problems.areTold))))
      return;
    const found = await problems.of(this.#server.open(path), ms, signal).catch((error: unknown) => {
      // A no is a word as well; what became of a server that is gone, the question itself tells.
      if (error instanceof ServerRefusal) return [];
      throw error;
    });
    if (found !== null) this.#heard.add(path);
    else this.#isMute = !problems.areTold && ms > wordMs;
  }
}

/** Ends early when the signal says so; the next question then fails with it. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      timer.end();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = new RunningTimer(ms, end);
    signal.addEventListener("abort", end, { once: true });
  });
}
