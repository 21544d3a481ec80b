// Builds through the SDK with scripted agents: what is sent back and how often, what fails and what that blocks, who goes on,
// and what is done anew. The whole of it, with checks, gate and preview, is in test/cli/build.test.ts.

import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Verdict } from "../../src/build/ports.js";
import { manifestOf } from "../../src/build/record.js";
import { reopen } from "../../src/build/session-build.js";
import { sha256 } from "../../src/lib/hash.js";
import type { ScriptItem } from "../../src/models/script.js";
import { writeScript } from "../support/pomodoro.js";
import { tempDir } from "../support/run.js";
import { planOf, said, teamBuild, when, write } from "../support/team-build.js";

const whole = "export function start(port) {\n  return listen(port);\n}\n";
const hollow = "export function start() {}\n";

const staged = (task: string, agents: Record<string, ScriptItem[]>) => teamBuild(planOf(task), agents);

test("two stubs in a row: the task has failed, and what waits for it says for whom", async () => {
  const build = await staged("files: [app.js]", { implementer: [write(hollow), said] });
  await build.carry();
  expect(build.attempts()).toEqual({ app: ["first", "stub"], look: [] });
  expect(build.state).toMatchObject({
    outcome: "failed",
    failure: { detail: "tasks" },
    tasks: {
      app: { status: "failed", why: expect.stringContaining("app.js:1: start is empty") },
      look: { status: "blocked", why: "it waits for app" },
    },
  });
});

test("declared and never written: asked for by name once, then failed", async () => {
  const build = await staged("files: [app.js, more.js]", { implementer: [said] });
  await build.carry();
  expect(build.attempts()["app"]).toEqual(["first", "stub"]);
  expect((await build.records()).find(({ metadata }) => metadata?.["kind"] === "stub")?.prompt).toMatch(
    /"app\.js: it is not there"\n"more\.js: it is not there".*`write_file`.*`append_file`/s,
  );
  expect(build.state.tasks["app"]?.status).toBe("failed");
});

test("a small file that is what it should be is read back and never sent back", async () => {
  const build = await staged("files: [pkg/__init__.py]", {
    implementer: [when("Write the app", write("from .core import run\n", "pkg/__init__.py")), said],
  });
  await build.carry();
  expect(build.attempts()).toEqual({ app: ["first", "read back"], look: ["first"] });
  expect(build.state.outcome).toBe("done");
});

