// What a hook has said, from how it ended and what it wrote (SPEC 1.17). Pure.
//
//   exit 0                                  stdout: JSON when it begins with {, else text
//   exit 2                                  no; stderr says why
//   exit 1, 3..125                          a warning; everything goes on
//   anything else (signal, time-out, 126 and up, not started, too long, JSON that does not parse or fit)
//                                           a fault: a no from a hook that guards, else a warning

import type { Hook, HookEvent } from "../core/hook.js";
import type { Json, JsonObject } from "../core/json.js";
import { isObject, parseJson } from "../lib/json.js";

/** How the command ended. */
export interface HookOutcome {
  exit: number | null;
  /** Why there is no exit code that means something; null = there is one. */
  fault: string | null;
  stdout: string;
  stderr: string;
}

export interface HookReply {
  /** It says no, and why. */
  block?: string;
  decision?: "allow" | "ask";
  /** Why `decision`. */
  reason?: string;
  /** The call's input as it wants it, in its own fields. */
  input?: JsonObject;
  /** For the model. */
  context?: string;
  /** The run is to end, and why. */
  stop?: string;
  /** For the user. */
  message?: string;
  /** Something is wrong with it. */
  warning?: string;
}

/** Characters of a text that go on to the model or the user. */
const longest = 10_000;

export function replyOf(hook: Hook, outcome: HookOutcome): HookReply {
  const { exit, stdout } = outcome;
  const stderr = bounded(outcome.stderr.trim());
  if (outcome.fault !== null) return faulty(hook, outcome.fault);
  if (exit === 2) return { block: stderr === "" ? "it gave no reason" : stderr };
  if (exit === null || exit > 125) return faulty(hook, `it ended with exit code ${exit}${stderr && `: ${stderr}`}`);
  if (exit !== 0) return { warning: `it ended with exit code ${exit}${stderr && `: ${stderr}`}` };
  const text = stdout.trim();
  if (!text.startsWith("{")) return text !== "" && speaks.includes(hook.event) ? { context: bounded(text) } : {};
  const said = parseJson(text);
  if (!isObject(said)) return faulty(hook, "its answer is not valid JSON");
  const wrong = misfit(said);
  return wrong ? faulty(hook, `its answer cannot be used: ${wrong}`) : understood(hook, said);
}

/** Of a hook that did not hear all of the input: what it wants in its place would take the gaps for content. */
export function withoutRewrite(hook: Hook, reply: HookReply): HookReply {
  const { input, ...rest } = reply;
  if (input === undefined) return reply;
  return { ...rest, ...faulty(hook, "secrets were taken out of what it was told, so its rewrite cannot be used") };
}

/** Events whose plain output is for the model. */
const speaks: readonly HookEvent[] = ["SessionStart", "UserPromptSubmit"];

function faulty({ event, failClosed }: Hook, why: string): HookReply {
  return event === "PreToolUse" && failClosed ? { block: `the hook failed: ${why}`, warning: why } : { warning: why };
}

function understood(hook: Hook, said: JsonObject): HookReply {
  const specific = isObject(said["hookSpecificOutput"]) ? said["hookSpecificOutput"] : {};
  const reply: HookReply = {};
  if (said["continue"] === false) reply.stop = text(said["stopReason"]) ?? "it gave no reason";
  const message = text(said["systemMessage"]);
  if (message !== undefined) reply.message = message;
  const context = text(specific["additionalContext"]);
  if (context !== undefined) reply.context = context;
  const { verdict, reason, input } = verdictOf(hook, said, specific);
  if (verdict === "deny") return { ...reply, block: reason ?? "it gave no reason" };
  if (verdict === "allow" || verdict === "ask") reply.decision = verdict;
  if (reason !== undefined) reply.reason = reason;
  return isObject(input) ? { ...reply, input } : reply;
}

/** Newer fields before older ones. */
function verdictOf({ event }: Hook, said: JsonObject, specific: JsonObject) {
  const old = said["decision"] === "block" ? "deny" : said["decision"] === "approve" ? "allow" : undefined;
  if (event === "PermissionRequest" && isObject(specific["decision"])) {
    const { behavior, message, updatedInput } = specific["decision"];
    return { verdict: behavior, reason: text(message), input: updatedInput };
  }
  const reason = text(specific["permissionDecisionReason"]) ?? text(said["reason"]);
  return { verdict: specific["permissionDecision"] ?? old, reason, input: specific["updatedInput"] };
}

type Shape = readonly [path: string, fits: (value: Json) => boolean, must: string];

const isString = (value: Json) => typeof value === "string";
const oneOf = (...values: string[]): [(value: Json) => boolean, string] => [
  (value) => values.includes(value as string),
  `one of ${values.join(", ")}`,
];

const shapes: readonly Shape[] = [
  ["continue", (value) => typeof value === "boolean", "true or false"],
  ["stopReason", isString, "a string"],
  ["systemMessage", isString, "a string"],
  ["decision", ...oneOf("approve", "block")],
  ["reason", isString, "a string"],
  ["hookSpecificOutput", isObject, "an object"],
  ["hookSpecificOutput.permissionDecision", ...oneOf("allow", "deny", "ask", "defer")],
  ["hookSpecificOutput.permissionDecisionReason", isString, "a string"],
  ["hookSpecificOutput.updatedInput", isObject, "an object"],
  ["hookSpecificOutput.additionalContext", isString, "a string"],
  ["hookSpecificOutput.decision", isObject, "an object"],
  ["hookSpecificOutput.decision.behavior", ...oneOf("allow", "deny")],
];

/** A guard that is misunderstood must not be taken for one that agrees. */
function misfit(said: JsonObject): string | null {
  for (const [path, fits, must] of shapes) {
    const value = path.split(".").reduce<Json | undefined>((at, key) => (isObject(at) ? at[key] : undefined), said);
    if (value !== undefined && value !== null && !fits(value)) return `${path} must be ${must}`;
  }
  return null;
}

function text(value: Json | undefined): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? bounded(value.trim()) : undefined;
}

function bounded(whole: string): string {
  return whole.length <= longest ? whole : `${whole.slice(0, longest)}\n[cut: ${whole.length} characters]`;
}
