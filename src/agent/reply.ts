// What to do with one reply of the model. Pure; the counters of what was already tried come in and go out.
//
//   reply                                     tried       -> verdict
//   has calls                                              calls (cut ones get a result that says so)
//   stop = refusal                                         end: refused
//   text, stop = length                       < 2 times    again: continue where it was cut
//   text, stop = length                       2 times      end: truncated
//   text                                                   answer
//   no text (perhaps thinking only)           not yet      again: say something or call something
//   no text                                   once         end: empty

import { callsOf, type Message, type Stop, textOf } from "../core/message.js";
import type { Subtype } from "../core/result.js";

export interface Tried {
  /** Text of the answer so far, when it was cut and continued. */
  text: string;
  continued: number;
  nudged: number;
}

export const untried: Tried = { text: "", continued: 0, nudged: 0 };

export type Verdict =
  | { kind: "calls" }
  | { kind: "answer"; text: string }
  | { kind: "again"; reminder: string; tried: Tried }
  | { kind: "end"; subtype: Subtype; detail: string; text: string };

export const maxContinuations = 2;

export function judge(message: Message, stop: Stop, tried: Tried): Verdict {
  const text = tried.text + textOf(message);
  if (callsOf(message).length > 0) return { kind: "calls" };
  if (stop === "refusal") {
    return { kind: "end", subtype: "error_during_execution", detail: "the model refused to answer", text };
  }
  if (stop === "length" && textOf(message) !== "") return cut(text, tried);
  if (text.trim() !== "") return { kind: "answer", text };
  if (tried.nudged > 0) {
    return { kind: "end", subtype: "error_during_execution", detail: "the model gave an empty answer twice", text };
  }
  const reminder = "Your reply had no visible text and no call. Make the next call, or answer the user.";
  return { kind: "again", reminder, tried: { ...tried, nudged: tried.nudged + 1 } };
}

function cut(text: string, tried: Tried): Verdict {
  if (tried.continued >= maxContinuations) {
    const detail = `the answer was still cut by the model's output limit after ${maxContinuations} continuations`;
    return { kind: "end", subtype: "error_truncated", detail, text };
  }
  const reminder = "Your answer was cut by the output limit. Go on exactly where it stops; repeat nothing.";
  return { kind: "again", reminder, tried: { ...tried, text, continued: tried.continued + 1 } };
}
