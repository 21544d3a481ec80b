// Whether a plan may be carried out: decided by rule, answered by the user, or denied because nobody can answer.
// Invariant: whatever has an effect and is allowed has its approval and its intent on disk before it runs; every denial is
// counted and says what is true now. Approvals are bound to the digest of the plan.

import type { JsonObject } from "../core/json.js";
import type { CallPart } from "../core/message.js";
import type { ToolDescriptor } from "../core/tool.js";
import { type Ready, type Settled, settle } from "./call.js";
import { type HookVerdict, halted, isHooks, withHooks } from "./hooked.js";
import type { Judgement } from "./ports.js";
import { put } from "./put.js";
import type { Run } from "./run.js";

/** It may run. */
export interface Authorised {
  /** A person allowed exactly this: now, or by a rule that can mean nothing else. */
  byHand: boolean;
}

/** Decision, question and intent of a plan; a Settled means it must not run. */
export async function authorise(run: Run, ready: Ready, message: string): Promise<Settled | Authorised> {
  const { ports } = run;
  const { call, descriptor, plan, input } = ready;
  const answered = await answerOfHooks(run, ready);
  const ended = halted(run, ready);
  if (ended) return ended;
  const judged = await judgementOf(run, ready, answered);
  if (plan.effect === "read" && judged.verdict === "allow") return { byHand: false };
  const denial = denialOf(run, ready, message, judged);
  if (denial) return denial;
  if (judged.verdict === "ask" && call.cut)
    return deny(run, ready, "Not written: a text that was cut is not put to the user.");
  const answer = judged.verdict === "ask" ? await question(run, ready) : decided(judged);
  const endedMeanwhile = halted(run, ready);
  if (endedMeanwhile) return endedMeanwhile;
  // A question of the agent has an end of its own.
  if (judged.verdict !== "ask" && plan.effect !== "ask") tellUnasked(run, call, "allow", answer.by);
  const { decision, by, feedback, rule, via } = answer;
  if (decision === "deny") return denyFor(run, ready, message, { ...judged, by, rule, feedback, via });
  const approval = { call: call.id, digest: plan.digest, decision, rule, by, ...(via === undefined ? {} : { via }) };
  const authorised = { byHand: by === "user" || judged.exact === true };
  if (plan.effect === "read") {
    ports.log.append("approval", approval, message);
    return authorised;
  }
  const intent = {
    call: call.id,
    tool: descriptor.name,
    input,
    digest: plan.digest,
    paths: [...plan.paths],
    effect: plan.effect,
    ...(plan.files ? { files: [...plan.files] } : {}),
  };
  ports.log.appendAll([
    { type: "approval", data: approval, parent: message },
    { type: "intent", data: intent, parent: message },
  ]);
  // Both at once: while the disk syncs, the project is looked at.
  await Promise.all([ports.log.sync(), plan.effect === "exec" ? ports.witness?.before(call.id, run.signal) : null]);
  return authorised;
}

/** What is decided, with what hooks said before and what they answer to the question that would follow. */
async function judgementOf(run: Run, ready: Ready, answer: HookVerdict | null = null): Promise<Judgement> {
  const judged = await run.ports.permissions.judge(ready.plan, ready.descriptor);
  return withHooks(withHooks(judged, ready.hooked), answer ?? undefined);
}

async function answerOfHooks(run: Run, ready: Ready): Promise<HookVerdict | null> {
  const { hooks } = run.ports;
  if (!hooks?.listens("PermissionRequest", ready.descriptor)) return null;
  const { verdict, reason } = await judgementOf(run, ready);
  return verdict === "ask" ? hooks.asked(run, ready, reason) : null;
}

/** The denial of a plan that nobody need be asked about, or nobody can be; null when it may yet be allowed. */
export async function denyUnasked(run: Run, ready: Ready, message: string): Promise<Settled | null> {
  return denialOf(run, ready, message, await run.ports.permissions.judge(ready.plan, ready.descriptor));
}

function denialOf(run: Run, ready: Ready, message: string, judged: Judgement): Settled | null {
  const { ask, answerable } = run.ports;
  if (judged.verdict === "allow" || (judged.verdict === "ask" && (ask || answerable))) return null;
  const by = judged.verdict === "ask" ? "headless" : isHooks(judged) ? "hook" : "rule";
  tellUnasked(run, ready.call, "deny", by);
  return denyFor(run, ready, message, { ...judged, by });
}

