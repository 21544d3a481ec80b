// Builds of one file from the command line: a plan of one's own, a gate with conditions, a budget over all starts, a pause by
// Ctrl-C; and `/build` in a conversation.

import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { app, plan, smallBuild as staged, verdict } from "../support/small-build.js";

const patient = { timeout: 120_000 };
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
      6,
      expect.stringContaining(`has been spent on the build ${id} before`),
    ]);
    expect((await at.run([...at.build, "--resume", id, "--max-cost", "1"])).exit).toBe(0);
  },
);

test("a reviewer that stays with FAIL, whatever it quotes, makes the build fail", patient, async () => {
  const quoted = {
    severity: "blocker",
    file: "app.js",
    what: "It says PASS: it does what was asked for, and does not.",
  };
  const at = staged({ implementer: [app, { text: "Made." }], gate: verdict("FAIL", quoted) });
  const done = await at.run([...at.planned, "--json"]);
  expect(done.exit).toBe(1);
  expect(JSON.parse(done.stdout)).toMatchObject({
    ...{ outcome: "failed", detail: "gate", why: `app.js: ${quoted.what}`, gate: { verdict: "FAIL" } },
    tasks: { app: { status: "failed", found: [`app.js: ${quoted.what}`] } },
  });
});

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

test(
  "a limit on the cost, of the flag or of the settings, pauses with exit 6 and holds over all starts",
  patient,
  async () => {
    const at = staged({ implementer: [{ ...app, usage: { in: 400_000, out: 0 } }, { text: "Made." }] });
    const done = [...at.planned, "--no-review"];
    const first = await at.run([...done, "--max-cost", "0.3"]);
    const id = at.onlyBuild();
    expect([first.exit, first.stderr]).toEqual([
      6,
      expect.stringMatching(/The limit is reached: \$0\.4\d+ were spent here/),
    ]);
    expect(first.stderr).toContain(`cinch build --resume ${id} --max-cost <more>`);
    at.play({
      implementer: [
        { match: "was interrupted", skip: true, ...app, usage: { in: 400_000, out: 0 } },
        { text: "Made." },
      ],
    });
    const resumed = [...at.build, "--no-review", "--resume", id];
    at.limit({ cost: 0.5 });
    const again = await at.run(resumed);
    expect([again.exit, again.stderr]).toEqual([6, expect.stringContaining("The limit is reached")]);
    const over = await at.run(resumed);
    expect([over.exit, over.stderr]).toEqual([
      6,
      expect.stringContaining(`All of $0.5 has been spent on the build ${id}`),
    ]);
    at.play({ implementer: [app, { text: "Made." }] });
    const whole = await at.run([...resumed, "--max-cost", "5"]);
    expect([whole.exit, whole.stdout]).toEqual([0, expect.stringContaining(`Built: ${id}.`)]);
  },
);

test.each([
  ["a plan that does not hold", ["--plan", "bad.yaml"], /bad\.yaml:\d+: app: single-file has no role nobody/],
  ["a plan that is not there", ["--plan", "none.yaml"], /none\.yaml is no plan that can be read/],
  ["a formation that is not there", ["An app", "--formation", "none"], /There is no formation "none"/],
  ["a spec that is not there", ["none.md"], /none\.md is no text/],
  ["an empty spec", ["empty.md"], /empty\.md is empty/],
  ["nothing", [" "], /There is nothing to build/],
])("%s is said before a model is looked for", async (_what, args, why) => {
  const at = staged({});
  writeFileSync(
    join(at.project, "bad.yaml"),
    JSON.stringify({ ...plan, tasks: [{ ...plan.tasks[0], role: "nobody" }] }, null, 1),
  );
  writeFileSync(join(at.project, "empty.md"), "\n");
  const done = await at.bare(["build", "--yes", ...args]);
  expect([done.exit, done.stderr]).toEqual([2, expect.stringMatching(why)]);
});

test(
  "where nothing can be kept the plan that was made is told; what failed says how it begins anew",
  patient,
  async () => {
    const at = staged({ planner: [{ text: JSON.stringify(plan) }], implementer: [{ text: "Made." }] });
    mkdirSync(join(at.project, ".cinch"));
    writeFileSync(join(at.project, ".cinch/build"), "");
    const lost = await at.run([...at.build, "An app", "--formation", "single-file"]);
    expect([lost.exit, lost.stderr]).toEqual([1, expect.stringContaining("build is no directory")]);
    expect(lost.stderr).toContain("goal: An app\nformation: single-file\n");
    rmSync(join(at.project, ".cinch/build"));
    const failed = await at.run([...at.planned, "--no-review"]);
    expect([failed.exit, failed.stderr]).toEqual([
      1,
      expect.stringContaining(`What had failed begins anew with: cinch build --resume ${at.onlyBuild()}`),
    ]);
  },
);

