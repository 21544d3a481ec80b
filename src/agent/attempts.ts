// One request, sent until an answer has come: what is worth retrying is retried, with the same bytes, and then another
// model may take over, with the request composed for it.
// Invariant: ends in one answer or one failure, after at most `maxAttempts` requests for each model and as soon as the run
// is cancelled. Not here: which model takes over, and who is told of what; the caller listens.

import type { ModelEvent, ModelFailure, ModelRequest } from "../core/model.js";
import type { Run } from "./run.js";

export type Answered = Extract<ModelEvent, { type: "done" }>;
export type Delta = Exclude<ModelEvent, Answered | ModelFailure>;

export interface Listener {
  hear(delta: Delta): void;
  /** What is good enough of a broken answer not to be asked for again; null = nothing. */
  keep(failure: ModelFailure): Answered | null | Promise<Answered | null>;
  /** What was heard so far is void; the next attempt begins in `delay` milliseconds. */
  again(attempt: number, failure: ModelFailure, delay: number): void;
}

const maxAttempts = 5;
const firstDelay = 500;
const longestDelay = 60_000;
const cancelled: ModelFailure = { type: "fail", kind: "cancelled", text: "cancelled before another attempt" };

/** `compose`: the request for the model that is asked now; it is composed once for each. */
export async function attempts(
  run: Run,
  compose: () => ModelRequest,
  listener: Listener,
): Promise<Answered | ModelFailure> {
  const { clock, random, fallback } = run.ports;
  let request = compose();
  for (let attempt = 1; ; attempt++) {
    const end = await stream(run, request, listener);
    if (end.type === "done") return end;
    const kept = end.kind === "network" && end.partial && !run.signal.aborted ? await listener.keep(end) : null;
    if (kept) return kept;
    const delay = delayBefore(attempt, end, random());
    if (run.signal.aborted) return end;
    if (delay === null) {
      const last = fallback ? await fallback.takeOver(tooLong(end)) : tooLong(end);
      if (last || run.signal.aborted) return last ?? cancelled;
      run.tally.retries++;
      listener.again(attempt, end, 0);
      request = compose();
      attempt = 0;
      continue;
    }
    run.tally.retries++;
    listener.again(attempt, end, Math.round(delay));
    try {
      await clock.sleep(delay, run.signal);
    } catch {
      return cancelled;
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
