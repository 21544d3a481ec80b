// What an agent may not do, and what becomes of one that goes wrong: each a failure with its kind, in bounded time.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { JsonObject } from "../../src/core/json.js";
import { createHarness, type HarnessOptions } from "../../src/index.js";
import type { ScriptItem } from "../../src/models/script.js";
import { agentStage, call, lastResult } from "../support/agents.js";
import { undo } from "../support/undo.js";

const give = (tasks: JsonObject[], more: JsonObject = {}) => call("submit_agent_tasks", { tasks, ...more });
const write = (path: string, content: string) => call("write_file", { path, content });
const agent = (name: string, fields: string) => `---\nname: ${name}\ndescription: d\n${fields}\n---\nYou work.`;

async function failure(items: ScriptItem[], task: JsonObject = {}, settings: HarnessOptions["settings"] = {}) {
  const at = agentStage({
    main: [give([{ agent_name: "implement", prompt: "work", ...task }])],
    agents: { implement: items },
  });
  const { session } = await at.open({ settings: { permissions: { mode: "auto" }, ...settings } });
  const result = await session.send("go");
  const [record] = at.records();
  return { record, result, session, at };
}

test("an agent that says nothing is ended", async () => {
  const { record, result } = await failure([{ text: "late", delay_ms: 600_000 }], {}, { limits: { stall: 0.1 } });
  expect(record).toMatchObject({ state: "failed", error: { kind: "stalled" } });
  expect(result.subtype).toBe("success");
});

test("an agent that does not come to an end in time", async () => {
  const { record } = await failure([{ text: "late", delay_ms: 600_000 }], { timeout_seconds: 0.2 });
  expect(record).toMatchObject({ state: "failed", error: { kind: "timeout" } });
});

test("an agent whose run fails says why", async () => {
  const { record, session } = await failure([{ fail: "request" }]);
  expect(record).toMatchObject({
    state: "failed",
    error: { kind: "agent", text: "Item 1 of the script fails: request." },
  });
  expect(lastResult(session, "submit_agent_tasks")).toContain("1 failed.");
});

test("an agent that uses up its turns", async () => {
  const looking = { ...call("list_files", { path: "." }), repeat: 2 };
  const { record } = await failure([looking], { max_turns: 1 });
  expect(record).toMatchObject({ state: "failed", error: { kind: "budget" } });
});

test("what an agent uses counts against the session, and ends the agent's next request", async () => {
  const looking = { ...call("list_files", { path: "." }), usage: { in: 900_000, out: 0 } };
  const { record, result } = await failure([looking, { text: "never" }], {}, { limits: { tokens: 500_000 } });
  expect(record).toMatchObject({ state: "failed", error: { kind: "budget" } });
  expect(record?.usage.input).toBe(900_000);
  expect(result).toMatchObject({ subtype: "error_budget", exit_code: 6 });
});

const schema = { type: "object", required: ["passed"], properties: { passed: { type: "boolean" } } };

test("an answer that does not fit is sent back once", async () => {
  const { record } = await failure([{ text: "all well" }, { match: "does not fit", text: '{"passed":true}' }], {
    output_schema: schema,
  });
  expect(record).toMatchObject({ state: "succeeded", value: { passed: true } });
});

test("and is a failure the second time", async () => {
  const { record } = await failure([{ text: "all well" }, { text: "still" }], { output_schema: schema });
  expect(record).toMatchObject({ state: "failed", error: { kind: "schema" } });
});

test("a schema that would take for ever to check fails its task, in bounded time", async () => {
  const pattern = { type: "object", properties: { name: { type: "string", pattern: "^(a+)+$" } } };
  const answer = { text: JSON.stringify({ name: `${"a".repeat(60)}!` }) };
  const { record, result } = await failure([answer, { match: "takes too long on this answer", ...answer }], {
    output_schema: pattern,
  });
  expect(record).toMatchObject({ state: "failed", error: { kind: "schema", text: expect.stringContaining("500 ms") } });
  expect(result.subtype).toBe("success");
});

test.each([
  [{ agent_name: "explor", prompt: "go" }, 'There is no agent "explor". Did you mean explore?'],
  [{ agent_name: "explore", prompt: "go", output_schema: { type: "nonsense" } }, "output_schema cannot be used"],
  [{ agent_name: "explore", prompt: "go", depends_on: [3] }, "may depend on tasks 0 to"],
  [{ agent_name: "explore", prompt: "go", timeout: 3 }, "tasks.0: there is no timeout, only agent_name, prompt, title"],
])("what cannot work is refused before anything is queued: %j", async (task, text) => {
  const at = agentStage({ main: [give([task as JsonObject])] });
  const { session } = await at.open();
  await session.send("go");
  expect(lastResult(session, "submit_agent_tasks")).toContain(text);
});

