// What is left to do when a run has its answer: its result names whatever it has changed, also in the background or late.
// Invariant: nothing of this is lost silently; what cannot be said in a result any more is said to the model and the user.

import { messageOf } from "../core/errors.js";
import type { Run } from "./run.js";

/** What commands in the background have changed since the last look is this run's as well. */
export async function finishTasks(run: Run): Promise<void> {
  const { companions, witness, log, emit } = run.ports;
  const call = (await companions?.finish()) ?? null;
  if (call === null || !witness) return;
  try {
    const { files, text, coverage } = await witness.after(call);
    if (coverage === "partial") run.tally.partial();
    if (files.length === 0) return;
    for (const change of files) run.tally.changed(change, true);
    log.append("outcome", { call, tool: "tasks", status: "ok", files: [...files] });
    if (text !== "") run.remind(`Commands in the background have changed since:\n${text}`);
  } catch (thrown) {
    run.tally.partial();
    const why = `What commands in the background have changed could not be looked at: ${messageOf(thrown)}.`;
    emit({ type: "notice", level: "warning", code: "tasks", text: why });
  }
}

/** Deletions that no write has followed. */
export async function finishHeld(run: Run): Promise<void> {
  const { held, emit } = run.ports;
  await held?.carryOut();
  const late = held?.take();
  for (const change of late?.files ?? []) run.changed(change);
  if (!late || late.text === "") return;
  emit({ type: "notice", level: "warning", code: "not-deleted", text: late.text });
  // There is no result left that could say it; the next request does.
  run.remind(late.text);
}
