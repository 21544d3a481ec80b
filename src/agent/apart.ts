// The text of a call that came without it, for models that break long text inside JSON (`files.twoStage`): the call is
// checked as far as it can be without the text, then one request asks for the text alone.
// Invariant: no request is made for a call that would be refused or denied whatever its text. The request is the
// conversation so far with a tail that is in no other request, so the prefix of the next one stands; a note in the log
// says so. The text becomes the input of the call's intent and part of its result, and nothing else of the reply is used.

import type { Entry } from "../core/entry.js";
import { callsOf, type Message, noUsage, type ResultPart, textOf } from "../core/message.js";
import type { ModelFailure } from "../core/model.js";
import type { Wanted } from "../core/tool.js";
import { type Answered, attempts, type Listener } from "./attempts.js";
import { denyUnasked } from "./authorise.js";
import { reachedByTurn } from "./budget.js";
import { type Ready, type Resolved, type Settled, settle } from "./call.js";
import { failed, planOf } from "./dispatch.js";
import { mayOpen, noOpenings, openingOf, withoutOpening } from "./opening.js";
import type { Run } from "./run.js";
import { extent, wholeLines, worthKeeping } from "./salvage.js";

/** The call with its text, its input's `member`, wherever that came from; or how it ended because the text cannot be had or used. */
export async function withText(
  run: Run,
  resolved: Resolved,
  member: string,
  message: string,
): Promise<Resolved | Settled> {
  const { call, descriptor, input } = resolved;
  const started = run.ports.clock.mono();
  let ready: Ready;
  let wanted: Wanted | null;
  try {
    ready = await planOf(run, { ...resolved, input: { ...input, [member]: "" } }, started);
    wanted = ready.tool.wanted ? ready.tool.wanted(ready.plan) : { what: `the ${member} of your call` };
    if (!wanted) return resolved;
  } catch (thrown) {
    return failed(run, call, descriptor.name, thrown);
  }
  const denial = await denyUnasked(run, { ...ready, input }, message);
  if (denial) return denial;
  run.ports.emit({ type: "call.start", call: call.id, tool: descriptor.name, summary: `ask for ${wanted.what}` });
  const heard = await ask(run, resolved, { ...wanted, path: ready.plan.paths[0] ?? "" }, message);
  const since = run.ports.clock.mono() - started;
  if ("status" in heard) return { ...heard, ms: since, begun: true };
  const { text, cut, remark = "" } = heard;
  const whole = cut ? { ...call, cut: extent(text) } : call;
  return { ...resolved, call: whole, input: { ...input, [member]: text }, apart: { text, remark, started } };
}

interface Heard {
  text: string;
  cut: boolean;
  /** What stood behind the text. */
  remark?: string;
}

type Asked = Wanted & { path: string };

async function ask(run: Run, { call, descriptor }: Resolved, wanted: Asked, message: string): Promise<Heard | Settled> {
  const { emit, limits, log } = run.ports;
  const end = (status: Settled["status"], text: string) => settle(call, descriptor.name, status, text);
  const over = reachedByTurn(run.tally.spent(), limits);
  if (over) {
    run.refusedFor = over;
    return end("not_run", `Not run: the budget of ${over.limit} ${over.what} is used up.`);
  }
  run.tally.modelCalls++;
  const turn = run.tally.modelCalls;
  emit({ type: "turn.start", turn });
  const { answer, opening } = await answerTo(run, call.id, wanted);
  if (answer.type === "fail")
    return answer.kind === "cancelled" ? end("cancelled", cancelled) : end("error", lost(answer));
  const { usage, stop } = answer;
  const cost = run.tally.reply(usage);
  const text = `asked for ${wanted.what} in a request whose tail is in no other`;
  log.append("note", { code: "text.apart", text, data: { call: call.id, stop, usage: { ...usage }, cost } }, message);
  emit({ type: "turn.end", turn, usage, cost, stop });
  return taken(answer, opening) ?? end("error", unusable(answer));
}

