// The one preview of a project, whoever asks for it: a build that has just shown it, or its user.
// Invariant: one each project of this process, which is also the one that an earlier process has left running; what is started
// belongs to the session that asks.

import type { Harness, Session } from "../../index.js";
import { nodeFs } from "../../lib/fs.js";
import { systemClock } from "../../lib/system.js";
import type { FindCommands, Previews, StartCommand } from "../ports.js";
import { findThrough, startThrough } from "../session-hands.js";
import { ProjectPreviews } from "./previews.js";

interface Asks {
  start: StartCommand;
  find: FindCommands;
}

const known = new Map<string, { previews: Previews; asks: Asks }>();

export function previewsOf(harness: Harness, session: Session): Previews {
  const { cwd: root } = session.init;
  const now: Asks = { start: startThrough(harness, session), find: findThrough(harness, root) };
  const found = known.get(root);
  if (found) {
    Object.assign(found.asks, now);
    return found.previews;
  }
  const asks = { ...now };
  const through: Asks = { start: (...command) => asks.start(...command), find: () => asks.find() };
  const previews = new ProjectPreviews({ root, disk: nodeFs, clock: systemClock, ...through });
  known.set(root, { previews, asks });
  return previews;
}
