// `cinch build`, end to end: the Pomodoro timer by a team of scripted agents, with a stub that is caught, a conflict, a gate
// that fails and is mended; and the same killed in the middle.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Manifest } from "../../src/build/record.js";
import { sha256 } from "../../src/lib/hash.js";
import { cliStage } from "../support/cli.js";
import { plan, pomodoro, treeOf, writeScript } from "../support/pomodoro.js";

const patient = { timeout: 120_000 };

function staged(script: object = pomodoro()) {
  const at = cliStage();
  const file = join(at.home, "..", "script.json");
  writeScript(file, script);
  return { ...at, play: (next: object) => writeScript(file, next) };
}

const wanted = [
  "build",
  "A Pomodoro timer",
  "--formation",
  "feature-impl",
  "--permission-mode",
  "auto",
  "--yes",
  "--json",
];

function built(project: string): Manifest {
  const [id = ""] = readdirSync(join(project, ".cinch/build")).filter((name) => name !== ".gitignore");
  return JSON.parse(readFileSync(join(project, ".cinch/build", id, "artifacts.json"), "utf8")) as Manifest;
}

test("the Pomodoro timer: a stub is caught, a conflict kept apart, a failing gate mended", patient, async () => {
  const at = staged();
  const done = await at.run(wanted);
  expect([done.exit, done.stderr], done.stderr).toEqual([
    0,
    expect.stringContaining("page: not done: public/app.js:1: startTimer is empty"),
  ]);
  expect(done.stderr).toContain("Gate: FAIL");
  expect(done.stderr).toContain("page: sent back: public/app.js: the title does not show the time left");
  expect(done.stderr).toContain("Gate: PASS");
  const app = readFileSync(join(at.project, "public/app.js"), "utf8");
  expect(app.split("\n").length).toBeGreaterThan(300);
  expect(readFileSync(join(at.project, "server/index.js"), "utf8")).not.toContain("helping out");
  const manifest = built(at.project);
  expect(manifest).toMatchObject({ outcome: "done", gate: { verdict: "PASS" }, goal: plan.goal });
  const preview = { state: "stopped", what: "It ended with Cinch; --detach leaves it running." };
  expect([manifest, JSON.parse(done.stdout)]).toMatchObject([{ preview }, { preview }]);
  expect(
    Object.entries(manifest.tasks).map(([id, { status, attempts }]) => [
      id,
      status,
      ...attempts.map(({ kind }) => kind),
    ]),
  ).toEqual([
    ["server", "done", "first", "read back"],
    ["page", "done", "first", "stub", "mend 1"],
    ["fit", "done", "first", "read back"],
    ["check", "done", "first"],
  ]);
  expect(manifest.tasks["page"]?.files).toContainEqual({ path: "public/app.js", before: null, after: sha256(app) });
  expect(manifest.roles["frontend-impl"]?.usage.input).toBeGreaterThan(0);
  expect(manifest.others.map(({ kind }) => kind.split(" ")[0])).toEqual(["plan", "gate", "gate"]);
  const shot = manifest.evidence.find(({ level, artifact }) => level === "L3" && artifact?.endsWith(".png"));
  const l3 = manifest.evidence.filter(({ level }) => level === "L3");
  // Where there is no browser, that is what the evidence says.
  expect(shot !== undefined || l3.every(({ unchecked }) => unchecked)).toBe(true);
  if (shot) expect(existsSync(join(at.project, ".cinch/build", manifest.build, shot.artifact ?? ""))).toBe(true);
});

test("killed in the middle and gone on with: the same tree", patient, async () => {
  const whole = staged();
  expect((await whole.run(wanted)).exit).toBe(0);
  const at = staged(pomodoro(true));
  const live = at.start(wanted);
  const app = join(at.project, "public/app.js");
  await expect
    .poll(() => existsSync(app) && readFileSync(app, "utf8").includes("Thought 149"), { timeout: 60_000 })
    .toBe(true);
  await expect.poll(() => live.stderr, { timeout: 60_000 }).toContain("server done");
  live.child.kill("SIGKILL");
  await live.done;
  at.play(pomodoro());
  const [id = ""] = readdirSync(join(at.project, ".cinch/build")).filter((name) => name !== ".gitignore");
  const resumed = await at.bare([
    "build",
    "--resume",
    id,
    "-m",
    `scripted/${join(at.home, "..", "script.json")}`,
    "--permission-mode",
    "auto",
    "--yes",
    "--json",
    "--settings",
    join(at.home, "..", "settings.json"),
  ]);
  expect([resumed.exit, resumed.stderr], resumed.stderr).toEqual([
    0,
    expect.stringContaining("1 of 4 tasks have ended before"),
  ]);
  expect(treeOf(at.project)).toEqual(treeOf(whole.project));
  const manifest = built(at.project);
  expect(manifest.tasks["server"]?.attempts.map(({ kind }) => kind)).toEqual(["first", "read back"]);
  expect(manifest.tasks["page"]?.files.map(({ path }) => path).sort()).toEqual(["public/app.js", "public/index.html"]);
});
