// The result of a call whose own result never got into the log, in words that the model can act on.
// Invariants: nothing is run for it; what is said is what the log proves. No intent = nothing was begun that has effects; an
// intent alone = nobody knows; an outcome = it ended, and only the text is gone.

import type { Entry } from "../../core/entry.js";
import type { Message } from "../../core/message.js";
import type { CallStatus } from "../../core/tool.js";

export interface OpenCall {
  call: string;
  tool: string;
  state: "not_run" | "unknown" | "ran" | "branched";
  /** With `ran`. */
  outcome?: Entry<"outcome">;
}

/** `found`: what is known of its effects all the same. */
export function lostResult(open: OpenCall, found = ""): Message {
  const end = open.outcome ? ended(open.outcome) : said[open.state];
  const text = found === "" ? end : `${end}\n${found}`;
  return { role: "tool", parts: [{ type: "result", callId: open.call, tool: open.tool, text, isError: true }] };
}

const said: Record<OpenCall["state"], string> = {
  not_run: "Not run: the session was interrupted before this call had any effect. Make it again if you still need it.",
  unknown:
    "The session was interrupted while this call may have been running: it is unknown whether it took effect. Check before you repeat it.",
  ran: "This call ran, but its result was lost when the session was interrupted. Look at its effects before going on.",
  branched:
    "Not run on this branch: the conversation was taken up again before this call's result. On another branch it may have run; look before you rely on it either way.",
};

/** Statuses of calls that were never carried out. */
const refused: readonly CallStatus[] = ["denied", "conflict", "not_run"];
const mostNamed = 5;

function ended({ data: { status, files, exit } }: Entry<"outcome">): string {
  if (status === "unknown") return said.unknown;
  if (refused.includes(status)) {
    return `Not run (${status}); why was lost when the session was interrupted. Make it again if you still need it.`;
  }
  const changed = files.filter(({ before, after }) => before !== after).map(({ path }) => path);
  const more = changed.length > mostNamed ? ` and ${changed.length - mostNamed} more` : "";
  const what = changed.length > 0 ? ` It changed ${changed.slice(0, mostNamed).join(", ")}${more}.` : "";
  const code = typeof exit === "number" ? `, exit code ${exit}` : "";
  return `This call ran and ended (${status}${code}), but its result was lost.${what} Do not repeat it; look at its effects if you need to.`;
}
