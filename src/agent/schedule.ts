// The calls of one message, in order (SPEC 2.15): reads run side by side, everything else waits for what came before
// and runs alone. Results are logged in the order of the calls.
// Invariant: every call id gets exactly one result entry, also when the run is cancelled or a budget is reached.

import type { CallPart, ResultPart } from "../core/message.js";
import { reachedByCall } from "./budget.js";
import { type Ready, type Resolved, type Settled, settle } from "./call.js";
import { apply, prepare, resolve } from "./dispatch.js";
import type { NewEntry } from "./ports.js";
import type { Run } from "./run.js";

const maxCalls = 64;
const maxParallel = 8;

export interface Batch {
  calls: readonly CallPart[];
  /** The entry of the assistant message; intents and outcomes hang on it. */
  message: string;
  /** Recorded results of calls that are replays. */
  replays: ReadonlyMap<string, ResultPart>;
}

/** Returns how the calls ended, in their order. */
export async function runCalls(run: Run, batch: Batch): Promise<Settled[]> {
  const ended: Settled[] = [];
  const note = (settled: Settled) => {
    record(run, settled, batch.message);
    ended.push(settled);
  };
  let reading: Promise<Settled>[] = [];
  const drain = async () => {
    const settled = await Promise.all(reading);
    reading = [];
    for (const each of settled) note(each);
  };
  for (const [index, call] of batch.calls.entries()) {
    const next = settledEarly(run, batch, call, index) ?? (await resolve(run, call));
    if ("status" in next) {
      reading.push(Promise.resolve(next));
      continue;
    }
    run.tally.toolCalls++;
    // Whether it reads is known with its plan; until then it waits for nothing, since making a plan only reads.
    const ready = next.descriptor.mayRead ? await prepare(run, next) : undefined;
    const reads = next.reads || (ready !== undefined && "plan" in ready && ready.plan.effect === "read");
    if (reads && reading.length < maxParallel) {
      reading.push(perform(run, next, batch.message, ready));
      continue;
    }
    await drain();
    note(await perform(run, next, batch.message, ready));
  }
  await drain();
  // What observers make of the changes of a turn goes with its results.
  const told = await run.ports.observer?.settle(run.signal);
  if (told && !run.signal.aborted) run.remind(told);
  return ended;
}

function settledEarly(run: Run, batch: Batch, call: CallPart, index: number): Settled | null {
  if (run.signal.aborted) return settle(call, call.tool, "cancelled", "Not run: the run was cancelled.");
  if (run.closing) return settle(call, call.tool, "not_run", "Not run: this run is ending, and only text is used.");
  if (run.ports.hooks?.halt) return settle(call, call.tool, "not_run", "Not run: a hook has ended the run.");
  if (index >= maxCalls) {
    return settle(
      call,
      call.tool,
      "not_run",
      `Not run: a message may hold ${maxCalls} calls. Make this call again in your next message.`,
    );
  }
  const over = reachedByCall(run.tally.spent(), run.ports.limits);
  if (over) {
    run.refusedFor = over;
    return settle(call, call.tool, "not_run", `Not run: the budget of ${over.limit} ${over.what} is used up.`);
  }
  const replay = batch.replays.get(call.id);
  if (!replay) return null;
  const text = `${replay.text}\n[Not done again: this call has the id and the arguments of an earlier one, and this is its result from then.]`;
  return settle(call, replay.tool, replay.isError ? "error" : "ok", text);
}

/** Tells the model what was written, for its own call does not say; a text that was refused is put aside. */
function tellText(run: Run, settled: Settled, { apart, call }: Resolved): Settled {
  if (!apart) return settled;
  const begun = { ...settled, begun: true };
  if (settled.status === "ok") {
    const note = apart.remark === "" ? "" : `\nnote: left out what you said behind the text: ${apart.remark}`;
    return { ...begun, text: `${settled.text}${note}\nThe text, as you sent it:\n${apart.text}` };
  }
  if (call.cut) return begun;
  const place = placeOf(run.ports.keep(call.id, apart.text));
  return { ...begun, text: `${settled.text}\n[The text you sent ${place}.]` };
}

