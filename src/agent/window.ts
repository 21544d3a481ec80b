// A turn's request, kept within the model's window: compacted before it when the window is nearly full, and once more
// when the provider says that it does not fit.
// Invariant: no loop in here, so whatever the model and the provider answer, one turn compacts at most twice and asks
// at most twice.

import { type Asked, askModel } from "./ask-model.js";
import { reachedByTurn } from "./budget.js";
import { endOf } from "./ending.js";
import type { LoopEnd } from "./loop.js";
import type { Compacted } from "./ports.js";
import type { Run } from "./run.js";

export async function askWithinWindow(run: Run): Promise<Asked | { type: "ended"; end: LoopEnd }> {
  const { compaction } = run.ports;
  if (compaction?.due()) {
    const end = endAfter(run, await compaction.compact(run, { cause: "window" }));
    if (end) return { type: "ended", end };
  }
  const asked = await askModel(run);
  if (!compaction || !overflows(asked)) return asked;
  const made = await compaction.compact(run, { cause: "overflow" });
  if (made.type === "nothing") return stillTooLong(asked, "there is nothing that could be compacted");
  const end = endAfter(run, made);
  if (end) return { type: "ended", end };
  const again = await askModel(run);
  return overflows(again) ? stillTooLong(again, "it was compacted, and that was not enough") : again;
}

type Failed = Extract<Asked, { type: "failed" }>;

function overflows(asked: Asked): asked is Failed {
  return asked.type === "failed" && asked.failure.kind === "overflow";
}

function stillTooLong({ failure }: Failed, why: string): Failed {
  const text = `${failure.text.replace(/\.$/, "")}: the conversation is too long, and ${why}`;
  return { type: "failed", failure: { ...failure, text } };
}

/** What was said meanwhile goes into the request that follows; what the summary cost counts before it. */
function endAfter(run: Run, made: Compacted): LoopEnd | null {
  if (made.type === "failed") return made.end;
  if (made.type === "nothing") return null;
  const over = reachedByTurn(run.tally.spent(), run.ports.limits);
  if (over) return endOf.budget(over);
  run.deliverNow();
  return null;
}
