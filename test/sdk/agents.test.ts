// Tasks for agents through the public face: batches and limits, waiting and cancelling, what is told to those that begin
// later, and that an undo takes back what agents did.

import { expect, test } from "vitest";
import { createHarness } from "../../src/index.js";
import { agentStage, call, lastResult, peakOf, submit, write } from "../support/agents.js";
import { undo } from "../support/undo.js";

const tasks = (count: number, agent = "explore") =>
  Array.from({ length: count }, (_, i) => ({ agent_name: agent, prompt: `find ${i}` }));

test("an agent works in a conversation of its own, and its answer comes back", async () => {
  const at = agentStage({
    main: [submit([{ agent_name: "explore", prompt: "Where is it?" }]), { text: "It is in a.ts." }],
    agents: { explore: [{ match: "Where is it", text: "In a.ts:3.", usage: { in: 100, out: 10 } }] },
  });
  const { session, events } = await at.open();
  const result = await session.send("go");
  expect(result).toMatchObject({ subtype: "success", result: "It is in a.ts." });
  const [record] = at.records();
  expect(record).toMatchObject({
    kind: "agent",
    agent: "explore",
    state: "succeeded",
    result: "In a.ts:3.",
    depth: 1,
    told: true,
  });
  expect(lastResult(session, "submit_agent_tasks")).toBe(
    `1 succeeded.\n\ntask_id ${record?.id}: succeeded, agent: Where is it?\nexplore answered:\nIn a.ts:3.`,
  );
  // What it used counts for the session, and its events are heard there under its own name.
  expect(result.usage.input_tokens).toBeGreaterThanOrEqual(100);
  const own = events.filter(({ agent }) => agent === record?.id).map(({ type }) => type);
  expect(own).toEqual(expect.arrayContaining(["run.start", "text.delta", "run.end"]));
  expect(events.filter(({ type, agent }) => type === "run.end" && agent === "main")).toHaveLength(1);
});

test("six tasks with max_parallel 2 never run more than two at once (D 94)", async () => {
  const slow = { text: "found", delay_ms: 20 };
  const at = agentStage({
    main: [submit(tasks(6), { max_parallel: 2 })],
    agents: { explore: [slow] },
  });
  const { session, events } = await at.open();
  await session.send("go");
  expect(at.records().map(({ state }) => state)).toEqual(Array(6).fill("succeeded"));
  expect(peakOf(events)).toBe(2);
});

test.each([
  [0, 1],
  [99, 12],
])("max_parallel %i runs %i of twelve at once", async (given, peak) => {
  const at = agentStage({
    main: [submit(tasks(12), { max_parallel: given })],
    agents: { explore: [{ text: "found", delay_ms: 50 }] },
  });
  const { session, events } = await at.open({ settings: { permissions: { mode: "auto" }, tasks: { parallel: 40 } } });
  await session.send("go");
  expect(peakOf(events)).toBe(peak);
});

test("two batches share the limit of the harness", async () => {
  const batch = submit(tasks(6), { max_parallel: 4, wait: false });
  const at = agentStage({
    main: [batch, batch, { text: "both are under way" }],
    agents: { explore: [{ text: "found", delay_ms: 20 }] },
  });
  const settings = { permissions: { mode: "auto" }, tasks: { parallel: 3 } } as const;
  const { session, events, harness } = await at.open({ settings });
  const result = await session.send("go");
  expect(at.records().map(({ state }) => state)).toEqual(Array(12).fill("succeeded"));
  expect(peakOf(events)).toBe(3);
  expect(result.tasks).toHaveLength(12);
  // Many are created in one millisecond, and listed in their order all the same.
  const asked = events.flatMap((event) => (event.type === "task.change" && event.from === null ? [event.task] : []));
  expect((await harness.tasks.list()).map(({ id }) => id)).toEqual(asked.reverse());
});

test("wait: false returns ids at once; waiting with a time limit returns states; the end comes as one message (D 95)", async () => {
  const at = agentStage({
    main: [
      submit(tasks(1), { wait: false }),
      { calls: [{ tool: "list_agent_tasks", input: {} }] },
      { text: "waiting" },
      { match: "found it", text: "thanks" },
    ],
    agents: { explore: [{ text: "found it", delay_ms: 300 }] },
  });
  const { session } = await at.open();
  const result = await session.send("go");
  const [record] = at.records();
  expect(lastResult(session, "submit_agent_tasks")).toMatch(/^1 not ended: you are told/);
  expect(lastResult(session, "list_agent_tasks")).toContain(`task_id ${record?.id}: running`);
  expect(result.result).toBe("thanks");
  const told = [...session.entries()].filter((entry) => entry.type === "message" && entry.data.origin === "task");
  expect(told).toHaveLength(1);
});

test("interrupting whoever waits leaves the tasks running (D 95)", async () => {
  const at = agentStage({
    main: [submit(tasks(2)), { text: "after" }],
    agents: { explore: [{ text: "found", delay_ms: 400 }] },
  });
  const { session, events } = await at.open({ answerable: true });
  const running = session.send("go");
  await expect.poll(() => peakOf(events)).toBe(2);
  session.cancel();
  expect((await running).subtype).toBe("error_cancelled");
  expect(at.records().map(({ state }) => state)).toEqual(["running", "running"]);
  await expect.poll(() => at.records().map(({ state }) => state)).toEqual(["succeeded", "succeeded"]);
});

test("what agents announce is told to those that begin later", async () => {
  const at = agentStage({
    main: [
      submit([
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

test("an undo of the session takes back what its agents did", async () => {
  const at = agentStage({
    main: [write("mine.txt", "m"), submit([{ agent_name: "implement", prompt: "go" }])],
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
