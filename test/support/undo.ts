// `cinch undo` in this process, on the project of a stage.
import type { UndoPlan } from "../../src/files/undo/undo.js";
import { prepareUndo, type UndoRequest } from "../../src/harness/undo/undo.js";
import { nodeFs } from "../../src/lib/fs.js";
import { systemClock, systemIds } from "../../src/lib/system.js";

/** Plans and, when nothing is in conflict, does it. */
export async function undo(at: { root: string; home: string }, request: UndoRequest = {}): Promise<UndoPlan> {
  const place = { root: at.root, cwd: at.root, state: at.home };
  const planned = await prepareUndo({ ...place, disk: nodeFs, clock: systemClock, ids: systemIds }, request);
  try {
    if (planned.plan.conflicts.length === 0 && planned.plan.items.length > 0) await planned.apply();
    return planned.plan;
  } finally {
    await planned.close();
  }
}
