// Agents that were interrupted and go on, agents that are cancelled, and what an agent's failure is called (SEEDS D 96, 97).

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Model } from "../../src/index.js";
import { type AgentStage, agentStage, peakOf, repositoryStage, submit, write } from "../support/agents.js";

/** What is waited for is a process or a disk that others are busy with. */
const patient = { timeout: 30_000 };
const task = (prompt: string, more: object = {}) => ({ agent_name: "implement", prompt, ...more });

/** An agent that has written a file is interrupted in its second request: its harness is closed. */
async function interrupted(): Promise<AgentStage> {
  const at = agentStage({
    main: [submit([task("go")], { wait: false }), { text: "under way" }, { match: "interrupted", text: "I see." }],
    agents: {
      implement: [
        { match: "^go", ...write("once.txt") },
        { match: "once", text: "late", delay_ms: 600_000 },
      ],
    },
  });
  const { session, harness } = await at.open({ answerable: true });
  await session.send("go");
  await expect.poll(() => readdirSync(at.root), patient).toContain("once.txt");
  await harness.close();
  expect(at.records()).toMatchObject([{ state: "interrupted", error: { kind: "crash" } }]);
  return at;
}

const goOn = { main: [{ text: "heard" }], agents: { implement: [{ match: "was interrupted", text: "finished" }] } };

test("an agent that was interrupted goes on by its id, once, and its end is told although its interruption was", async () => {
  const at = await interrupted();
  at.play(goOn);
  const { session } = await at.open({ answerable: true }, true);
  const [before] = at.records();
  const id = before?.id ?? "";
  expect(await session.resumeTasks([id])).toEqual([id]);
  await expect
    .poll(() => at.records(), patient)
    .toMatchObject([{ state: "succeeded", result: "finished", told: true }]);
  expect(at.records()[0]?.session).toBe(before?.session);
  await expect(session.resumeTasks([id])).rejects.toThrow(`Task ${id} is succeeded. Nothing was started.`);
  await expect(session.resumeTasks(["000000000000"])).rejects.toThrow("is not there");
  const told = [...session.entries()].flatMap((entry) =>
    entry.type === "message" && entry.data.origin === "task" ? [JSON.stringify(entry.data.parts)] : [],
  );
  expect(told.map((text) => /interrupted|finished/.exec(text)?.[0])).toEqual(["interrupted", "finished"]);
});

/** An agent in a copy of the project is interrupted when it has written a file there. Returns the copy as well. */
async function interruptedInCopy(): Promise<{ at: AgentStage; copy: string }> {
  const at = repositoryStage({
    main: [submit([task("go", { isolation: "worktree" })], { wait: false }), { text: "under way" }],
    agents: { implement: [write("once.txt"), { text: "late", delay_ms: 600_000 }] },
  });
  const { session, harness } = await at.open({ answerable: true });
  await session.send("go");
  const copies = () => readdirSync(tmpdir()).filter((name) => name.endsWith(`-${at.records()[0]?.id}`));
  await expect.poll(() => copies().some((name) => existsSync(join(tmpdir(), name, "once.txt"))), patient).toBe(true);
  await harness.close();
  expect(at.records()).toMatchObject([{ state: "interrupted" }]);
  return { at, copy: join(tmpdir(), copies()[0] ?? "") };
}

test("in a copy of the project: it goes on in that copy, and the patch has all it did", async () => {
  const { at, copy } = await interruptedInCopy();
  at.play({ agents: { implement: [{ match: "was interrupted", ...write("twice.txt") }, { text: "finished" }] } });
  const { session } = await at.open({ answerable: true }, true);
  await session.resumeTasks();
  await expect.poll(() => at.records(), patient).toMatchObject([{ state: "succeeded" }]);
  expect(at.records()[0]?.result).toMatch(/finished[\s\S]*\+\+\+ b\/once\.txt[\s\S]*\+\+\+ b\/twice\.txt/);
  expect([existsSync(copy), existsSync(`${copy}.base`)]).toEqual([false, false]);
});

