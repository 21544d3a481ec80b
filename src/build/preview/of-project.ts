// The one preview of a project, whoever asks for it: a build that has just shown it, or its user.
// Invariant: one each project of this process; what is started belongs to the session that asks.

import type { Harness, Session } from "../../index.js";
import { nodeFs } from "../../lib/fs.js";
import { systemClock } from "../../lib/system.js";
import type { Previews, StartCommand } from "../ports.js";
import { startThrough } from "../session-hands.js";
import { ProjectPreviews } from "./previews.js";

const known = new Map<string, { previews: Previews; asks: { start: StartCommand } }>();

export function previewsOf(harness: Harness, session: Session): Previews {
  const { root } = session.init;
  const start = startThrough(harness, session);
  const found = known.get(root);
  if (found) {
    found.asks.start = start;
    return found.previews;
  }
  const asks = { start };
  const through: StartCommand = (command, options) => asks.start(command, options);
  const previews = new ProjectPreviews({ root, disk: nodeFs, clock: systemClock, start: through });
  known.set(root, { previews, asks });
  return previews;
}