async function perform(run: Run, asked: Resolved, message: string, prepared?: Ready | Settled): Promise<Settled> {
  const { apart, salvage } = asked.descriptor;
  const isApart = apart === true && salvage !== undefined && asked.input[salvage] === undefined;
  const resolved = isApart ? await (await run.ports.textsApart()).withText(run, asked, salvage, message) : asked;
  if ("status" in resolved) return resolved;
  const ready = prepared ?? (await prepare(run, resolved));
  const settled = "status" in ready ? ready : await apply(run, ready, message);
  const told = tellText(run, settled, resolved);
  const { cut } = told.call;
  if (!cut) return told;
  const whole = tellCut(run, told, resolved, cut);
  return settled.status === "ok" ? { ...whole, cutIn: String(resolved.input["path"] ?? "") } : whole;
}

/** A cut call says where to go on; when it was refused, the text that arrived is put aside instead of being lost. */
function tellCut(
  run: Run,
  settled: Settled,
  { descriptor, input }: Resolved,
  cut: NonNullable<CallPart["cut"]>,
): Settled {
  const { descriptors } = run.ports.tools;
  const lines = cut.lines === 1 ? "1 whole line" : `${cut.lines} whole lines`;
  const append = descriptors.find((tool) => tool.verb === "append")?.name;
  if (settled.status === "ok") {
    const on = append ? ` with ${append}` : "";
    const note = `[Your reply was cut here. Kept: ${lines}, the last one is ${JSON.stringify(cut.last.replace(/\r$/, ""))}. The file is not complete: go on with the line after that one${on}.]`;
    return { ...settled, text: `${settled.text}\n${note}` };
  }
  const arrived = input[descriptor.salvage ?? ""];
  // Given by its ref, it is kept already.
  if (typeof arrived !== "string") return settled;
  const place = placeOf(run.ports.keep(settled.call.id, arrived));
  return { ...settled, text: `${settled.text}\n[Your reply was cut here. What arrived, ${lines}, ${place}.]` };
}

function placeOf(path: string | null): string {
  return path === null ? "could not be kept: the disk does not take it" : `is in ${path}`;
}

/** Outcome and result in one write(2), then the event. */
function record(run: Run, settled: Settled, message: string): void {
  const { emit, identity, log, cut, redactor } = run.ports;
  const { call, tool, status, files } = settled;
  if (!settled.begun) emit({ type: "call.start", call: call.id, tool, summary: tool });
  // What this call made due was done before it.
  const late = run.ports.held?.take() ?? { files: [], text: "" };
  for (const change of late.files) run.changed(change);
  for (const change of files) run.changed(change, settled.exit !== undefined);
  if (settled.cutIn !== undefined) {
    for (const { path } of files) run.tally.cutFiles.set(path, settled.cutIn);
  }
  const text = cut(call.id, redactor.all(late.text === "" ? settled.text : `${settled.text}\n${late.text}`));
  const result: ResultPart = { type: "result", callId: call.id, tool: call.tool, text, isError: status !== "ok" };
  const entries: NewEntry[] = [];
  if (files.length > 0 || settled.exit !== undefined || status !== "ok") {
    const outcome = { call: call.id, tool, status, files: [...files] };
    const data = settled.exit === undefined ? outcome : { ...outcome, exit: settled.exit };
    entries.push({ type: "outcome", data, parent: message });
  }
  const pinned = settled.view?.type === "list" && settled.view.pinned ? { pinned: settled.view.items } : {};
  entries.push({ type: "message", data: { role: "tool", parts: [result], ...pinned } });
  for (const entry of log.appendAll(entries)) identity.learn(entry);
  const event = { type: "call.end", call: call.id, tool, status, text, ms: Math.round(settled.ms) } as const;
  emit(settled.view ? { ...event, view: settled.view } : event);
}