test("where that copy is gone it failed, and says so", async () => {
  const { at, copy } = await interruptedInCopy();
  rmSync(copy, { recursive: true });
  at.play(goOn);
  const { session } = await at.open({ answerable: true }, true);
  await session.resumeTasks();
  const text = expect.stringContaining("Its copy of the project");
  await expect.poll(() => at.records(), patient).toMatchObject([{ state: "failed", error: { kind: "spawn", text } }]);
  rmSync(`${copy}.base`, { recursive: true });
});

test("another session's agent does not go on here", async () => {
  const at = await interrupted();
  const { session } = await at.open();
  const [record] = at.records();
  await expect(session.resumeTasks([record?.id ?? ""])).rejects.toThrow(`belongs to session ${record?.owner.session}`);
});

test("one whose conversation was never begun, or is gone, begins anew with its own prompt", async () => {
  const at = await interrupted();
  const { session, harness } = await at.open({ answerable: true }, true);
  const sessions = readdirSync(join(at.home, "sessions"))[0] ?? "";
  rmSync(join(at.home, "sessions", sessions, "agents"), { recursive: true });
  at.play({ agents: { implement: [{ match: "^go$", text: "anew" }] } });
  await session.resumeTasks();
  await expect.poll(() => at.records(), patient).toMatchObject([{ state: "succeeded", result: "anew" }]);
  await harness.close();
});

test("what is queued, runs or has ended is cancelled: cancelled, cancelled, unchanged (D 96)", async () => {
  const at = agentStage({});
  at.play({
    main: [
      submit([task("quick", { model_name: at.model([{ text: "done" }]) })]),
      submit(
        [task("slow"), task("queued")].map((each) => ({
          ...each,
          model_name: at.model([{ text: "late", delay_ms: 600_000 }]),
        })),
        {
          wait: false,
          max_parallel: 1,
        },
      ),
      { text: "under way" },
    ],
  });
  const { session, harness, events } = await at.open({ answerable: true });
  await session.send("go");
  const stateOf = (prompt: string) => at.records().find((record) => record.prompt === prompt)?.state;
  await expect
    .poll(() => ["quick", "slow", "queued"].map(stateOf), patient)
    .toEqual(["succeeded", "running", "queued"]);
  // The one that waits first, or it would begin.
  for (const prompt of ["queued", "slow", "quick"]) {
    await harness.tasks.cancel(at.records().find((record) => record.prompt === prompt)?.id ?? "");
  }
  expect(["quick", "slow", "queued"].map(stateOf)).toEqual(["succeeded", "cancelled", "cancelled"]);
  const changes = events.flatMap((event) => (event.type === "task.change" ? [`${event.from} ${event.to}`] : []));
  expect(changes).toEqual(expect.arrayContaining(["running cancelled", "queued cancelled"]));
  expect(changes.filter((change) => change.startsWith("succeeded"))).toEqual([]);
});

test("99 at once is 32 at once (D 94)", async () => {
  const at = agentStage({
    main: [
      submit(
        Array.from({ length: 40 }, (_, i) => task(`${i}`)),
        { max_parallel: 99 },
      ),
    ],
    agents: { implement: [{ text: "found", delay_ms: 600_000 }] },
  });
  const { session, events } = await at.open({ settings: { permissions: { mode: "auto" }, tasks: { parallel: 40 } } });
  const running = session.send("go");
  await expect.poll(() => peakOf(events), { timeout: 30_000 }).toBe(32);
  const states = at.records().map(({ state }) => state);
  expect(states.sort()).toEqual([...Array(8).fill("queued"), ...Array(32).fill("running")]);
  await session.close();
  await running;
});

test("an agent that nobody can answer is denied", async () => {
  const at = agentStage({ main: [submit([task("go")])], agents: { implement: [write("a.txt")] } });
  const { session } = await at.open({ settings: { permissions: { mode: "ask", allow: ["Agent"] } } });
  await session.send("go");
  expect(at.records()).toMatchObject([{ state: "failed", error: { kind: "denied" } }]);
});

