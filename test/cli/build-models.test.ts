// Every model that a build names is known before anything is paid for: in a plan, a formation, an agent's file and the settings.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cliStage } from "../support/cli.js";
import { app, plan, smallBuild } from "../support/small-build.js";

const patient = { timeout: 120_000 };
const escalating = (model: string) => ({ ...plan, tasks: [{ ...plan.tasks[0], escalate: model }] });
const paid = (text: string) => /started:/.test(text);

test.each(["nosuch/model", "anthropic/", "big"])(
  "a plan that escalates to %s is refused with its line",
  async (model) => {
    const at = cliStage([]);
    writeFileSync(join(at.project, "plan.yaml"), JSON.stringify(escalating(model), null, 1));
    const done = await at.bare(["build", "--yes", "--plan", "plan.yaml"]);
    expect(done).toMatchObject({ exit: 2, stdout: "" });
    expect(done.stderr).toMatch(/plan\.yaml:13: app: "\S+" names (?:no model|a provider and no model)/);
  },
);

test("a tier and the session's own model are names like others", patient, async () => {
  for (const model of ["fast", "inherit"]) {
    const at = smallBuild({ implementer: [app, { text: "Made." }] }, escalating(model));
    expect(await at.run([...at.planned, "--no-review"])).toMatchObject({ exit: 0 });
  }
});

test("a model without a key is exit 3, before any agent starts, also when a build is resumed", patient, async () => {
  const at = smallBuild({ implementer: [app, { text: "Made." }] }, escalating("anthropic/claude-opus-4-1"));
  const env = { ANTHROPIC_API_KEY: "sk-ant-none" };
  const needed = "The task app (escalate) needs the model anthropic/claude-opus-4-1.";
  const done = await at.run([...at.planned, "--no-review"]);
  expect([done.exit, done.stdout, paid(done.stderr)]).toEqual([3, "", false]);
  expect([done.stderr.includes(needed), existsSync(join(at.project, ".cinch/build"))]).toEqual([true, false]);
  const live = at.start([...at.planned, "--no-review"], { env });
  await expect.poll(() => live.stderr, { timeout: 60_000 }).toContain("app started");
  live.child.kill("SIGKILL");
  await live.done;
  const again = [...at.build, "--no-review", "--resume", at.onlyBuild()];
  expect(await at.run(again)).toMatchObject({ exit: 3, stderr: expect.stringContaining(needed) });
  expect(await at.run(again, { env })).toMatchObject({ exit: 0 });
});

test("a planner's plan that names an unknown model is sent back", patient, async () => {
  const asJson = (model: string) => JSON.stringify(escalating(model));
  const mended = { match: 'app: "nosuch/model" names no model', skip: true, text: asJson("smart") };
  const planner = [mended, { text: asJson("nosuch/model") }];
  const at = smallBuild({ planner, implementer: [app, { text: "Made." }] });
  const done = await at.run([...at.build, "--no-review", "An app", "--formation", "single-file"]);
  expect([done.exit, done.stdout], done.stderr).toEqual([0, expect.stringContaining("Built: ")]);
});

test("a formation's role, an agent's file and the settings name models too", patient, async () => {
  const at = smallBuild({ planner: [{ text: JSON.stringify(plan) }], implementer: [app, { text: "Made." }] });
  const own = (folder: string, name: string, text: string) => {
    mkdirSync(join(at.home, folder), { recursive: true });
    writeFileSync(join(at.home, folder, name), text);
  };
  const team = (name: string, agent: string, model: string) =>
    own(
      "formations",
      `${name}.yaml`,
      `name: ${name}\ndescription: One.\nroles:\n  - name: implementer\n    description: All.\n    agent: ${agent}\n    model: ${model}\nwaves: [[implementer]]\n`,
    );
  team("typo", "implement", "nosuch/model");
  team("keyless", "implement", "anthropic/claude-opus-4-1");
  own("agents", "dear.md", "---\nname: dear\ndescription: Works.\nmodel: anthropic/claude-opus-4-1\n---\nWork.\n");
  team("hired", "dear", "inherit");
  const valid = await at.bare(["formations", "validate"]);
  expect([valid.exit, valid.stdout]).toEqual([
    1,
    expect.stringMatching(/typo\.yaml:7: "nosuch\/model" names no model/),
  ]);
  for (const [formation, exit, why] of [
    ["typo", 2, '"nosuch/model" names no model'],
    ["keyless", 3, "The role implementer needs the model anthropic/claude-opus-4-1."],
    ["hired", 3, "The role implementer needs the model anthropic/claude-opus-4-1."],
  ] as const) {
    const done = await at.run([...at.build, "--no-review", "An app", "--formation", formation]);
    expect([done.exit, done.stdout, paid(done.stderr)], done.stderr).toEqual([exit, "", false]);
    expect(done.stderr).toContain(why);
  }
  const settings = join(at.base, "smart.json");
  writeFileSync(settings, JSON.stringify({ models: { smart: "nosuch/model" } }));
  const tier = ["build", "--settings", settings, "--yes", "--formation", "single-file", "An app"];
  const done = await at.run(tier);
  expect(done).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('The planner needs the model smart. "nosuch/model"'),
  });
});

test("a task for an agent with a model that is none starts nothing", patient, async () => {
  const call = (model_name: string) => ({
    calls: [
      { tool: "start_background_task", input: { kind: "agent", agent_name: "explore", prompt: "Look.", model_name } },
    ],
  });
  const at = cliStage([call("nosuch/model"), { match: "names no model.*Nothing was started", text: "Refused." }]);
  expect(await at.run(["-p", "go"])).toMatchObject({ exit: 0, stdout: expect.stringContaining("Refused.") });
});
