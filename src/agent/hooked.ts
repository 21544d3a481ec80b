// A call among the hooks of the user and the project (SPEC 1.1, 1.17): what they say before it is decided about, and after
// it has ended. Nothing here is reached in a session without hooks.
// Invariants: a hook can make things tighter; looser only what the mode alone would have asked about, and only a hook of the
// user's own. Rewritten input is planned and decided about like any other, and both inputs are in the log.

import type { JsonObject } from "../core/json.js";
import type { FileChange } from "../core/plan.js";
import type { ToolDescriptor } from "../core/tool.js";
import { type Ready, type Resolved, type Settled, settle } from "./call.js";
import type { Judgement } from "./ports.js";
import type { Run } from "./run.js";

/** What hooks say about a call before it is decided about. */
export interface HookVerdict {
  decision: "allow" | "ask" | "deny" | null;
  /** Why, for the model and the user. */
  reason: string;
  /** Name of the hook that decided. */
  by: string;
}

/** Asks the hooks about a plan. Returns the call as it is to be decided about; `plan` makes its plan anew. */
export async function beforeCall(
  run: Run,
  resolved: Resolved,
  ready: Ready,
  plan: (rewritten: Resolved) => Promise<Ready>,
  tell: (line: string) => void,
): Promise<Ready> {
  const { hooks, log, emit } = run.ports;
  if (!hooks?.listens("PreToolUse", resolved.descriptor)) return ready;
  const { input, changed, rewriter = "", ...hooked } = await hooks.before(run, ready);
  if (input === undefined && !changed) return { ...ready, hooked };
  const rewritten =
    input === undefined ? resolved : { ...resolved, input: ready.tool.hook?.from(input, ready.plan) ?? input };
  if (input === undefined) return { ...(await plan(rewritten)), hooked };
  const data = { call: ready.call.id, from: ready.input, to: rewritten.input };
  const text = `The hook ${rewriter} rewrote the input of ${ready.descriptor.name}.`;
  log.append("note", { code: "hook.input", text, data });
  emit({ type: "notice", level: "info", code: "hook.input", text });
  const line = `the hook ${rewriter} rewrote its input to ${shown(input)}`;
  tell(line);
  return { ...(await plan(rewritten)), hooked, rewritten: line };
}

/** In one line. */
function shown(input: JsonObject): string {
  const text = JSON.stringify(input);
  return text.length <= longest ? text : `${text.slice(0, longest)}… (${text.length} characters)`;
}

const longest = 400;

/** What the model reads when the call is not what it asked for. */
export function withRewrite(settled: Settled, line: string | undefined): Settled {
  return line === undefined ? settled : { ...settled, text: `${settled.text}\n[Not as you called it: ${line}]` };
}

/** A hook has ended the run: no call begins any more. */
export function halted(run: Run, { call, descriptor }: Pick<Ready, "call" | "descriptor">): Settled | null {
  if (!run.ports.hooks?.halt) return null;
  return settle(call, descriptor.name, "not_run", "Not run: a hook has ended the run.");
}

/** The decision with what the hooks said about it. */
export function withHooks(judged: Judgement, hooked: HookVerdict | undefined): Judgement {
  if (!hooked || hooked.decision === null || judged.verdict === "deny") return judged;
  const { decision, reason, by } = hooked;
  const rule = `hook ${by}`;
  if (decision === "deny") return { ...judged, verdict: "deny", rule, reason };
  if (decision === "ask")
    return judged.verdict === "ask" ? judged : { ...judged, verdict: "ask", rule, reason, offer: null };
  // What a rule, a protected path or a danger asks about is not a hook's to answer.
  return judged.rule.startsWith("mode:") ? { ...judged, verdict: "allow", rule, reason } : judged;
}

export function isHooks({ rule }: Judgement): boolean {
  return rule.startsWith("hook ");
}

/** Some hook is told how calls of this tool end. */
export function isHeard({ ports: { hooks } }: Run, tool: ToolDescriptor): boolean {
  return hooks !== undefined && ends.some((event) => hooks.listens(event, tool));
}

const ends = ["PostToolUse", "PostToolUseFailure"] as const;

/** Tells the hooks how a call ended, and the model what they say to it. What was done stays done. */
export async function afterCall(run: Run, ready: Ready, settled: Settled): Promise<Settled> {
  const { hooks } = run.ports;
  const event = settled.status === "ok" ? "PostToolUse" : "PostToolUseFailure";
  if (!hooks?.listens(event, ready.descriptor)) return settled;
  const { text, files } = await hooks.after(run, ready, settled);
  if (text === "" && files.length === 0) return settled;
  return {
    ...settled,
    text: text === "" ? settled.text : `${settled.text}\n${text}`,
    files: after(settled.files, files),
  };
}

/** One change a path: from before the call to after its hooks. */
function after(files: readonly FileChange[], late: readonly FileChange[]): FileChange[] {
  const first = new Map(files.map((change) => [change.path, change]));
  for (const change of late) {
    const { before } = first.get(change.path) ?? change;
    first.set(change.path, { ...change, before });
  }
  return [...first.values()];
}
