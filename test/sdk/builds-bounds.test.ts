// What a formation and a plan say of a role holds for its agent: tools, files, model. And who gets what is found wrong, and when
// a pause falls.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Verdict } from "../../src/build/ports.js";
import { writeScript } from "../support/pomodoro.js";
import { tempDir } from "../support/run.js";
import { command, planOf, said, teamBuild, when, write } from "../support/team-build.js";

test("an agent is bounded as its role, its formation and its task say", async () => {
  const model = join(tempDir(), "model.json");
  writeScript(model, [write("export const on = () => true;\n"), said]);
  const formation = `name: own
description: d
deny: [append_file]
roles:
  - { name: maker, description: d, agent: implement, model: "scripted/${model}", tools: coding, deny: [delete_file], owns: ["lib/**"] }
  - { name: plain, description: d, agent: implement }
waves: [[maker], [plain]]
`;
  const plan = `goal: An app
formation: own
tasks:
  - { id: app, title: The app, role: maker, prompt: Write the app., files: [app.js] }
  - { id: more, title: More, role: plain, prompt: Write more. }
`;
  const build = await teamBuild(plan, { maker: [said], plain: [said] }, { formation });
  await build.carry();
  const of = async (task: string) => (await build.records()).filter(({ metadata }) => metadata?.["task"] === task);
  for (const record of await of("app"))
    expect(record).toMatchObject({
      model: `scripted/${model}`,
      bounds: { profile: "coding", deny: ["delete_file", "append_file"], owns: ["lib/**", "app.js"] },
    });
  const [more] = await of("more");
  expect(more).toMatchObject({ bounds: { profile: "full", deny: ["append_file"] } });
  expect(more?.model).not.toBe(`scripted/${model}`);
  expect([build.state.outcome, build.attempts()]).toEqual(["done", { app: ["first", "read back"], more: ["first"] }]);
});

test("a finding about a file that no plan names goes to whoever changed it", async () => {
  const plan = `goal: An app
formation: lightweight-feature
tasks:
  - { id: app, title: The app, role: implementer, prompt: Write the app. }
  - { id: more, title: More, role: implementer, prompt: Write more., after: [app] }
`;
  const build = await teamBuild(plan, { implementer: [when("Write the app", write("extra\n", "extra.txt")), said] });
  const judge: Verdict = { verdict: "FAIL", findings: [{ severity: "major", file: "extra.txt", what: "it is thin" }] };
  await build.carry({ judge });
  expect(build.attempts()).toEqual({ app: ["first", "mend 1", "mend 2"], more: ["first"] });
  expect(build.state.tasks).toMatchObject({ app: { status: "failed" }, more: { status: "done" } });
});

test("a pause lets a call that is under way end", async () => {
  const build = await teamBuild(planOf(""), {
    implementer: [when("Write the app", command("touch begun; sleep 1; touch over")), said],
  });
  const pausing = new AbortController();
  const paused = build.carried({ signal: pausing.signal });
  await expect.poll(() => existsSync(join(build.root, "begun")), { timeout: 60_000 }).toBe(true);
  pausing.abort();
  expect(await paused).toBe(false);
  expect(existsSync(join(build.root, "over"))).toBe(true);
});
