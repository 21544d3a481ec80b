import { spawn } from "node:child_process";
import { expect } from "vitest";
import { needsProc } from "../../test/support/needs.js";
import { endMarked, markName } from "./marked.js";
import { startedSince } from "./process-ids.js";

const never = Number.NEGATIVE_INFINITY;

needsProc("ids that begin anew hide nobody: of an old process, every other one can be its child", async () => {
  const mark = `wrapped${process.pid}`;
  const child = spawn("/bin/sleep", ["300"], { env: { [markName]: `${mark}.1` }, detached: true, stdio: "ignore" });
  const ended = new Promise((resolve) => child.once("exit", (_code, signal) => resolve(signal)));
  // A parent with a higher id than its child has.
  const parent = { pid: 2 ** 22 + 1, begun: never };
  await expect.poll(() => startedSince(parent.pid, parent.begun)).toContain(child.pid);
  expect(await endMarked(mark, { since: parent, graceMs: 500 })).toBe(1);
  expect(await ended).toBe("SIGTERM");
});

needsProc("of a young process only what came behind it is looked at, and all when ids have begun anew", () => {
  const begun = performance.now() + 60_000;
  expect(startedSince(process.pid, never)).toContain(1);
  expect(startedSince(2 ** 22 + 1, begun)).toContain(process.pid);
});
