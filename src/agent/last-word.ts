// The end of a run that went round in circles: one more request for a summary in text, whatever comes back (SPEC 1.3).
// Invariant: the tools stay declared and no call is run; without a summary, because the provider is away or the
// conversation cannot be made to fit, the run ends the same way.

import { callsOf, textOf } from "../core/message.js";
import { endOf } from "./ending.js";
import type { LoopEnd } from "./loop.js";
import type { Circle } from "./recovery.js";
import type { Run } from "./run.js";
import { runCalls } from "./schedule.js";
import { askWithinWindow } from "./window.js";

export async function lastWord(run: Run, circle: Circle): Promise<LoopEnd> {
  const end = { subtype: "error_loop_detected", detail: `stopped as a loop: ${circle.said}` } as const;
  run.closing = true;
  run.remind(circle.text);
  const asked = await askWithinWindow(run);
  if (run.signal.aborted) return endOf.abort(run.ending());
  if (asked.type !== "reply") return { ...end, text: "" };
  const { message, entry, replays } = asked;
  await runCalls(run, { calls: callsOf(message), message: entry, replays });
  return { ...end, text: textOf(message) };
}