test("agents start agents only so deep", async () => {
  const again = give([{ agent_name: "boss", prompt: "deeper" }]);
  const at = agentStage(
    { main: [again], agents: { boss: [again] } },
    { "home/agents/boss.md": agent("boss", "tools: full") },
  );
  const { session } = await at.open();
  await session.send("go");
  expect(
    at
      .records()
      .map(({ depth, state }) => [depth, state])
      .sort(),
  ).toEqual([
    [1, "succeeded"],
    [2, "succeeded"],
  ]);
});

test("the profile of an agent holds where a call is about to run (D 47, 48)", async () => {
  const at = agentStage({
    main: [give(["explore", "test", "implement"].map((agent_name) => ({ agent_name, prompt: "write" })))],
    agents: {
      explore: [write("explore.txt", "a")],
      test: [call("append_file", { path: "test.txt", content: "a" })],
      implement: [write("implement.txt", "a")],
    },
  });
  const { session, events } = await at.open();
  const result = await session.send("go");
  const ended = events.flatMap((event) =>
    event.type === "call.end" && event.agent !== "main" ? [[event.tool, event.status]] : [],
  );
  expect(ended.sort()).toEqual([
    ["append_file", "denied"],
    ["write_file", "denied"],
    ["write_file", "ok"],
  ]);
  expect(result.files.map(({ path }) => path)).toEqual([join(at.root, "implement.txt")]);
});

test("a list of tools is all an agent has, and what is disallowed wins", async () => {
  const at = agentStage(
    {
      main: [give([{ agent_name: "narrow", prompt: "try" }])],
      agents: {
        narrow: [write("a.txt", "a"), call("run_command", { command: "ls" }), call("list_files", { path: "." })],
      },
    },
    { "home/agents/narrow.md": agent("narrow", "tools: Read, LS, Bash\ndisallowedTools: [Bash]") },
  );
  const { session, events } = await at.open();
  await session.send("go");
  const ended = events.flatMap((event) =>
    event.type === "call.end" && event.agent !== "main" ? [[event.tool, event.status]] : [],
  );
  expect(ended).toEqual([
    ["write_file", "denied"],
    ["run_command", "denied"],
    ["list_files", "ok"],
  ]);
});

test("an agent of the project works only once its user has trusted it", async () => {
  const files = { "project/.claude/agents/own.md": agent("own", "tools: readonly") };
  const script = { main: [give([{ agent_name: "own", prompt: "go" }])], agents: { own: [{ text: "mine" }] } };
  const at = agentStage(script, files);
  const untrusted = await at.open();
  expect(untrusted.session.init.ignored).toContain("agent .claude/agents/own.md");
  await untrusted.session.send("go");
  expect(lastResult(untrusted.session, "submit_agent_tasks")).toContain('There is no agent "own"');
  const trusted = await at.open({ trust: true });
  await trusted.session.send("go");
  expect(lastResult(trusted.session, "submit_agent_tasks")).toContain("mine");
});

test("a question of an agent is put to the user with its origin, one at a time (D 79)", async () => {
  const at = agentStage(
    {
      main: [give([0, 1].map((i) => ({ agent_name: "implement", prompt: `write ${i}` })))],
      agents: { implement: [write("same-{{file:name.txt}}.txt", "a")] },
    },
    { "name.txt": "x" },
  );
  const asked: { agent: string; tool: string }[] = [];
  let open = 0;
  const { session, events } = await at.open({
    settings: { permissions: { mode: "ask" } },
    async ask({ agent: from, tool }) {
      asked.push({ agent: from, tool });
      expect(++open).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      open--;
      return { decision: tool === "write_file" ? "deny" : "allow" };
    },
  });
  await session.send("go");
  const ids = at.records().map(({ id }) => id);
  expect(asked[0]).toEqual({ agent: "main", tool: "submit_agent_tasks" });
  expect(
    asked
      .slice(1)
      .map(({ agent: from }) => from)
      .sort(),
  ).toEqual(ids.sort());
  const origins = events.flatMap((event) => (event.type === "approval.ask" ? [event.agent] : []));
  expect(origins.sort()).toEqual(["main", ...ids].sort());
});

