// The loop: ask the model, run its calls, ask again, until it answers. Nothing else.
// Invariant: no policy and no I/O of its own; limits, retries, permissions and texts are decided elsewhere.

import { callsOf } from "../core/message.js";
import type { Subtype } from "../core/result.js";
import { endOf } from "./ending.js";
import { judge, untried } from "./reply.js";
import type { Run } from "./run.js";
import { askWithinWindow } from "./window.js";

export type LoopEnd = { subtype: Subtype; text: string; detail?: string };

/** Runs until the model has answered or the run cannot go on. */
export async function loop(run: Run): Promise<LoopEnd> {
  let tried = untried;
  for (;;) {
    const over = run.over();
    if (over) return endOf.budget(over);
    run.warn();
    run.deliverNow();

    const asked = await askWithinWindow(run);
    if (asked.type === "ended") return asked.end;
    if (asked.type === "failed") return endOf.failure(asked.failure, run.ending());

    const verdict = judge(asked.message, asked.stop, tried);
    switch (verdict.kind) {
      case "answer":
        return { subtype: "success", text: verdict.text };
      case "end":
        return { subtype: verdict.subtype, text: verdict.text, detail: verdict.detail };
      case "again":
        tried = verdict.tried;
        run.remind(verdict.reminder);
        break;
      case "calls": {
        tried = untried;
        const batch = { calls: callsOf(asked.message), message: asked.entry, replays: asked.replays };
        const { runCalls } = await import("./schedule.js");
        const settled = await runCalls(run, batch);
        if (run.signal.aborted) return endOf.abort(run.ending());
        if (run.refusedFor) return endOf.budget(run.refusedFor);
        if (run.ports.hooks?.halt) return endOf.halt(run.ports.hooks.halt);
        const circle = await run.circling(settled);
        if (circle) return (await import("./last-word.js")).lastWord(run, circle);
        break;
      }
    }
  }
}
