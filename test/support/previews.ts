// A project with files, and the previews of a build in it.

import { onTestFinished } from "vitest";
import { ProjectPreviews } from "../../src/build/preview/previews.js";
import { startThrough } from "../../src/build/session-hands.js";
import { nodeFs } from "../../src/lib/fs.js";
import { systemClock } from "../../src/lib/system.js";
import { agentStage } from "./agents.js";

/** The preview ends with the test. */
export async function previewStage(files: Record<string, string>, mode: "auto" | "ask" = "auto") {
  const placed = Object.entries(files).map(([name, text]) => [`project/${name}`, text]);
  const at = agentStage({ main: [] }, Object.fromEntries(placed));
  const { session, harness } = await at.open({ settings: { permissions: { mode } } });
  const { root } = session.init;
  const previews = new ProjectPreviews({
    root,
    disk: nodeFs,
    clock: systemClock,
    start: startThrough(harness, session),
  });
  onTestFinished(async () => void (await previews.stop()));
  return { ...at, root, previews, harness, session };
}
