// Builds of one file from the command line: a plan of one's own, a gate with conditions, a budget over all starts, a pause by
// Ctrl-C; and `/build` in a conversation.

import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ScriptItem } from "../../src/models/script.js";
import { cliStage } from "../support/cli.js";
import { writeScript } from "../support/pomodoro.js";

const patient = { timeout: 120_000 };
const plan = {
  goal: "An app",
  formation: "single-file",
  tasks: [{ id: "app", title: "The app", role: "implementer", prompt: "Write the app.", files: ["app.js"] }],
};
const app: ScriptItem = {
  ...{ match: "Write the app|was interrupted", skip: true },
  calls: [{ tool: "write_file", input: { path: "app.js", content: "export const on = () => true;\n" } }],
};
const verdict = (said: string, ...findings: object[]) => [{ text: JSON.stringify({ verdict: said, findings }) }];

function staged(agents: Record<string, ScriptItem[]>) {
  const at = cliStage();
  const base = join(at.home, "..");
  const script = join(base, "script.json");
  const play = (next: Record<string, ScriptItem[]>) => writeScript(script, { main: [], agents: next });
  play(agents);
  const settings = join(base, "priced.json");
  const models = { prices: { [`scripted/${script}`]: { input: 1, output: 1 } } };
  writeFileSync(settings, JSON.stringify({ sandbox: { mode: "off" }, lsp: { disabled: ["*"] }, models }));
  writeFileSync(join(base, "plan.yaml"), JSON.stringify(plan));
  const flags = ["--settings", settings, "--permission-mode", "auto"];
  const build = ["build", ...flags, "--yes", "--no-verify", "--no-preview"];
  const onlyBuild = () => {
    const [id = ""] = readdirSync(join(at.project, ".cinch/build")).filter((name) => name !== ".gitignore");
    return id;
  };
  return { ...at, play, flags, build, onlyBuild, planned: [...build, "--plan", join(base, "plan.yaml")] };
}

test(
  "a plan of one's own; CONDITIONAL says what is open, and is built; a budget counts what was spent before",
  patient,
  async () => {
    const finding = { severity: "major", file: "app.js", line: 1, what: "it cannot be turned off" };
    const at = staged({ implementer: [app, { text: "Made." }], gate: verdict("CONDITIONAL", finding) });
    const done = await at.run(at.planned);
    expect([done.exit, done.stderr]).toEqual([0, expect.stringContaining("Gate: CONDITIONAL")]);
    expect(done.stdout).toContain("Open:\n  app.js:1 it cannot be turned off");
    const id = at.onlyBuild();
    const spent = await at.run([...at.build, "--resume", id, "--max-cost", "0.000001"]);
    expect([spent.exit, spent.stderr]).toEqual([
      1,
      expect.stringContaining(`has been spent on the build ${id} before`),
    ]);
    expect((await at.run([...at.build, "--resume", id, "--max-cost", "1"])).exit).toBe(0);
  },
);

test("Ctrl-C pauses, and says how to go on", patient, async () => {
  const at = staged({ implementer: [{ ...app, delay_ms: 600_000 }] });
  const live = at.start([...at.planned, "--no-review"]);
  await expect.poll(() => live.stderr, { timeout: 60_000 }).toContain("app started");
  live.child.kill("SIGINT");
  const { exit } = await live.done;
  const id = at.onlyBuild();
  expect([exit, live.stderr]).toEqual([130, expect.stringContaining(`Paused. Go on with: cinch build --resume ${id}`)]);
  at.play({ implementer: [app, { text: "Made." }] });
  const resumed = await at.run([...at.build, "--no-review", "--resume", id]);
  expect([resumed.exit, resumed.stdout]).toEqual([0, expect.stringContaining(`Built: ${id}.`)]);
  expect(existsSync(join(at.project, "app.js"))).toBe(true);
});

test("/build: the plan is shown, a yes builds it; nobody to say yes is told so", patient, async () => {
  const at = staged({
    router: [{ text: '{"complexity":"routine","scope":"small"}' }],
    planner: [{ text: JSON.stringify(plan) }],
    implementer: [app, { text: "Made." }],
    gate: verdict("PASS"),
  });
  const alone = await at.run([...at.flags, "-p", "/build An app"]);
  expect(`${alone.stdout}${alone.stderr}`).toContain(
    "Nobody is there to say yes to the plan. Write /build <what> --yes.",
  );
  const live = at.start([...at.flags, "--input-format", "stream-json", "--output-format", "stream-json"]);
  const said = async (text: string) => {
    const before = results();
    live.send({ type: "user", text });
    await expect.poll(results, { timeout: 60_000 }).toBe(before + 1);
    return live.stdout.trimEnd().split("\n").at(-1);
  };
  const results = () => live.stdout.split("\n").filter((line) => line.includes('"type":"result"')).length;
  expect(await said("/build yes")).toContain("No plan waits for an answer");
  expect(await said("/build An app")).toContain("Build this?");
  expect(existsSync(join(at.project, "app.js"))).toBe(false);
  expect(await said("/build edit")).toContain("Change the plan");
  expect(await said("/build plan:\ngoal: x")).toContain("The plan does not hold");
  expect(await said("/build yes")).toContain("Built: ");
  live.end();
  expect((await live.done).exit).toBe(0);
  expect(live.stderr).toContain("app (implementer): The app");
  expect(existsSync(join(at.project, "app.js"))).toBe(true);
});