test("a model that is a bug is a crash of its agent, and not of the session", async () => {
  const at = agentStage({});
  const model = crashing(submit([task("go")]));
  const { session, harness, events } = await at.open({ model });
  const result = await session.send("start");
  expect(at.records()).toMatchObject([{ state: "failed", error: { kind: "crash", text: "no such thing" } }]);
  expect(result.subtype).toBe("success");
  const text = expect.stringMatching(new RegExp(`^Task ${at.records()[0]?.id} met a bug of Cinch: TypeError: no such`));
  const notices = events.filter((event) => event.type === "notice" && event.code === "tasks");
  expect(notices).toMatchObject([{ level: "error", agent: "main", text }]);
  expect(await harness.tasks.faults()).toEqual([text]);
});

test("what agents use counts once on each level above them", async () => {
  const inner = submit([{ agent_name: "explore", prompt: "deep" }]);
  const at = agentStage(
    {
      main: [submit([{ agent_name: "boss", prompt: "lead" }]), { text: "all", usage: { in: 1_000, out: 1 } }],
      agents: {
        boss: [
          { ...inner, usage: { in: 20_000, out: 2 } },
          { text: "led", usage: { in: 0, out: 0 } },
        ],
        explore: [{ text: "found", usage: { in: 300_000, out: 3 } }],
      },
    },
    { "home/agents/boss.md": "---\nname: boss\ndescription: d\n---\nYou lead." },
  );
  const { session } = await at.open({ settings: { permissions: { mode: "auto" }, limits: { tokens: 1_000_000 } } });
  const result = await session.send("go");
  const used = (agent: string) => at.records().find((record) => record.agent === agent)?.usage.input ?? 0;
  expect(used("explore")).toBe(300_000);
  expect(used("boss")).toBe(320_000);
  expect(result.usage.input_tokens).toBeGreaterThanOrEqual(321_000);
  expect(result.usage.input_tokens).toBeLessThan(340_000);
  const cost = await session.cost();
  expect(cost.agents).toMatchObject({ sessions: 2, usage: { input: 320_000 } });
  expect(cost.usage.input).toBe(result.usage.input_tokens);
});

test("hooks hear of an agent's start and end, and may send it back to work", async () => {
  const at = agentStage({
    main: [submit([task("go")])],
    agents: {
      implement: [
        { match: "go", text: "done" },
        { match: "look again", text: "looked" },
      ],
    },
  });
  const heard = join(at.home, "../heard");
  const hook = (then: string) => [
    { hooks: [{ type: "command", command: `cat >> ${heard}; echo >> ${heard}; ${then}` }] },
  ];
  const again = `grep -q '"stop_hook_active":true' ${heard} || { echo look again >&2; exit 2; }`;
  const hooks = { SubagentStart: hook("true"), SubagentStop: hook(again), Stop: hook("true") };
  mkdirSync(at.home, { recursive: true });
  writeFileSync(join(at.home, "settings.json"), JSON.stringify({ hooks }));
  const { session } = await at.open();
  await session.send("start");
  const [record] = at.records();
  expect(record).toMatchObject({ state: "succeeded", result: "looked" });
  const lines = readFileSync(heard, "utf8").split("\n");
  const own = { agent_id: record?.id, agent_type: "implement", session_id: session.id };
  expect(lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line))).toMatchObject([
    { hook_event_name: "SubagentStart", ...own },
    { hook_event_name: "SubagentStop", ...own, last_assistant_message: "done", stop_hook_active: false },
    { hook_event_name: "SubagentStop", ...own, last_assistant_message: "looked", stop_hook_active: true },
    { hook_event_name: "Stop", session_id: session.id },
  ]);
});

/** The first request starts the tasks, the next one of that session ends it; any other agent's finds a bug. */
function crashing(start: { calls?: { tool: string; input?: unknown }[] }): Model {
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
  const [first] = start.calls ?? [];
  return {
    id: "test/crashing",
    facts: { window: 200_000, maxOutput: 8_000 },
    async *stream({ messages }) {
      const text = JSON.stringify(messages);
      if (!text.includes('"start"')) throw new TypeError("no such thing");
      const isOver = text.includes('"result"');
      const parts = isOver
        ? [{ type: "text" as const, text: "over" }]
        : [{ type: "call" as const, id: "c1", tool: first?.tool ?? "", input: first?.input as never }];
      const stop = isOver ? "end" : "tools";
      yield { type: "done", message: { role: "assistant", parts, usage, stop }, usage, stop };
    },
  };
}