/** Begun for the model where that helps; a model that will not have it is asked again without. */
async function answerTo(run: Run, call: string, wanted: Asked) {
  const { composeBeside, fenceOf, log, model } = run.ports;
  const word = fenceOf && mayOpen(model, wanted) ? await fenceOf(wanted.path) : null;
  const opening = word === null ? undefined : openingOf(word);
  const request = (begun?: string) => () => composeBeside(tail(log.path(), call, wanted, begun));
  const answer = await attempts(run, request(opening), listener(run, call, opening));
  if (opening === undefined || answer.type !== "fail" || answer.kind !== "request") return { answer, opening };
  noOpenings(model);
  run.tally.retries++;
  return { answer: await attempts(run, request(), listener(run, call)), opening: undefined };
}

const cancelled = "Cancelled before its text had arrived. Nothing was done.";
const again = "Nothing was done. Make the call again with the text in it.";

function lost(failure: ModelFailure): string {
  return `Not run: its text was asked for and did not come (${failure.text}). ${again}`;
}

/** Nothing but text is taken: a reply that calls something was not meant as a file. */
function taken({ message, stop }: Pick<Answered, "message" | "stop">, opening: string | undefined): Heard | null {
  if (stop === "refusal" || callsOf(message).length > 0) return null;
  const cut = stop === "length";
  const said = textOf(message);
  const { text, remark } = opening === undefined ? { text: said, remark: "" } : withoutOpening(said, !cut);
  const kept = cut ? wholeLines(text) : text;
  return kept.trim() === "" ? null : { text: kept, cut, remark };
}

function unusable({ message, stop }: Answered): string {
  if (callsOf(message).length > 0) return `Not run: you were asked for its text and answered with a call. ${again}`;
  if (stop === "length") return `Not run: its text was cut before the end of the first line. ${again}`;
  return `Not run: you were asked for its text and sent none. ${again}`;
}

/** Lines go to the screen as they come. */
function listener(run: Run, call: string, opening?: string): Listener {
  const { emit } = run.ports;
  let open = "";
  return {
    hear(delta) {
      if (delta.type !== "text") return;
      const lines = (open + delta.text).split("\n");
      open = lines.pop() ?? "";
      for (const line of lines) emit({ type: "call.progress", call, line });
    },
    keep({ partial }) {
      const heard = partial && taken({ message: partial, stop: "length" }, opening);
      if (!heard || extent(heard.text).lines < worthKeeping) return null;
      return { type: "done", message: partial, usage: noUsage, stop: "length" };
    },
    again(_attempt, { text }, delay) {
      open = "";
      const pause = (delay / 1000).toFixed(1);
      emit({ type: "notice", level: "warning", code: "retry", text: `${text} Asking again in ${pause} s.` });
    },
  };
}

/** What providers demand (a result for every call) and the question itself. */
function tail(path: readonly Entry[], asked: string, wanted: Wanted, opening?: string): Message[] {
  const pending = new Map<string, ResultPart>();
  for (const entry of path) {
    if (entry.type !== "message") continue;
    for (const { id, tool } of callsOf(entry.data)) {
      const text = id === asked ? "Accepted. Nothing is written yet: its text is asked for next." : "Not run yet.";
      pending.set(id, { type: "result", callId: id, tool, text, isError: false });
    }
    for (const part of entry.data.parts) if (part.type === "result") pending.delete(part.callId);
  }
  const results: Message = { role: "tool", parts: [...pending.values()] };
  const text = question(wanted, opening !== undefined);
  const asking: Message = { role: "user", parts: [{ type: "text", text }], origin: "harness" };
  if (opening === undefined) return [results, asking];
  const begun: Message = { role: "assistant", parts: [{ type: "text", text: opening }], usage: noUsage, stop: "end" };
  return [results, asking, begun];
}

const asItIs =
  "Your whole reply is taken as it is, byte for byte: begin with the first character of the text and end with the last. No introduction, no remark, no code fence around it, no tags, no tool call.";
const inFence =
  "Your reply is begun for you with the opening of a code fence. Go on with the first line of the text, close the fence on a line of its own after the last, and end there. What stands in the fence is taken as it is, byte for byte. No remark, no tags, no tool call.";

function question({ what, after }: Wanted, isBegun: boolean): string {
  const fit = after === undefined ? "" : `\n${after}\n`;
  return `Now send ${what}.${fit}
${isBegun ? inFence : asItIs}
Write all of it as working code: no stubs, no comment in the place of left-out code. If it does not fit into one reply, stop after a whole line; the rest can be appended by another call.`;
}