test("siblings do not change one file at a time, and a failed agent's files are free again (D 41, 43)", async () => {
  const at = agentStage(
    {
      main: [
        give(["first", "second"].map((agent_name) => ({ agent_name, prompt: "go" }))),
        give([{ agent_name: "third", prompt: "go" }]),
      ],
      agents: {
        first: [write("a.js", "1\n"), { text: "late", delay_ms: 300 }, { fail: "request" }],
        second: [{ ...write("./a.js", "2\n"), delay_ms: 150 }],
        third: [call("append_file", { path: "a.js", content: "3\n" })],
      },
    },
    Object.fromEntries(
      ["first", "second", "third"].map((name) => [`home/agents/${name}.md`, agent(name, "tools: coding")]),
    ),
  );
  const { session, events } = await at.open();
  await session.send("go");
  const first = at.records().find(({ agent: name }) => name === "first");
  const conflict = events.find((event) => event.type === "call.end" && event.status === "conflict");
  expect(conflict?.type === "call.end" && conflict.text).toContain(`CONFLICT: a.js is being worked on by ${first?.id}`);
  expect(readFileSync(join(at.root, "a.js"), "utf8")).toBe("1\n3\n");
});

test("an undo of the session takes back what its agents did", async () => {
  const at = agentStage({
    main: [write("mine.txt", "m"), give([{ agent_name: "implement", prompt: "go" }])],
    agents: { implement: [write("theirs.txt", "t")] },
  });
  const { session, harness } = await at.open();
  await session.send("go");
  const [record] = at.records();
  const run = [...session.entries()].find((entry) => entry.type === "message")?.id ?? "";
  await harness.close();
  const names = (plan: { items: { path: string }[] }) =>
    plan.items.map(({ path }) => path.slice(at.root.length + 1)).sort();
  expect(names(await undo(at, { only: record?.id ?? "" }))).toEqual(["theirs.txt"]);
  expect(names(await undo(at))).toEqual(["theirs.txt"]);
  expect(names(await undo(at, { only: run }))).toEqual(["mine.txt", "theirs.txt"]);
  const reader = createHarness({ cwd: at.root, home: at.home });
  const tree = await reader.sessions.tree();
  expect(tree.agents).toEqual([
    { session_id: record?.session, above: session.id, task: record?.id, agent: "implement", prompt: "go" },
  ]);
  expect((await reader.sessions.list()).map(({ id }) => id)).toEqual([session.id]);
});

test("what agents announce is told to those that begin later", async () => {
  const at = agentStage({
    main: [
      give([
        { agent_name: "explore", prompt: "go" },
        { agent_name: "review", prompt: "look", depends_on: [0] },
      ]),
    ],
    agents: {
      explore: [call("announce_work", { kind: "endpoint_ready", text: "GET /users" }), { text: "told" }],
      review: [{ match: "endpoint_ready: GET /users.*Answers of the tasks before.*told", text: "heard" }],
    },
  });
  const { session } = await at.open();
  await session.send("go");
  expect(at.records().map(({ state }) => state)).toEqual(["succeeded", "succeeded"]);
});

test("in a copy of the project: a patch comes back, and nothing of the project or its repository is changed", async () => {
  const at = agentStage(
    {
      main: [give([{ agent_name: "implement", prompt: "go", isolation: "worktree" }])],
      agents: {
        implement: [
          {
            calls: [
              { tool: "write_file", input: { path: "new.txt", content: "made\n" } },
              { tool: "delete_file", input: { path: "old.txt" } },
            ],
          },
        ],
      },
    },
    { "project/old.txt": "old\n" },
  );
  rmSync(join(at.root, ".git"), { recursive: true });
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd: at.root, encoding: "utf8" });
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "first");
  // What an untrusted repository would have run.
  git("config", "core.fsmonitor", `touch ${at.home}/ran; false`);
  git("config", "filter.evil.smudge", `touch ${at.home}/ran; cat`);
  writeFileSync(join(at.root, ".git", "info", "attributes"), "* filter=evil\n");
  const before = git("-c", "core.fsmonitor=false", "status", "--porcelain");
  const { session } = await at.open();
  const result = await session.send("go");
  const [record] = at.records();
  expect(record?.state).toBe("succeeded");
  const file = /git apply: (\S+)/.exec(record?.result ?? "")?.[1] ?? "";
  expect(readFileSync(file, "utf8")).toMatch(
    /^diff --git a\/new\.txt[\s\S]*\+made[\s\S]*diff --git a\/old\.txt[\s\S]*-old/,
  );
  expect(result.files).toEqual([]);
  expect(existsSync(join(at.home, "ran"))).toBe(false);
  expect(git("-c", "core.fsmonitor=false", "status", "--porcelain")).toBe(before);
  expect(git("worktree", "list").trim().split("\n")).toHaveLength(1);
});

test("where there is no repository, a copy cannot be made", async () => {
  const at = agentStage({ main: [give([{ agent_name: "implement", prompt: "go", isolation: "worktree" }])] });
  const { session } = await at.open();
  await session.send("go");
  const text = expect.stringContaining("git clone failed");
  expect(at.records()).toMatchObject([{ state: "failed", error: { kind: "spawn", text } }]);
});