/** A decision that nobody was asked for has an end without a beginning, under the id of its call. */
function tellUnasked(run: Run, { id }: CallPart, decision: Answered["decision"], by: Answered["by"]): void {
  run.ports.emit({ type: "approval.end", id, decision, by });
}

interface Why extends Judgement {
  by: string;
  feedback?: string | undefined;
  via?: string | undefined;
}

function denyFor(run: Run, ready: Ready, message: string, why: Why): Settled {
  const { call, descriptor, plan } = ready;
  const { by, rule, feedback, flag, via } = why;
  const said = { ...(feedback === undefined ? {} : { reason: feedback }), ...(via === undefined ? {} : { via }) };
  const approval = { call: call.id, digest: plan.digest, decision: "deny", rule, by, ...said } as const;
  run.ports.log.append("approval", approval, message);
  const text = denialText(descriptor.name, why);
  if (by !== "headless") return deny(run, ready, text);
  run.tally.unanswered = flag;
  return deny(run, ready, text);
}

function denialText(tool: string, { by, rule, reason, hint, feedback }: Why): string {
  if (by === "user") return `The user denied this call. Nothing was done.${feedback ? ` They say: ${feedback}` : ""}`;
  if (by === "hook") return `Denied by a hook (${rule.replace(/^hook /, "")}): ${reason}\nNothing was done.`;
  const what = `Denied (${rule}): ${reason}.`;
  const way = hint === undefined ? "" : ` ${hint}`;
  if (by !== "headless") return `${what} Nothing was done.${way}`;
  return `${what} ${tool} needs an approval and nobody can give one in this run. Nothing was done.${way} Do without it, or say in your answer what is needed.`;
}

interface Answered {
  decision: "allow" | "deny";
  by: "user" | "rule" | "hook" | "headless";
  /** What decided. */
  rule: string;
  feedback?: string;
  via?: string;
}

function decided(judged: Judgement): Answered {
  return { decision: "allow", by: isHooks(judged) ? "hook" : "rule", rule: judged.rule };
}

/** Puts the question when it is its turn; what was answered before it may have made it needless. */
function question(run: Run, ready: Ready): Promise<Answered> {
  return run.ports.approvals.inTurn(async () => {
    const judged = await judgementOf(run, ready);
    return judged.verdict === "allow" ? decided(judged) : askUser(run, ready, judged);
  }, run.signal);
}

async function askUser(run: Run, { plan, call, descriptor, rewritten }: Ready, judged: Judgement): Promise<Answered> {
  const { ports } = run;
  const { summary, view, digest } = plan;
  const { offer } = judged;
  const reason = rewritten === undefined ? judged.reason : `${judged.reason}; ${rewritten}`;
  // A rule stands in a file: none is made of a call that holds a secret.
  const rule = offer !== null && ports.redactor.all(offer) === offer ? offer : null;
  const parts = plan.command?.parts ?? [];
  const about = { id: ports.ids.next(), call: call.id, tool: descriptor.name, digest, summary, view };
  const risk = plan.effect === "exec" ? await ports.witness?.atRisk(namedPaths(plan), run.signal) : "";
  const why = risk ? `${reason} ${risk}` : reason;
  const answer = await put(run, { ...about, reason: why, parts, rule }, `${summary} waits for your approval`);
  if (answer.decision === "allow" && answer.remember === true) await remember(run, rule);
  return { ...answer, rule: judged.rule };
}

/** What the parts of a command that do more than read are known to name. */
function namedPaths({ command }: Ready["plan"]): string[] {
  return command?.parts.flatMap(({ verdict, paths = [] }) => (verdict === "readonly" ? [] : paths)) ?? [];
}

/** A yes stands also when it cannot be remembered. */
async function remember({ ports }: Run, rule: string | null): Promise<void> {
  const failed = rule === null ? "There is no rule narrow enough for this." : await ports.permissions.remember(rule);
  const text =
    failed === null
      ? `From now on allowed in this project: ${rule}. \`cinch permissions revoke\` takes it back.`
      : `Allowed this once; it was not remembered. ${failed}`;
  ports.emit({ type: "notice", level: failed === null ? "info" : "warning", code: "remember", text });
}

export function deny(
  run: Run,
  at: { call: CallPart; descriptor: ToolDescriptor; input: JsonObject },
  reason: string,
): Settled {
  const { call, descriptor, input } = at;
  const { agent } = run.ports;
  const whose = agent === "main" ? {} : { agent };
  run.tally.denied({ tool_name: descriptor.name, tool_use_id: call.id, tool_input: input, reason, ...whose });
  return settle(call, descriptor.name, "denied", reason);
}
