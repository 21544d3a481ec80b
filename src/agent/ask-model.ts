// One turn's question to the model: ask until it has answered, log the reply.
// Invariant: the reply becomes one `message` entry before anybody acts on it; of a broken stream nothing is kept but
// the whole lines of a file that was being written (salvage.ts). The request is composed once for each model that is asked.

import type { Entry, EntryData, RequestMark } from "../core/entry.js";
import { Unrecorded } from "../core/errors.js";
import { type Message, noUsage, type ResultPart, type Stop } from "../core/message.js";
import type { ModelFailure, ModelRequest } from "../core/model.js";
import { type Answered, attempts, type Listener } from "./attempts.js";
import type { Run } from "./run.js";

export type Asked =
  | { type: "reply"; message: Message; stop: Stop; entry: string; replays: Map<string, ResultPart> }
  | { type: "failed"; failure: ModelFailure };

export async function askModel(run: Run): Promise<Asked> {
  const { compose, emit } = run.ports;
  const sent: Sent[] = [];
  const composed = () => {
    const { broken, ...next } = compose();
    if (broken) run.tally.breaks.push(broken);
    sent.push(next);
    return next.request;
  };
  run.tally.modelCalls++;
  const turn = run.tally.modelCalls;
  emit({ type: "turn.start", turn });
  const end = await attempts(run, composed, listener(run));
  const last = sent.at(-1);
  return end.type === "done" && last ? reply(run, turn, end, last) : { type: "failed", failure: end as ModelFailure };
}

function listener(run: Run): Listener {
  const { emit } = run.ports;
  return {
    hear(delta) {
      if (delta.type === "text") emit({ type: "text.delta", text: delta.text });
      else if (delta.type === "thinking") emit({ type: "thinking.delta", text: delta.text });
      else if (mayChange(run, delta.tool)) run.ports.witness?.begin();
    },
    /** Enough of a file has arrived: the call is kept as far as it goes. */
    async keep({ partial }) {
      const message = partial && (await salvaged(run, partial, "stream"));
      return message ? { type: "done", message, usage: noUsage, stop: "length" } : null;
    },
    again(attempt, { kind, text }, delay) {
      emit({ type: "turn.retry", attempt, kind, text, delay_ms: delay, discarded: true });
    },
  };
}

/** A command may follow, now or soon. */
function mayChange(run: Run, tool: string): boolean {
  const effects = run.ports.tools.find(tool)?.effects ?? [];
  return effects.includes("write") || effects.includes("exec");
}

interface Sent {
  request: ModelRequest;
  mark: RequestMark;
}

/** Loaded with the first reply that was cut. */
async function salvaged(run: Run, message: Message, why: "limit" | "stream"): Promise<Message | null> {
  const { salvageMessage } = await import("./salvage.js");
  return salvageMessage(message, (tool) => run.ports.tools.find(tool), why);
}

async function reply(run: Run, turn: number, done: Answered, { request, mark }: Sent): Promise<Asked> {
  const { emit, identity } = run.ports;
  const whole = done.stop === "length" ? await salvaged(run, done.message, "limit") : null;
  const { message, replays } = identity.adopt(whole ?? done.message);
  const { parts } = message;
  const cost = run.tally.reply(done.usage, () => ({ input: tokensOf(request), output: tokensOf(parts) }));
  const partial = message.partial ? { partial: true } : {};
  const data = { role: "assistant" as const, parts, usage: done.usage, stop: done.stop, ...partial, request: mark };
  const entry = logged(run, data);
  if (entry) identity.learn(entry);
  emit({ type: "turn.end", turn, usage: done.usage, cost, stop: done.stop });
  return { type: "reply", message, stop: done.stop, entry: entry?.id ?? "", replays };
}

/** An answer stands also where the log cannot take it; a reply that calls something must be in it before anything runs. */
function logged(run: Run, data: EntryData["message"]): Entry<"message"> | null {
  try {
    return run.ports.log.append("message", data);
  } catch (error) {
    if (!(error instanceof Unrecorded) || data.parts.some(({ type }) => type === "call")) throw error;
    run.trouble(error);
    return null;
  }
}

/** Roughly: four characters make a token. */
function tokensOf(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / 4);
}
