// One call, from what the model asked to a settled result (SPEC 1.1):
//   resolve -> validate -> prepare -> hooks (hooked.ts) -> decide, approval, intent (authorise.ts) -> apply
// Invariant: nothing throws out of here. Every call ends as one `Settled`, whatever its tool, the disk or the user does;
// and nothing with an effect runs before its intent is synced.
// Not here: the order of several calls (schedule.ts), the text of refusals (refusal.ts).

import { Cancelled, ModelError, messageOf, Refusal, Unrecorded } from "../core/errors.js";
import type { JsonObject } from "../core/json.js";
import type { CallPart } from "../core/message.js";
import type { Plan } from "../core/plan.js";
import type { CallContext, ToolDescriptor } from "../core/tool.js";
import { diskFault } from "../lib/disk-fault.js";
import { readArguments } from "../lib/json.js";
import { asking } from "./ask-user.js";
import { type Authorised, authorise, deny } from "./authorise.js";
import { type Ready, type Resolved, type Settled, settle } from "./call.js";
import { afterCall, beforeCall, isHeard, withRewrite } from "./hooked.js";
import { renderError } from "./refusal.js";
import type { Run } from "./run.js";

/** Finds the tool behind a call. Malformed, unknown and forbidden calls end here; nothing of theirs is run. */
export async function resolve(run: Run, call: CallPart): Promise<Resolved | Settled> {
  if (call.raw !== undefined) {
    const shown = call.raw.length > 200 ? `${call.raw.slice(0, 200)}… (${call.raw.length} characters)` : call.raw;
    const read = readArguments(call.raw);
    const fault = "fault" in read ? read.fault : "were not complete when the answer ended";
    return settle(call, call.tool, "not_run", `Not run: the arguments ${fault}. Received: ${shown}`);
  }
  const { tools } = run.ports;
  const found = tools.find(call.tool);
  if (!found) return unknown(run, call, call.tool);
  if (found.verb !== "door") return allowed(run, call, found, call.input);
  const door = await tools.load(found.name);
  try {
    const inner = door.unwrap?.(door.parse(call.input) as never);
    if (!inner) return allowed(run, call, found, call.input);
    const opened = tools.find(inner.tool);
    if (!opened) return unknown(run, call, inner.tool);
    if (opened.verb === "door")
      return settle(call, found.name, "error", `${found.name} cannot open itself. Nothing was done.`);
    return allowed(run, call, opened, inner.input);
  } catch (thrown) {
    return failed(run, call, found.name, thrown);
  }
}

function unknown(run: Run, call: CallPart, name: string): Settled {
  const names = run.ports.tools.advised.map((tool) => tool.name).join(", ");
  return settle(
    call,
    name,
    "error",
    `There is no tool ${JSON.stringify(name)}. Nothing was done. The tools are: ${names || "none"}.`,
  );
}

function allowed(run: Run, call: CallPart, descriptor: ToolDescriptor, input: JsonObject): Resolved | Settled {
  const forbidden = run.ports.permissions.forbids(descriptor);
  if (forbidden !== null) {
    return deny(
      run,
      { call, descriptor, input },
      `${descriptor.name} is not allowed here (${forbidden}). Nothing was done.`,
    );
  }
  return { call, descriptor, input, reads: descriptor.effects.every((effect) => effect === "read") };
}

/** The first phase: arguments are checked and the plan is made. Refusals end here. */
export async function prepare(run: Run, resolved: Resolved): Promise<Ready | Settled> {
  const { call, descriptor, apart } = resolved;
  let rewritten: string | undefined;
  try {
    const started = apart?.started ?? run.ports.clock.mono();
    const plan = (asked: Resolved) => planOf(run, asked, started);
    const ready = await beforeCall(run, resolved, await plan(resolved), plan, (line) => {
      rewritten = line;
    });
    const { summary, view } = ready.plan;
    if (!apart) run.ports.emit({ type: "call.start", call: call.id, tool: descriptor.name, summary, view });
    return ready;
  } catch (thrown) {
    return withRewrite(failed(run, call, descriptor.name, thrown), rewritten);
  }
}

/** What the call would do; throws what its tool refuses. */
export async function planOf(run: Run, { call, descriptor, input }: Resolved, started: number): Promise<Ready> {
  const tool = await run.ports.tools.load(descriptor.name);
  const context = await run.ports.tools.context(descriptor, callContext(run, call));
  const plan = (await tool.prepare(tool.parse(input) as never, context as never)) as Plan;
  // A text that was kept when its reply was cut is as cut as it was then.
  const planned = plan.cut && !call.cut ? { ...call, cut: plan.cut } : call;
  return { call: planned, descriptor, tool, plan, context, input, started };
}

