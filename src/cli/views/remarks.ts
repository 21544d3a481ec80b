// What stderr says about a session, an event or a result, in sentences for a person. Pure.

import type { Event } from "../../core/event.js";
import type { Result, Subtype } from "../../core/result.js";
import type { Init } from "../../index.js";

/** Said once, when a session opens: only what the user did not say himself. */
export function opening(init: Init): string[] {
  const said = init.notices.map((notice) => notice);
  const { model, model_source: source, trust } = init;
  const waiting = init.ignored.filter((name) => !init.not_loaded.includes(name));
  if (source !== "given" && !source.startsWith("setting")) {
    said.push(
      /^[A-Z0-9_]+$/.test(source) ? `Model: ${model}, because ${source} is set.` : `Model: ${model} (${source}).`,
    );
  }
  if (trust === "untrusted" && waiting.length > 0) {
    said.push(
      `Not loaded, because this project is not trusted: ${waiting.join(", ")}. --trust loads it for this run, \`cinch trust project\` from now on.`,
    );
  }
  return said;
}

/** What an event has to say beside the protocol; null = nothing. */
export function remark(event: Event, verbose: boolean): string | null {
  switch (event.type) {
    case "notice":
      return event.level === "info" && !verbose ? null : event.text;
    case "turn.retry":
      return `${sentence(event.text)} Trying again in ${(event.delay_ms / 1000).toFixed(1)} s (attempt ${event.attempt + 1}).`;
    case "budget.warn":
      return `${event.what}: ${rounded(event.used)} of ${event.limit} are used.`;
    case "loop.stop":
      return `The run went round in circles (${event.shape}, ${event.count} turns) and was ended.`;
    case "cache.break":
      return verbose ? `The provider's cache was lost (${event.section}): ${event.cause}.` : null;
    case "compact.end":
      return verbose && event.ok ? event.text : null;
    case "approval.end":
      return event.via === undefined ? null : `Answered in ${event.via}: ${event.decision}.`;
    case "call.end":
      return verbose ? `${event.tool}: ${event.status}, ${Math.round(event.ms)} ms` : null;
    default:
      return null;
  }
}

/** With a full stop, unless it ends in one already: what a provider says is of either kind. */
function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function rounded(used: number): number {
  return Number(used.toPrecision(used < 1000 ? 3 : 15));
}

/** Why a run did not succeed and what to do; the first line of exit 7 names the flag to use (CONTRACT §2). */
export function closing(result: Result): string[] {
  const { subtype, detail, permission_denials: denials, undelivered } = result;
  const said: string[] = [];
  if (subtype !== "success") said.push(detail ?? fallback[subtype]);
  for (const denial of denials.slice(0, 5)) said.push(`Denied: ${denial.tool_name}. ${denial.reason}`);
  if (denials.length > 5) said.push(`… and ${denials.length - 5} more.`);
  if (undelivered.length > 0)
    said.push(`Never reached the model: ${undelivered.map((text) => JSON.stringify(text)).join(", ")}`);
  return said;
}

const fallback: Record<Exclude<Subtype, "success">, string> = {
  error_during_execution: "The run failed.",
  error_auth: "The provider refused the key.",
  error_loop_detected: "The run went in circles and was ended.",
  error_max_turns: "The limit of turns was reached before the task was done.",
  error_budget: "A budget was reached before the task was done.",
  error_denied: "A call was denied.",
  error_truncated: "The answer was still cut by the model's output limit after two continuations.",
  error_provider: "The provider stayed unavailable; the same command may be run again.",
  error_cancelled: "The run was stopped.",
};
