// Whether a plan may be carried out: decided by rule, answered by the user, or denied because nobody can answer.
// Invariant: whatever is allowed has its approval and its intent on disk before it runs; every denial is counted and says
// what is true now. Approvals are bound to the digest of the plan.

import type { JsonObject } from "../core/json.js";
import type { CallPart } from "../core/message.js";
import type { ToolDescriptor } from "../core/tool.js";
import { type Ready, type Settled, settle } from "./call.js";
import type { Run } from "./run.js";

/** Decision, question and intent of an effectful plan; a Settled means it must not run. */
export async function authorise(run: Run, ready: Ready, message: string): Promise<Settled | null> {
  const { ports } = run;
  const { call, descriptor, plan, input } = ready;
  const { verdict, rule } = ports.decide(plan.effect, descriptor);
  if (verdict === "ask" && call.cut)
    return deny(run, ready, "Not written: a text that was cut is not put to the user.");
  const denial = denyUnasked(run, ready, message);
  if (denial) return denial;
  const { decision, by, feedback } = verdict === "ask" ? await question(run, ready) : byRule;
  if (decision === "deny") return denyFor(run, ready, message, { by, rule, feedback });
  const approval = { call: call.id, digest: plan.digest, decision, rule, by };
  const intent = {
    call: call.id,
    tool: descriptor.name,
    input,
    digest: plan.digest,
    paths: [...plan.paths],
    effect: plan.effect,
  };
  ports.log.appendAll([
    { type: "approval", data: approval, parent: message },
    { type: "intent", data: intent, parent: message },
  ]);
  // Both at once: while the disk syncs, the project is looked at.
  await Promise.all([ports.log.sync(), plan.effect === "exec" ? ports.witness?.before(call.id) : null]);
  return null;
}

/** The denial of a plan that nobody need be asked about, or nobody can be; null when it may yet be allowed. */
export function denyUnasked(run: Run, ready: Ready, message: string): Settled | null {
  const { ask, answerable, decide } = run.ports;
  const { verdict, rule } = decide(ready.plan.effect, ready.descriptor);
  if (verdict === "deny") return denyFor(run, ready, message, { by: "rule", rule });
  if (verdict === "allow" || ask || answerable) return null;
  run.tally.deniedUnanswered = true;
  return denyFor(run, ready, message, { by: "headless", rule });
}

interface Why {
  by: string;
  rule: string;
  feedback?: string | undefined;
}

function denyFor(run: Run, ready: Ready, message: string, { by, rule, feedback }: Why): Settled {
  const { call, descriptor, plan } = ready;
  const approval = { call: call.id, digest: plan.digest, decision: "deny", rule, by } as const;
  run.ports.log.append("approval", feedback === undefined ? approval : { ...approval, reason: feedback }, message);
  return deny(run, ready, denialText(descriptor.name, by, rule, feedback));
}

function denialText(tool: string, by: string, rule: string, feedback: string | undefined): string {
  if (by === "headless") {
    return `Denied (${rule}): ${tool} needs an approval and nobody can give one in this run. Nothing was done. Do without it, or say in your answer what is needed.`;
  }
  if (by === "user") return `The user denied this call. Nothing was done.${feedback ? ` They say: ${feedback}` : ""}`;
  return `Denied (${rule}). Nothing was done.`;
}

interface Answer {
  decision: "allow" | "deny";
  by: "user" | "rule" | "headless";
  feedback?: string;
}

const byRule: Answer = { decision: "allow", by: "rule" };

async function question(run: Run, ready: Ready): Promise<Answer> {
  const { ports } = run;
  const { plan, call, descriptor } = ready;
  const id = ports.ids.next();
  const asked = {
    id,
    call: call.id,
    tool: descriptor.name,
    digest: plan.digest,
    summary: plan.summary,
    view: plan.view,
  };
  ports.emit({ type: "approval.ask", ...asked, parts: [], rule: null });
  const answer = await (ports.ask ? ports.ask(asked) : ports.approvals.wait(id, run.signal));
  const by = answer.by ?? "user";
  if (by === "headless" && answer.decision === "deny") run.tally.deniedUnanswered = true;
  ports.emit({ type: "approval.end", id, decision: answer.decision, by });
  return { ...answer, by };
}

export function deny(
  run: Run,
  at: { call: CallPart; descriptor: ToolDescriptor; input: JsonObject },
  reason: string,
): Settled {
  const { call, descriptor, input } = at;
  run.tally.denials.push({ tool_name: descriptor.name, tool_use_id: call.id, tool_input: input, reason });
  return settle(call, descriptor.name, "denied", reason);
}
