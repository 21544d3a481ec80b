// A project with files, and the previews of a build in it.

import { onTestFinished } from "vitest";
import type { Previews } from "../../src/build/ports.js";
import { ProjectPreviews } from "../../src/build/preview/previews.js";
import { findThrough, startThrough } from "../../src/build/session-hands.js";
import type { Harness, Session } from "../../src/index.js";
import { nodeFs } from "../../src/lib/fs.js";
import { systemClock } from "../../src/lib/system.js";
import { agentStage } from "./agents.js";

/** As a Cinch has them that has just begun. */
export function previewsIn(harness: Harness, session: Session): Previews {
  const { root } = session.init;
  const through = { start: startThrough(harness, session), find: findThrough(harness, root) };
  return new ProjectPreviews({ root, disk: nodeFs, clock: systemClock, ...through });
}

/** The preview ends with the test. */
export async function previewStage(files: Record<string, string>, mode: "auto" | "ask" = "auto") {
  const placed = Object.entries(files).map(([name, text]) => [`project/${name}`, text]);
  const at = agentStage({ main: [] }, Object.fromEntries(placed));
  const { session, harness } = await at.open({ settings: { permissions: { mode } } });
  const { root } = session.init;
  const previews = previewsIn(harness, session);
  onTestFinished(async () => void (await previews.stop()));
  return { ...at, root, previews, harness, session };
}