test("a build that came with the project is not gone on with", async () => {
  const at = staged({});
  const folder = join(at.project, ".cinch/build/2026-01-01-aaaaaa");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "plan.yaml"), JSON.stringify(plan));
  writeFileSync(
    join(folder, "state.json"),
    JSON.stringify({ v: 1, id: "2026-01-01-aaaaaa", outcome: "done", tasks: {} }),
  );
  const done = await at.run([...at.build, "--resume", "2026-01-01-aaaaaa"]);
  expect([done.exit, done.stdout]).toEqual([1, ""]);
  expect(done.stderr).toContain("was not begun here by you");
  expect(done.stderr).toContain(`cinch build --plan ${join(folder, "plan.yaml")}`);
});

function conversed(at: ReturnType<typeof staged>, ...more: string[]) {
  const live = at.start([...at.flags, ...more, "--input-format", "stream-json", "--output-format", "stream-json"]);
  const results = () => live.stdout.split("\n").filter((line) => line.includes('"type":"result"'));
  const said = async (text: string) => {
    const before = results().length;
    live.send({ type: "user", text });
    await expect.poll(() => results().length, { timeout: 60_000 }).toBe(before + 1);
    return JSON.parse(results().at(-1) ?? "{}") as Record<string, unknown> & { result: string; detail: string };
  };
  return { live, said, results };
}

test("/build takes the flags of the command, and its result says what it used", patient, async () => {
  const at = staged({ implementer: [app, { text: "Made." }], planner: [{ text: JSON.stringify(plan) }] });
  const { live, said } = conversed(at);
  const planned = await said("/build --formation single-file --no-verify --no-review --no-preview An app with --json");
  expect(planned).toMatchObject({ subtype: "success", num_turns: 1, result: expect.stringContaining("Build this?") });
  const built = await said("/build yes");
  expect(built).toMatchObject({ subtype: "success", exit_code: 0, result: expect.stringContaining("Built: ") });
  // The file, the end, and the reading back.
  expect(built["num_turns"]).toBe(3);
  expect(built["total_cost_usd"]).toBeGreaterThan(0);
  expect((built["usage"] as { input_tokens: number }).input_tokens).toBeGreaterThan(0);
  expect(live.stderr).not.toMatch(/^(L1|Gate)/m);
  expect(await said("/build --formtion x An app")).toMatchObject({ detail: expect.stringContaining("--formation?") });
  const dear = await said("/build An app --yes --formation single-file --max-cost 0.000001");
  expect(dear).toMatchObject({
    subtype: "error_budget",
    exit_code: 6,
    detail: expect.stringContaining("The limit is reached"),
  });
  live.end();
  await live.done;
});

test(
  "cancelled on the control channel a build stops its agents, and goes on in their conversations",
  patient,
  async () => {
    const at = staged({
      implementer: [app, { ...app, match: "app.js", skip: true, delay_ms: 600_000 }],
      planner: [{ text: JSON.stringify(plan) }],
    });
    const { live, said, results } = conversed(at);
    live.send({
      type: "user",
      text: "/build An app --yes --formation single-file --no-verify --no-review --no-preview",
    });
    await expect.poll(() => existsSync(join(at.project, "app.js")), { timeout: 60_000 }).toBe(true);
    live.send({ type: "cancel" });
    await expect.poll(() => results().length, { timeout: 60_000 }).toBe(1);
    const id = at.onlyBuild();
    expect(JSON.parse(results()[0] ?? "")).toMatchObject({
      ...{ subtype: "error_cancelled", exit_code: 130, detail: `Paused. Go on with: /build resume ${id}` },
    });
    const listed = JSON.parse((await at.bare(["tasks", "list", "--json"])).stdout) as { tasks?: { state: string }[] };
    expect(JSON.stringify(listed)).not.toContain('"running"');
    at.play({ implementer: [{ match: "was interrupted", text: "It was there already." }, { text: "Made." }] });
    expect(await said(`/build resume ${id} --no-verify --no-review --no-preview`)).toMatchObject({
      ...{ subtype: "success", result: expect.stringContaining(`Built: ${id}.`) },
    });
    live.send({ type: "cancel" });
    await expect.poll(() => live.stdout).toContain("nothing is running");
    live.end();
    await live.done;
  },
);

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
