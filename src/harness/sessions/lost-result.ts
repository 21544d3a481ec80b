// The result of a call whose own result never got into the log, in words that the model can act on.
// Invariants: nothing is run for it; what is said is what the log proves. No intent = nothing was begun that has effects; an
// intent alone = nobody knows, unless it says which content it was to leave, which the disk can be held against; an outcome = it
// ended, and only the text is gone.

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

/** What became of the files a call was about to change, by their names. */
export interface Fate {
  /** They are as it was to leave them. */
  written: readonly string[];
  /** They are as they were before it. */
  unwritten: readonly string[];
  /** Neither. */
  other: readonly string[];
}

/** `found`: what is known of its effects all the same. */
export function lostResult(open: OpenCall, found = "", fate: Fate | null = null): Message {
  const end = open.outcome ? ended(open.outcome) : fate ? fateText(fate) : said[open.state];
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

function fateText({ written, unwritten, other }: Fate): string {
  const changed =
    other.length === 0
      ? ""
      : ` ${named(other)} ${are(other)} neither as before nor as this call would have left it: look first.`;
  if (written.length + other.length === 0) {
    return `Not done: the session was interrupted before this call changed anything. Not written: ${named(unwritten)}. Make it again if you still need it.`;
  }
  if (unwritten.length + other.length === 0) {
    return `This call was done before the session was interrupted; only its result was lost. Written as planned: ${named(written)}. Do not repeat it.`;
  }
  const done = written.length === 0 ? "" : ` Written as planned: ${named(written)}.`;
  const open = unwritten.length === 0 ? "" : ` Not written, still as before: ${named(unwritten)}.`;
  return `The session was interrupted in the middle of this call.${done}${open}${changed} Go on from there.`;
}

const are = (names: readonly string[]) => (names.length === 1 ? "is" : "are");

function named(names: readonly string[]): string {
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : "";
  return `${names.slice(0, mostNamed).join(", ")}${more}`;
}

/** Statuses of calls that were never carried out. */
const refused: readonly CallStatus[] = ["denied", "conflict", "not_run"];
const mostNamed = 5;

function ended({ data: { status, files, exit } }: Entry<"outcome">): string {
  if (status === "unknown") return said.unknown;
  if (refused.includes(status)) {
    return `Not run (${status}); why was lost when the session was interrupted. Make it again if you still need it.`;
  }
  const changed = files.filter(({ before, after }) => before !== after).map(({ path }) => path);
  const what = changed.length > 0 ? ` It changed ${named(changed)}.` : "";
  const code = typeof exit === "number" ? `, exit code ${exit}` : "";
  return `This call ran and ended (${status}${code}), but its result was lost.${what} Do not repeat it; look at its effects if you need to.`;
}
