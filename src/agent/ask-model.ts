// One turn's question to the model: stream it, retry what is worth retrying, log the reply.
// Invariant: the reply becomes one `message` entry before anybody acts on it; of a broken stream nothing is kept but
// the whole lines of a file that was being written (salvage.ts). The request is composed once per turn, so retries send the same bytes.

import type { RequestMark } from "../core/entry.js";
import { type Message, noUsage, type ResultPart, type Stop, type Usage } from "../core/message.js";
import type { ModelFailure, ModelRequest } from "../core/model.js";
import type { Run } from "./run.js";
import { salvageMessage } from "./salvage.js";

export type Asked =
  | { type: "reply"; message: Message; stop: Stop; entry: string; replays: Map<string, ResultPart> }
  | { type: "failed"; failure: ModelFailure };

interface Done {
  message: Message;
  usage: Usage;
  stop: Stop;
}

const maxAttempts = 5;
const firstDelay = 500;
const longestDelay = 60_000;

export async function askModel(run: Run): Promise<Asked> {
  const { clock, compose, emit, random } = run.ports;
  const { request, mark } = compose();
  run.tally.modelCalls++;
  const turn = run.tally.modelCalls;
  emit({ type: "turn.start", turn });
  for (let attempt = 1; ; attempt++) {
    const end = await stream(run, request);
    if (end.type === "done") return reply(run, turn, end, mark);
    const kept = salvaged(run, end);
    if (kept) return reply(run, turn, kept, mark);
    const delay = delayBefore(attempt, end, random());
    if (delay === null || run.signal.aborted) return { type: "failed", failure: end };
    run.tally.retries++;
    emit({ type: "turn.retry", attempt, kind: end.kind, text: end.text, delay_ms: Math.round(delay), discarded: true });
    try {
      await clock.sleep(delay, run.signal);
    } catch {
      return { type: "failed", failure: { type: "fail", kind: "cancelled", text: "cancelled while waiting to retry" } };
    }
  }
}

/** A broken stream is not asked for again when enough of a file has arrived: the call is kept as far as it goes. */
function salvaged(run: Run, end: ModelFailure): Done | null {
  if (end.kind !== "network" || !end.partial || run.signal.aborted) return null;
  const message = salvageMessage(end.partial, (tool) => run.ports.tools.find(tool), "stream");
  return message && { message, usage: noUsage, stop: "length" };
}

/** Milliseconds to wait before the next attempt; null = do not try again. */
function delayBefore(attempt: number, failure: ModelFailure, random: number): number | null {
  if (failure.kind !== "rate" && failure.kind !== "network") return null;
  if (attempt >= maxAttempts) return null;
  if (failure.retryAfter !== undefined)
    return failure.retryAfter > longestDelay ? null : Math.max(0, failure.retryAfter);
  return Math.min(longestDelay, firstDelay * 2 ** (attempt - 1)) * (0.75 + random / 2);
}

async function stream(run: Run, request: ModelRequest): Promise<({ type: "done" } & Done) | ModelFailure> {
  const { emit, model } = run.ports;
  for await (const event of model.stream(request, run.signal)) {
    if (event.type === "text") emit({ type: "text.delta", text: event.text });
    else if (event.type === "thinking") emit({ type: "thinking.delta", text: event.text });
    else if (event.type !== "call") return event;
  }
  return { type: "fail", kind: "network", text: `${model.id} ended its stream without an end` };
}

function reply(run: Run, turn: number, done: Done, mark: RequestMark): Asked {
  const { emit, identity, log } = run.ports;
  const whole =
    done.stop === "length" ? salvageMessage(done.message, (tool) => run.ports.tools.find(tool), "limit") : null;
  const { message, replays } = identity.adopt(whole ?? done.message);
  const cost = run.tally.reply(done.usage);
  const { parts } = message;
  const partial = message.partial ? { partial: true } : {};
  const data = { role: "assistant" as const, parts, usage: done.usage, stop: done.stop, ...partial, request: mark };
  const entry = log.append("message", data);
  emit({ type: "turn.end", turn, usage: done.usage, cost, stop: done.stop });
  return { type: "reply", message, stop: done.stop, entry: entry.id, replays };
}
