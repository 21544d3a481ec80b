// Tasks of a session that ended while it was closed, so that its log does not know: the records do.

import { isSettled } from "../../core/task.js";
import type { Harness } from "../../index.js";
import type { Strip } from "./strip.js";

export async function forgetEnded(strip: Strip, { tasks }: Harness, refresh: () => void): Promise<void> {
  const known = strip.work.map(({ id }) => id);
  if (known.length === 0) return;
  const open = new Set((await tasks.list()).filter(({ state }) => !isSettled(state)).map(({ id }) => id));
  for (const id of known) if (!open.has(id)) strip.forget(id);
  refresh();
}
