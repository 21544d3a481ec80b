// What an agent changed in all its work on a task: also before it was interrupted, and in the task that it goes on from.

import { NetChanges } from "../../agent/net-changes.js";
import type { FileChange } from "../../core/plan.js";
import type { LiveSession } from "../session.js";

/** `newest`: of the run that has just ended, with what its own agents did. */
export function changesOf(session: LiveSession, newest: readonly FileChange[]): FileChange[] {
  const net = new NetChanges();
  const own = new Set<string>();
  const found = new Set<string>();
  for (const { data } of session.outcomes) {
    for (const change of data.files) {
      if (change.before !== change.after || change.mode) own.add(change.path);
      net.add(change);
      // Whoever tells how a command ended has looked before and after it.
      if (data.exit === undefined) found.delete(change.path);
      else found.add(change.path);
    }
  }
  for (const change of newest) if (!own.has(change.path)) net.add(change);
  // What a model was shown of a file is nobody else's concern.
  return net.files().map(({ path, before, after, mode }) => ({
    ...{ path, before, after, ...(mode ? { mode } : {}) },
    ...(found.has(path) ? { byCommand: true as const } : {}),
  }));
}
