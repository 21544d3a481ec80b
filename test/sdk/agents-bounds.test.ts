// What an agent may not do, and what becomes of one that goes wrong: each a failure with its kind, in bounded time.
// Claims between agents are agents-claims.test, copies of the project agents-copies.test.

import { join } from "node:path";
import { expect, test } from "vitest";
import type { JsonObject } from "../../src/core/json.js";
import type { HarnessOptions } from "../../src/index.js";
import type { ScriptItem } from "../../src/models/script.js";
import { agentFile, agentStage, call, lastResult, submit, write } from "../support/agents.js";

async function failure(items: ScriptItem[], task: JsonObject = {}, settings: HarnessOptions["settings"] = {}) {
  const at = agentStage({
    main: [submit([{ agent_name: "implement", prompt: "work", ...task }])],
    agents: { implement: items },
  });
  const { session } = await at.open({ settings: { permissions: { mode: "auto" }, ...settings } });
  const result = await session.send("go");
  const [record] = at.records();
  return { record, result, session, at };
}

test("an agent that says nothing is ended", async () => {
  const { record, result } = await failure([{ text: "late", delay_ms: 600_000 }], {}, { limits: { stall: 0.1 } });
  expect(record).toMatchObject({
    state: "failed",
    error: { kind: "timeout", text: expect.stringContaining("no sign of life") },
  });
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
  const at = agentStage({ main: [submit([task as JsonObject])] });
  const { session } = await at.open();
  await session.send("go");
  expect(lastResult(session, "submit_agent_tasks")).toContain(text);
});

test("agents start agents only so deep", async () => {
  const again = submit([{ agent_name: "boss", prompt: "deeper" }]);
  const at = agentStage(
    { main: [again], agents: { boss: [again] } },
    { "home/agents/boss.md": agentFile("boss", "tools: full") },
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
    main: [submit(["explore", "test", "implement"].map((agent_name) => ({ agent_name, prompt: "write" })))],
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
      main: [submit([{ agent_name: "narrow", prompt: "try" }])],
      agents: {
        narrow: [write("a.txt", "a"), call("run_command", { command: "ls" }), call("list_files", { path: "." })],
      },
    },
    { "home/agents/narrow.md": agentFile("narrow", "tools: Read, LS, Bash\ndisallowedTools: [Bash]") },
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
  const files = { "project/.claude/agents/own.md": agentFile("own", "tools: readonly") };
  const script = { main: [submit([{ agent_name: "own", prompt: "go" }])], agents: { own: [{ text: "mine" }] } };
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
      main: [submit([0, 1].map((i) => ({ agent_name: "implement", prompt: `write ${i}` })))],
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
      return { decision: "deny" };
    },
  });
  await session.send("go");
  const ids = at.records().map(({ id }) => id);
  // To start an agent takes no approval; what it does is decided call by call.
  expect(asked.map(({ tool }) => tool)).toEqual(["write_file", "write_file"]);
  expect(asked.map(({ agent: from }) => from).sort()).toEqual(ids.sort());
  const origins = events.flatMap((event) => (event.type === "approval.ask" ? [event.agent] : []));
  expect(origins.sort()).toEqual(ids);
});
