// One turn's question to the model: stream it, retry what is worth retrying, log the reply.
// Invariant: the reply becomes one `message` entry before anybody acts on it; nothing of a broken stream is kept
// as a message. The request is composed once per turn, so retries send the same bytes.

import type { RequestMark } from "../core/entry.js";
import type { Message, ResultPart, Stop, Usage } from "../core/message.js";
import type { ModelFailure, ModelRequest } from "../core/model.js";
import type { Run } from "./run.js";

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
  const { message, replays } = identity.adopt(done.message);
  const cost = run.tally.reply(done.usage);
  const { parts } = message;
  const data = { role: "assistant" as const, parts, usage: done.usage, stop: done.stop, request: mark };
  const entry = log.append("message", data);
  emit({ type: "turn.end", turn, usage: done.usage, cost, stop: done.stop });
  return { type: "reply", message, stop: done.stop, entry: entry.id, replays };
}
