// What a program does in a session it has opened without asking a model: tasks for agents with bounds of their own, commands.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sha256 } from "../../src/lib/hash.js";
import { agentStage, call, write } from "../support/agents.js";

test("tasks without a model: records with value, cost and every changed file; nothing is told or asked above", async () => {
  const at = agentStage(
    {
      main: [{ text: "nobody asks me" }],
      agents: {
        implement: [
          write("a.txt"),
          call("run_command", { command: "echo more >> old.txt" }),
          { text: '{"files":2}', usage: { in: 10, out: 5 } },
        ],
      },
    },
    { "project/old.txt": "old\n" },
  );
  const { session, events } = await at.open();
  const schema = { type: "object", required: ["files"], properties: { files: { type: "number" } } };
  const [started] = await session.startTasks([
    { kind: "agent", agent: "implement", prompt: "make it", outputSchema: schema, limits: { turns: 9 } },
  ]);
  expect(started).toMatchObject({ owner: { call: expect.stringMatching(/^own_/) }, limits: { turns: 9 } });
  const [ended] = await session.waitTasks([started?.id ?? ""]);
  expect(ended).toMatchObject({ state: "succeeded", value: { files: 2 } });
  expect(ended?.usage.input).toBeGreaterThan(0);
  expect([...(ended?.files ?? [])].sort((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
    { path: join(at.root, "a.txt"), before: null, after: sha256("made\n") },
    { path: join(at.root, "old.txt"), before: sha256("old\n"), after: sha256("old\nmore\n"), byCommand: true },
  ]);
  expect(events.filter(({ type, agent }) => type === "run.start" && agent === "main")).toEqual([]);
  expect([...session.entries()].filter(({ type }) => type === "message")).toEqual([]);
});

test("a wrong request is an error of the program's, and nothing is started", async () => {
  const at = agentStage({});
  const { session } = await at.open();
  const of = (agent: string, more: object = {}) => [{ kind: "agent" as const, agent, prompt: "x", ...more }];
  await expect(session.startTasks(of("nobody"))).rejects.toMatchObject({ name: "UserError", exit: 1 });
  await expect(session.startTasks(of("implement", { continues: "000000000000" }))).rejects.toThrow(
    "Task 000000000000 is no agent's of this session",
  );
  expect(existsSync(join(at.home, "tasks"))).toBe(false);
});

test("what an agent owns no other one changes while it works, by whatever file tool or redirection", async () => {
  const wait = "until [ -e public/done.txt ]; do sleep 0.05; done";
  const at = agentStage({
    agents: {
      backend: [call("run_command", { command: wait }), write("server/own.js"), { text: "done" }],
      frontend: [
        write("server/index.js"),
        {
          match: "CONFLICT: server/index.js is being worked on by backend",
          ...call("run_command", { command: "echo x > server/x.js" }),
        },
        { match: "CONFLICT: server/x.js", ...write("public/done.txt") },
        { text: "left it alone" },
      ],
    },
  });
  const { session, events } = await at.open();
  const task = (name: string, owns: string[]) => ({
    kind: "agent" as const,
    agent: "implement",
    prompt: "go",
    name,
    owns,
  });
  const started = await session.startTasks([task("backend", ["server/**"]), task("frontend", ["public/**"])]);
  const ended = await session.waitTasks(started.map(({ id }) => id));
  expect(ended.map(({ state, result }) => [state, result])).toEqual([
    ["succeeded", "done"],
    ["succeeded", "left it alone"],
  ]);
  expect(existsSync(join(at.root, "server/index.js"))).toBe(false);
  expect(events.filter(({ type }) => type === "claim.refused")).toHaveLength(2);
  // Nobody owns it any more.
  at.play({ agents: { frontend: [write("server/index.js"), { text: "mine now" }] } });
  const [third] = await session.startTasks([task("frontend", ["public/**"])]);
  await session.waitTasks([third?.id ?? ""]);
  expect(readFileSync(join(at.root, "server/index.js"), "utf8")).toBe("made\n");
});

test.each<[string, object, string]>([
  ["a narrower profile", { profile: "readonly" }, "profile:readonly"],
  ["no tool at all", { profile: "minimal" }, "profile:minimal"],
  ["a profile that the agent's own does not reach", { agent: "explore", profile: "full" }, "profile:readonly"],
  ["a tool that is denied", { deny: ["write_file"] }, "tools of the agent"],
])("%s keeps it from writing", async (_what, bounds, rule) => {
  const at = agentStage({
    agents: { it: [write("a.txt"), { match: "not allowed here", text: "refused: {{result:0}}" }] },
  });
  const { session } = await at.open();
  const [started] = await session.startTasks([
    { kind: "agent", agent: "implement", prompt: "go", name: "it", ...bounds } as never,
  ]);
  const [ended] = await session.waitTasks([started?.id ?? ""]);
  expect(ended?.result).toContain(rule);
  expect(existsSync(join(at.root, "a.txt"))).toBe(false);
});

test("a task goes on in the conversation of an earlier one, and its files are those of both", async () => {
  const at = agentStage({ agents: { implement: [write("a.txt"), { text: "first" }] } });
  const { session } = await at.open();
  const ask = { kind: "agent" as const, agent: "implement" };
  const [first] = await session.startTasks([{ ...ask, prompt: "one" }]);
  await session.waitTasks([first?.id ?? ""]);
  at.play({ agents: { implement: [{ match: "^two$", ...write("b.txt") }, { text: "second" }] } });
  const [second] = await session.startTasks([{ ...ask, prompt: "two", continues: first?.id ?? "" }]);
  const [ended] = await session.waitTasks([second?.id ?? ""]);
  expect(ended).toMatchObject({ state: "succeeded", result: "second", session: first?.session, continues: true });
  expect(ended?.files?.map(({ path }) => path)).toEqual([join(at.root, "a.txt"), join(at.root, "b.txt")]);
});

test("the same words twice in one conversation are said twice", async () => {
  const at = agentStage({ agents: { implement: [write("a.txt"), { text: "first" }] } });
  const { session } = await at.open();
  const ask = { kind: "agent" as const, agent: "implement" };
  const said = async (more: { prompt: string; continues?: string }) => {
    const [task] = await session.startTasks([{ ...ask, ...more }]);
    return (await session.waitTasks([task?.id ?? ""]))[0];
  };
  const first = await said({ prompt: "one" });
  const again = { prompt: "two", continues: first?.id ?? "" };
  at.play({ agents: { implement: [{ match: "^two$", text: "second" }] } });
  expect(await said(again)).toMatchObject({ state: "succeeded", result: "second" });
  at.play({ agents: { implement: [{ match: "^two$", text: "third" }] } });
  expect(await said(again)).toMatchObject({ state: "succeeded", result: "third" });
});

test("commands are run, judged and witnessed like those of a model", async () => {
  const at = agentStage({}, { "project/old.txt": "old\n" });
  const { session } = await at.open();
  expect(await session.runCommand("cat old.txt")).toEqual({ status: "ok", text: "old", exit: 0, files: [] });
  expect(await session.runCommand("echo new > old.txt; exit 3")).toMatchObject({
    status: "error",
    exit: 3,
    files: [{ path: join(at.root, "old.txt"), before: sha256("old\n"), after: sha256("new\n") }],
  });
  const ended = await session.runCommand("sleep 60", { timeoutMs: 1_000 });
  expect(ended).toMatchObject({ status: "error", text: expect.stringContaining("timed out after 1 s") });
  expect(await session.runCommand("sleep 60", { signal: AbortSignal.abort() })).toMatchObject({ status: "cancelled" });
});

test("a command that goes on is a task: its output is read and it is ended from outside, and no model hears of it", async () => {
  const at = agentStage({});
  const { session, harness } = await at.open({ settings: { permissions: { mode: "auto" }, tasks: { wake: true } } });
  const { id } = await session.startCommand("echo up; sleep 600", { title: "the server" });
  await expect.poll(async () => (await harness.tasks.output(id, { maxBytes: 100 })).text).toContain("up");
  expect(await harness.tasks.show(id)).toMatchObject({ state: "running", title: "the server" });
  expect(await harness.tasks.cancel(id)).toMatchObject({ state: "cancelled" });
  expect([...session.entries()].filter(({ type }) => type === "message")).toEqual([]);
  const asking = await at.open({ settings: { permissions: { mode: "ask" } } });
  await expect(asking.session.startCommand("touch made.txt")).rejects.toMatchObject({ name: "UserError", exit: 1 });
});

test("a command that nobody can allow is not run", async () => {
  const at = agentStage({});
  const { session } = await at.open({ settings: { permissions: { mode: "ask" } } });
  const denied = await session.runCommand("touch made.txt");
  expect(denied).toMatchObject({ status: "denied", exit: null, files: [] });
  expect(existsSync(join(at.root, "made.txt"))).toBe(false);
});

test("what agents use counts against the limits of the session", async () => {
  const turn = { ...call("list_files", { path: "." }), usage: { in: 600, out: 1 } };
  const at = agentStage({ agents: { implement: [turn, { text: "done", usage: { in: 300, out: 1 } }] } });
  const settings = { permissions: { mode: "auto" }, limits: { tokens: 1_000 } } as const;
  const { session } = await at.open({ settings });
  const one = async () => {
    const [task] = await session.startTasks([{ kind: "agent", agent: "implement", prompt: "go" }]);
    return (await session.waitTasks([task?.id ?? ""]))[0];
  };
  expect(await one()).toMatchObject({ state: "succeeded" });
  // Alone it would not have reached it either.
  expect(await one()).toMatchObject({ state: "failed", error: { kind: "budget" } });
});
