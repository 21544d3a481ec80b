// What agents and builds did is part of the session: undo, why, files of the result, export and cost, by the program.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentFile } from "../support/agents.js";
import { cliStage } from "../support/cli.js";
import { app, plan, smallBuild, verdict } from "../support/small-build.js";

const patient = { timeout: 120_000 };
const bash = (command: string) => ({ calls: [{ tool: "run_command", input: { command } }] });
const write = (path: string, content: string) => ({ calls: [{ tool: "write_file", input: { path, content } }] });
const submit = (...tasks: object[]) => ({ calls: [{ tool: "submit_agent_tasks", input: { tasks } }] });
const auto = ["--permission-mode", "auto", "--output-format", "json"];

function played(script: object, files: Record<string, string> = {}) {
  const stage = cliStage();
  writeFileSync(join(stage.home, "..", "script.json"), JSON.stringify({ main: [], agents: {}, ...script }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(stage.project, name), text);
  const read = (name: string) => readFileSync(join(stage.project, name), "utf8");
  const has = (name: string) => existsSync(join(stage.project, name));
  const json = async (...args: string[]) => JSON.parse((await stage.bare([...args, "--json"])).stdout);
  return { ...stage, read, has, json };
}

test("undo and why see what agents on every level did, by tools and by commands", async () => {
  const at = played(
    {
      main: [submit({ agent_name: "lead", prompt: "outer" }), { text: "done" }],
      agents: {
        lead: [submit({ agent_name: "test", prompt: "inner" }), write("new.txt", "by outer\n"), { text: "ok" }],
        test: [bash("sed -i s/two/2/ old.txt"), { text: "ok" }],
      },
    },
    { "old.txt": "one\ntwo\n" },
  );
  mkdirSync(join(at.home, "agents"));
  writeFileSync(join(at.home, "agents/lead.md"), agentFile("lead", "tools: full"));
  const result = JSON.parse((await at.run([...auto, "-p", "go"])).stdout);
  const tasks = await at.json("tasks", "list");
  const task = (title: string) => tasks.tasks.find((each: { title: string }) => each.title === title).id;
  expect(result.files.map(({ path, agents }: { path: string; agents: string[] }) => [path, agents]).sort()).toEqual([
    [join(at.project, "new.txt"), [task("outer")]],
    [join(at.project, "old.txt"), [task("inner")]],
  ]);
  expect(result.coverage).toBe("full");
  expect(await at.json("why", "old.txt:2")).toMatchObject({
    ...{ made: "call", agent: task("inner"), run: "inner", family_session_id: result.session_id },
    replaced: ["two"],
  });
  expect((await at.bare(["why", "new.txt:1"])).stdout).toContain(`for session ${result.session_id}`);
  const undone = await at.json("undo");
  expect(undone).toMatchObject({ undone: true, session_id: result.session_id });
  expect([at.has("new.txt"), at.read("old.txt")]).toEqual([false, "one\ntwo\n"]);
  await at.json("undo");
  expect([at.read("new.txt"), at.read("old.txt")]).toEqual(["by outer\n", "one\n2\n"]);
});

test("one agent edits a file and another's command changes it afterwards, and ends first: it is in files", async () => {
  const until = (path: string) => `until [ -e ${path} ]; do sleep 0.02; done`;
  const at = played(
    {
      main: [
        submit({ agent_name: "implement", prompt: "edit" }, { agent_name: "test", prompt: "command" }),
        { text: "done" },
      ],
      agents: {
        implement: [
          { calls: [{ tool: "read_file", input: { path: "f" } }] },
          { calls: [{ tool: "edit_file", input: { path: "f", old_string: "one", new_string: "two" } }] },
          bash("touch edited"),
          bash(until("ended")),
          { text: "ok" },
        ],
        test: [bash(until("edited")), bash("node change.mjs"), bash("touch ended"), { text: "ok" }],
      },
    },
    // A claim holds file tools and what a command names; not what a program does.
    { f: "one\n", "change.mjs": 'import("node:fs").then((fs) => fs.writeFileSync("f", "three\\n"));' },
  );
  const result = JSON.parse((await at.run([...auto, "-p", "go"])).stdout);
  const change = result.files.find(({ path }: { path: string }) => path === join(at.project, "f"));
  expect(change?.agents).toHaveLength(2);
  expect(at.read("f")).toBe("three\n");
  expect(change.before).not.toBe(change.after);
  await at.json("undo");
  expect([at.read("f"), at.has("edited"), at.has("ended")]).toEqual(["one\n", false, false]);
});

test("a build in a conversation: its result has the files, and undo takes the whole build back", patient, async () => {
  const accepted = {
    goal: "An app",
    formation: "single-file",
    tasks: [
      {
        ...{ id: "app", title: "The app", role: "implementer", prompt: "Write the app.", files: ["app.js"] },
        accept: ["echo made > made.txt"],
      },
    ],
  };
  const at = smallBuild({
    implementer: [app, { text: "Made." }],
    planner: [{ text: JSON.stringify(accepted) }],
    gate: verdict("PASS"),
  });
  const prompt = "/build An app --yes --formation single-file --no-verify --no-preview";
  const { stdout } = await at.run([...at.flags, "--output-format", "json", "-p", prompt]);
  const result = JSON.parse(stdout);
  expect(result).toMatchObject({ subtype: "success", coverage: "full" });
  expect(result.files.map(({ path }: { path: string }) => path).sort()).toEqual(
    ["app.js", "made.txt"].map((name) => join(at.project, name)),
  );
  expect(result.num_turns).toBeGreaterThan(2);
  expect(result.total_cost_usd).toBeGreaterThan(0);
  expect(result.duration_ms).toBeGreaterThan(0);
  const why = JSON.parse((await at.bare(["why", "made.txt:1", "--json"])).stdout);
  expect(why).toMatchObject({ made: "call", agent: "main", run: expect.stringMatching(/^the build .* \(An app\)$/) });
  expect(JSON.parse((await at.bare(["why", "app.js:1", "--json"])).stdout)).toMatchObject({ made: "call" });
  const undone = JSON.parse((await at.bare(["undo", "--json"])).stdout);
  expect(undone).toMatchObject({ undone: true, what: expect.stringMatching(/^the build /) });
  expect(["app.js", "made.txt"].map((name) => existsSync(join(at.project, name)))).toEqual([false, false]);
});

test("cinch build: undo by default and by the build's id", patient, async () => {
  const at = smallBuild({ implementer: [app, { text: "Made." }], gate: verdict("PASS") });
  const { exit } = await at.run([...at.build, "--plan", at.planFile]);
  expect(exit).toBe(0);
  const id = at.onlyBuild();
  const dry = JSON.parse((await at.bare(["undo", "--only", id, "--dry-run", "--json"])).stdout);
  expect(dry.files).toMatchObject([{ path: join(at.project, "app.js"), action: "delete" }]);
  expect((await at.bare(["undo"])).stdout).toContain(`the build ${id}`);
  expect(existsSync(join(at.project, "app.js"))).toBe(false);
});

test("cost and export cover the agents; an import takes the session itself", async () => {
  const script = {
    main: [
      { ...submit({ agent_name: "implement", prompt: "make it" }), usage: { in: 1_000, out: 1 } },
      { text: "all done" },
    ],
    agents: {
      implement: [{ ...write("a.txt", "by the agent\n"), usage: { in: 20_000, out: 2 } }, { text: "I made it" }],
    },
  };
  const at = played(script);
  const result = JSON.parse((await at.run([...auto, "-p", "go"])).stdout);
  const cost = await at.json("sessions", "show", "--cost");
  expect(cost.usage).toEqual(result.usage);
  expect(cost).toMatchObject({ requests: 4, agents: { sessions: 1, requests: 2 } });
  const { session_id: id } = result;
  const [task] = result.tasks;
  for (const format of ["md", "html"]) {
    const { stdout } = await at.bare(["export", id, "--format", format]);
    for (const said of ["all done", "I made it", task.id, "by the agent"]) expect(stdout, format).toContain(said);
    expect(stdout.indexOf("all done"), format).toBeLessThan(stdout.lastIndexOf("I made it"));
  }
  const file = join(at.home, "..", "exported.jsonl");
  const exported = await at.json("export", id, "-o", file);
  const lines = readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines).toHaveLength(exported.entries);
  const headers = lines.filter(({ type }) => type === "header");
  expect(headers.map(({ data }) => data.task)).toEqual([undefined, task.id]);
  const imported = await at.bare(["import", file, "--json"]);
  expect(imported.stdout).not.toContain("I made it");
  const { stdout } = await at.bare(["export", JSON.parse(imported.stdout).session_id, "--format", "md"]);
  expect(stdout).toContain("all done");
  expect(stdout).not.toContain("by the agent");
});

test("/undo takes back a build that nobody has said anything after", patient, async () => {
  const at = smallBuild({
    implementer: [app, { text: "Made." }],
    planner: [{ text: JSON.stringify(plan) }],
    gate: verdict("PASS"),
  });
  const live = at.start([...at.flags, "--input-format", "stream-json", "--output-format", "stream-json"]);
  const results = () => live.stdout.split("\n").filter((line) => line.includes('"type":"result"'));
  const said = async (text: string) => {
    const before = results().length;
    live.send({ type: "user", text });
    await expect.poll(() => results().length, { timeout: 60_000 }).toBe(before + 1);
    return JSON.parse(results().at(-1) ?? "");
  };
  const flags = "--yes --formation single-file --no-verify --no-review --no-preview";
  expect((await said(`/build An app ${flags}`)).files).toHaveLength(1);
  expect(existsSync(join(at.project, "app.js"))).toBe(true);
  expect(await said("/undo")).toMatchObject({ subtype: "success", result: expect.stringContaining("app.js") });
  expect(existsSync(join(at.project, "app.js"))).toBe(false);
  live.end();
  await live.done;
});