test("the manifest has every changed file with its hashes, also what a command has changed", async () => {
  const command = "echo made > made.txt; echo new > old.txt";
  const build = await staged("files: [app.js]", {
    implementer: [
      when("Write the app", write(whole)),
      when("^created app\\.js", { calls: [{ tool: "run_command", input: { command } }] }),
      said,
    ],
  });
  writeFileSync(join(build.root, "old.txt"), "old\n");
  await build.carry();
  expect(manifestOf(build.state, []).tasks["app"]?.files.sort((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
    { path: "app.js", before: null, after: sha256(whole) },
    { path: "made.txt", before: null, after: sha256("made\n") },
    { path: "old.txt", before: sha256("old\n"), after: sha256("new\n") },
  ]);
});

test("a stronger model goes on once, and is told what is written", async () => {
  const stronger = join(tempDir(), "stronger.json");
  writeScript(stronger, [write(hollow), said]);
  const build = await staged(`files: [app.js], escalate: "scripted/${stronger}"`, {
    implementer: [write(hollow), said],
  });
  await build.carry();
  expect(build.attempts()["app"]).toEqual(["first", "stub", "escalation"]);
  expect(build.state.tasks["app"]?.status).toBe("failed");
  const asked = (await build.records()).find(({ metadata }) => metadata?.["kind"] === "escalation");
  expect(asked?.prompt).toContain("# Written already; read it before you change it\n- app.js");
});

test("a build that has failed begins anew with what had failed; what it cost before is known", async () => {
  const build = await staged("files: [app.js]", { implementer: [write(hollow), said] });
  await build.carry();
  const before = await build.spent();
  expect(before).toBeGreaterThan(0);
  reopen(build.record);
  expect(build.state).toMatchObject({ outcome: "open", tasks: {}, round: 1 });
  rmSync(join(build.root, "app.js"));
  const again = [when("Write the app", write(whole)), said];
  writeScript(build.script, { main: [], agents: { implementer: again } });
  await build.carry();
  expect(build.attempts()["app"]).toEqual(["first", "stub", "first", "read back"]);
  expect(build.state.outcome).toBe("done");
  expect(await build.spent()).toBeGreaterThan(before);
});

test.each<[Verdict["verdict"], string, string[]]>([
  ["CONDITIONAL", "done", []],
  ["FAIL", "failed", ["mend 1", "mend 2"]],
])("a gate that says %s every time: %s", async (verdict, outcome, mends) => {
  const build = await staged("files: [app.js]", { implementer: [when("Write the app", write(whole)), said] });
  await build.carry({ judge: { verdict, findings: [{ severity: "major", what: "no port is closed" }] } });
  expect(build.attempts()["app"]).toEqual(["first", "read back", ...mends]);
  expect(build.state).toMatchObject({ outcome, verdict: { verdict } });
  expect(existsSync(join(build.record.directory, "artifacts.json"))).toBe(true);
});

const found: Verdict = {
  verdict: "FAIL",
  findings: [{ severity: "major", file: "app.js", what: "no port is closed" }],
};
const removed: ScriptItem = { calls: [{ tool: "delete_file", input: { path: "app.js" } }] };

test("what was to be mended and is broken instead has failed, with what was found; resumed, it goes back to its agent", async () => {
  const build = await staged("files: [app.js]", {
    implementer: [when("Write the app", write(whole)), when("was checked", removed), said],
  });
  await build.carry({ judge: found });
  expect(build.attempts()["app"]).toEqual(["first", "read back", "mend 1", "mend 2"]);
  expect(build.state).toMatchObject({
    ...{ outcome: "failed", failure: { detail: "tasks", why: "stub: app.js: it is not there" } },
    tasks: {
      app: { status: "failed", found: ["stub: app.js: it is not there"], files: [] },
    },
  });
  reopen(build.record);
  expect(build.state.tasks).toMatchObject({ app: { status: "mending" }, look: { status: "done" } });
  writeScript(build.script, { main: [], agents: { implementer: [when("was checked", write(whole)), said] } });
  await build.carry();
  expect(build.attempts()["app"]).toEqual(["first", "read back", "mend 1", "mend 2", "mend"]);
  expect(build.state).toMatchObject({ outcome: "done", tasks: { app: { status: "done" } } });
});

test("what the reviewer finds three times stands with the task it is up to", async () => {
  const build = await staged("files: [app.js]", { implementer: [when("Write the app", write(whole)), said] });
  await build.carry({ judge: found });
  expect(build.state).toMatchObject({
    ...{ outcome: "failed", failure: { detail: "gate" } },
    tasks: { app: { status: "failed", found: ["app.js: no port is closed"] }, look: { status: "done" } },
  });
});

test("without a verdict nothing is sent back: there is nothing to mend", async () => {
  const build = await staged("files: [app.js]", { implementer: [when("Write the app", write(whole)), said] });
  await build.carry({ judge: { ...found, none: true } });
  expect(build.attempts()["app"]).toEqual(["first", "read back"]);
  expect(build.state).toMatchObject({
    outcome: "failed",
    failure: { detail: "gate" },
    tasks: { app: { status: "done" } },
  });
});

test("paused while something is mended: it stands as being mended, and goes on there", async () => {
  const build = await staged("files: [app.js]", {
    implementer: [when("Write the app", write(whole)), when("was checked", { text: "…", delay_ms: 600_000 }), said],
  });
  const pausing = new AbortController();
  const paused = build.carried({ judge: found, signal: pausing.signal });
  await expect.poll(() => build.state.tasks["app"]?.status, { timeout: 60_000 }).toBe("mending");
  await expect.poll(async () => (await build.records()).at(-1)?.state).toBe("running");
  pausing.abort();
  expect(await paused).toBe(false);
  expect(build.state).toMatchObject({
    outcome: "open",
    tasks: { app: { status: "mending", found: ["app.js: no port is closed"] } },
  });
});
