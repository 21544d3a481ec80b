// One request, sent until an answer has come: what is worth retrying is retried, with the same bytes.
// Invariant: ends in one answer or one failure, after at most `maxAttempts` requests and as soon as the run is cancelled.
// Not here: what becomes of the answer, and who is told of what; the caller listens.

import type { ModelEvent, ModelFailure, ModelRequest } from "../core/model.js";
import type { Run } from "./run.js";

export type Answered = Extract<ModelEvent, { type: "done" }>;
export type Delta = Exclude<ModelEvent, Answered | ModelFailure>;

export interface Listener {
  hear(delta: Delta): void;
  /** What is good enough of a broken answer not to be asked for again; null = nothing. */
  keep(failure: ModelFailure): Answered | null;
  /** What was heard so far is void; the next attempt begins in `delay` milliseconds. */
  again(attempt: number, failure: ModelFailure, delay: number): void;
}

const maxAttempts = 5;
const firstDelay = 500;
const longestDelay = 60_000;

export async function attempts(run: Run, request: ModelRequest, listener: Listener): Promise<Answered | ModelFailure> {
  const { clock, random } = run.ports;
  for (let attempt = 1; ; attempt++) {
    const end = await stream(run, request, listener);
    if (end.type === "done") return end;
    const kept = end.kind === "network" && end.partial && !run.signal.aborted ? listener.keep(end) : null;
    if (kept) return kept;
    const delay = delayBefore(attempt, end, random());
    if (run.signal.aborted) return end;
    if (delay === null) return tooLong(end);
    run.tally.retries++;
    listener.again(attempt, end, Math.round(delay));
    try {
      await clock.sleep(delay, run.signal);
    } catch {
      return { type: "fail", kind: "cancelled", text: "cancelled while waiting to retry" };
    }
  }
}

/** A pause that nobody would sit through is the user's to decide about. */
function tooLong(failure: ModelFailure): ModelFailure {
  const { retryAfter = 0, text } = failure;
  if (retryAfter <= longestDelay) return failure;
  const minutes = Math.ceil(retryAfter / 60_000);
  return { ...failure, text: `${text.replace(/\.$/, "")}; it asks to wait for ${minutes} minutes` };
}

/** Milliseconds to wait before the next attempt; null = do not try again. */
function delayBefore(attempt: number, failure: ModelFailure, random: number): number | null {
  if (failure.kind !== "rate" && failure.kind !== "network") return null;
  if (attempt >= maxAttempts) return null;
  if (failure.retryAfter !== undefined)
    return failure.retryAfter > longestDelay ? null : Math.max(0, failure.retryAfter);
  return Math.min(longestDelay, firstDelay * 2 ** (attempt - 1)) * (0.75 + random / 2);
}

async function stream(run: Run, request: ModelRequest, listener: Listener): Promise<Answered | ModelFailure> {
  const { model } = run.ports;
  for await (const event of model.stream(request, run.signal)) {
    if (event.type === "done" || event.type === "fail") return event;
    listener.hear(event);
  }
  return { type: "fail", kind: "network", text: `${model.id} ended its stream without an end` };
}