function callContext(run: Run, call: CallPart): CallContext {
  const ask = asking(run, call);
  return {
    signal: run.signal,
    call: call.id,
    ...(call.cut ? { cut: true } : {}),
    ...(ask ? { ask } : {}),
    progress: (line) => run.ports.emit({ type: "call.progress", call: call.id, line }),
  };
}

/** The second phase: decided, approved, written down as intent, then done. */
export async function apply(run: Run, ready: Ready, message: string): Promise<Settled> {
  const { call, descriptor, plan } = ready;
  const since = () => run.ports.clock.mono() - ready.started;
  let authorised: Settled | Authorised;
  try {
    authorised = await authorise(run, ready, message);
    if ("status" in authorised) return { ...withRewrite(authorised, ready.rewritten), ms: since(), begun: true };
  } catch (thrown) {
    const ended =
      thrown instanceof Cancelled
        ? settle(call, descriptor.name, "cancelled", "Not run: cancelled before it began.")
        : failed(run, call, descriptor.name, thrown);
    return { ...ended, ms: since(), begun: true };
  }
  const settled = await carryOut(run, ready, authorised);
  const seen = plan.effect === "exec" ? await witnessed(run, settled) : settled;
  const heard = await afterCall(run, ready, withRewrite(seen, ready.rewritten));
  return { ...heard, ms: since(), begun: true };
}

async function carryOut(run: Run, ready: Ready, { byHand }: Authorised): Promise<Settled> {
  const { call, descriptor, plan, tool, context } = ready;
  try {
    const more = { ...(byHand ? { byHand } : {}), ...(isHeard(run, descriptor) ? { heard: true } : {}) };
    const result = await tool.apply(plan as never, { ...context, ...more } as never);
    // To give a task away changes nothing yet: what its agent does is counted as that is done.
    const isEffectful = plan.effect !== "read" && plan.effect !== "spawn";
    if (isEffectful && result.status === "ok") run.tally.unanswered = null;
    const { status, text, view, files, exit, streams } = result;
    const settled: Settled = { ...settle(call, descriptor.name, status, text), files: files ?? [] };
    if (view) settled.view = view;
    if (exit !== undefined) settled.exit = exit;
    if (streams) settled.streams = streams;
    return settled;
  } catch (thrown) {
    return failed(run, call, descriptor.name, thrown, true);
  }
}

/** Adds what the call changed in the project, also when it failed or was cancelled. */
async function witnessed(run: Run, settled: Settled): Promise<Settled> {
  try {
    const found = await run.ports.witness?.after(settled.call.id);
    if (!found) return settled;
    if (found.coverage === "partial") run.tally.partial();
    const text = found.text === "" ? settled.text : `${settled.text}\n${found.text}`;
    return { ...settled, text, files: [...settled.files, ...found.files] };
  } catch (thrown) {
    run.tally.partial();
    const { text } = failed(run, settled.call, settled.tool, thrown, true);
    return { ...settled, text: `${settled.text}\n[${text}]` };
  }
}

/** What a call ends as whose tool threw. */
export function failed(run: Run, call: CallPart, tool: string, thrown: unknown, mayHaveRun = false): Settled {
  if (thrown instanceof Unrecorded) throw thrown;
  if (thrown instanceof ModelError) {
    const status = thrown instanceof Refusal && thrown.kind === "conflict" ? "conflict" : "error";
    const settled = settle(call, tool, status, renderError(thrown, run.ports.tools.advised));
    return thrown instanceof Refusal && thrown.facts.seen ? { ...settled, files: thrown.facts.seen } : settled;
  }
  if (thrown instanceof Cancelled || run.signal.aborted) {
    return settle(
      call,
      tool,
      "cancelled",
      mayHaveRun
        ? "Cancelled while it ran; what it had done so far stands."
        : "Cancelled before it ran. Nothing was done.",
    );
  }
  const fault = diskFault(thrown);
  if (fault !== null && !mayHaveRun)
    return settle(call, tool, "not_run", `${tool} was not run: ${fault}. Nothing was done.`);
  const stack = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  run.ports.log.append("note", { code: "bug", text: stack });
  run.ports.emit({ type: "notice", level: "error", code: "bug", text: `${tool}: ${messageOf(thrown)}` });
  const text = `${tool} failed with an internal error: ${messageOf(thrown)}.`;
  if (!mayHaveRun) return settle(call, tool, "not_run", `${text} It was not run; nothing was done.`);
  return settle(call, tool, "unknown", `${text} Whether it took effect is unknown; check before going on.`);
}
