// Acceptance commands of a build: what counts as passed, what a pause during one says, and whose their changes are.

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { VerifyBuild } from "../../src/build/ports.js";
import { reopen } from "../../src/build/session-build.js";
import { verifier } from "../../src/build/verify/index.js";
import { nodeFs } from "../../src/lib/fs.js";
import { sha256 } from "../../src/lib/hash.js";
import type { ScriptItem } from "../../src/models/script.js";
import { planOf, said, teamBuild, when, write } from "../support/team-build.js";

const whole = "export function start(port) {\n  return listen(port);\n}\n";
const made: ScriptItem[] = [when("Write the app", write(whole)), said];
const staged = (...accept: string[]) =>
  teamBuild(planOf(`files: [app.js], accept: ${JSON.stringify(accept)}`), { implementer: made });
// There is nothing to start.
const verify: VerifyBuild = (verification) => verifier(nodeFs, "")({ ...verification, levels: ["L1", "L4"] });

test("a command that a signal ends has not passed", async () => {
  const build = await staged("exec node -e 'process.abort()'");
  await build.carry();
  expect(build.attempts()["app"]).toEqual(["first", "read back", "accept"]);
  expect(build.state.tasks["app"]).toMatchObject({
    status: "failed",
    why: expect.stringContaining("`exec node -e 'process.abort()'` did not end by itself"),
  });
});

test("paused during a command: the task is not done, and the command is run again", async () => {
  const build = await staged("[ -e running ] && exit 1; touch running; sleep 60");
  const pausing = new AbortController();
  const paused = build.carried({ signal: pausing.signal });
  await expect.poll(() => existsSync(join(build.root, "running")), { timeout: 60_000 }).toBe(true);
  pausing.abort();
  expect(await paused).toBe(false);
  expect(build.state).toMatchObject({ outcome: "open", tasks: {} });
  await build.carry();
  expect(build.state).toMatchObject({ outcome: "failed", tasks: { app: { status: "failed" } } });
});

test("paused during the last look: the build is paused, and has not failed", async () => {
  // By the task itself it is run the first, third and fifth time, by the checks of the whole in between.
  const flaky = "echo x >> n; n=$(wc -l < n); [ $n -lt 6 ] || { touch last; sleep 60; }; [ $((n % 2)) = 1 ]";
  const build = await staged(flaky);
  const pausing = new AbortController();
  const paused = build.carried({ verify, signal: pausing.signal });
  await expect.poll(() => existsSync(join(build.root, "last")), { timeout: 60_000 }).toBe(true);
  pausing.abort();
  expect(await paused).toBe(false);
  expect(build.state).toMatchObject({ outcome: "open", cycles: 2, tasks: { app: { status: "done" } } });
});

test("what acceptance commands change is the task's, by its own look and by the last one", async () => {
  const build = await staged("echo x >> log; echo '// seen' >> app.js");
  await build.carry({ verify });
  expect(build.state.outcome).toBe("done");
  const { tasks } = await build.manifest();
  expect(tasks["app"]?.files).toEqual([
    { path: "app.js", before: null, after: sha256(`${whole}// seen\n// seen\n`) },
    { path: "log", before: null, after: sha256("x\nx\n") },
  ]);
});

test("a task that is done anew keeps what it had changed before, also when it writes the same once more", async () => {
  const build = await staged("test -e ok");
  await build.carry();
  expect(build.state.tasks["app"]?.status).toBe("failed");
  reopen(build.record);
  expect(build.state.tasks["app"]).toMatchObject({ status: "todo", files: [{ path: "app.js" }] });
  writeFileSync(join(build.root, "ok"), "");
  await build.carry();
  const { tasks } = await build.manifest();
  expect(build.attempts()["app"]).toEqual(["first", "read back", "accept", "first", "read back"]);
  expect(tasks["app"]).toMatchObject({
    status: "done",
    files: [{ path: "app.js", before: null, after: sha256(whole) }],
  });
  const look = (await build.records()).find(({ metadata }) => metadata?.["task"] === "look");
  expect(look?.prompt).toContain('"files":[{"path":"app.js"}]');
});
