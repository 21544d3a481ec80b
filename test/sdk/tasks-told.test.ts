// The end of a task is told exactly once, wherever Cinch is cut off, and a session has so much disk for its commands.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Entry, Model } from "../../src/index.js";
import { logFile } from "../support/session-log.js";
import { resultText, type Stage, stage, yes } from "../support/stage.js";
import { eventually, taskIdIn, taskLog, taskRecords } from "../support/tasks.js";
import type { WireReply } from "../support/wire/anthropic.js";

const start = (id: string, command: string) => ({
  id,
  name: "start_background_task",
  input: { kind: "shell", command },
});

/** A model that starts this and waits for it, and then only answers. */
async function waitingFor(command: string): Promise<Stage> {
  const s: Stage = await stage((_, index): WireReply => {
    if (index === 0) return { calls: [start("s1", command)] };
    if (index > 1) return { text: "done" };
    const task_id = taskIdIn(resultText(s.bodies().at(-1), "s1"));
    return { calls: [{ id: "w1", name: "wait_background_task", input: { task_id } }] };
  });
  return s;
}

function notices(entries: Iterable<Entry>): number {
  return [...entries].filter(({ type, data }) => type === "message" && data.origin === "task").length;
}

/** The record as it was before that its end was told stood in it. */
function untold(s: Stage): void {
  const [record] = taskRecords(s.home);
  writeFileSync(join(s.home, "tasks", `${record?.id}.json`), JSON.stringify({ ...record, told: false }));
  rmSync(join(s.home, "tasks", "settled.jsonl"));
}

test("cut off between the notice in the log and the word of it in the record: it is not told again", async () => {
  const s = await waitingFor("echo one");
  const session = await s.open();
  await session.send("go");
  expect(notices(session.entries())).toBe(1);
  await session.close();
  untold(s);
  const again = await s.open({}, session.id);
  await again.send("go on");
  expect(notices(again.entries())).toBe(1);
  expect(taskRecords(s.home)).toMatchObject([{ told: true }]);
});

test("cut off before the notice was in the log: it is told when the session goes on, and then no more", async () => {
  const s = await waitingFor("echo one");
  const session = await s.open();
  await session.send("go");
  await session.close();
  untold(s);
  // Notice and receipt are one write; neither was made.
  const file = logFile(s.home);
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  const cut = lines.findIndex((line) => line.includes('"origin":"task"'));
  writeFileSync(file, `${lines.slice(0, cut).join("\n")}\n`);
  for (const round of [1, 2]) {
    const again = await s.open({}, session.id);
    await again.send(`go on ${round}`);
    expect(notices(again.entries())).toBe(1);
    await again.close();
  }
  expect(taskRecords(s.home)).toMatchObject([{ told: true }]);
});

test("the commands of a session have four shares of the disk between them, and the last one gets what is left", async () => {
  const prints = "head -c 90000 /dev/zero | tr '\\0' x";
  const commands = [prints, prints, prints, prints, `${prints}; sleep 317`];
  const s: Stage = await stage((_, index): WireReply => {
    const call = Math.floor(index / 2);
    const command = commands[call];
    if (command === undefined) return { text: "done" };
    if (index % 2 === 0) return { calls: [start(`s${call}`, command)] };
    const task_id = taskIdIn(resultText(s.bodies().at(-1), `s${call}`));
    return { calls: [{ id: `w${call}`, name: "wait_background_task", input: { task_id } }] };
  });
  const session = await s.open({ settings: { permissions: { mode: "auto" }, tasks: { maxBytes: 100_000 } } });
  await session.send("go");
  const [last, ...others] = taskRecords(s.home);
  expect(others.map(({ state, output }) => [state, output?.bytes])).toEqual(Array(4).fill(["succeeded", 90_000]));
  expect(last).toMatchObject({
    state: "failed",
    error: { kind: "budget" },
    output: { bytes: 90_000, dropped: 50_000 },
  });
  expect(taskLog(s.home, last?.id ?? "")).toHaveLength(40_000);
});

/** A Stop hook during which the task of `home` ends, and the runs that have ended once nothing more can come. */
async function endsInStopHook(tasks: { wake?: boolean }, waits: boolean) {
  const s: Stage = await stage((_, index): WireReply => {
    if (index === 0) return { calls: [start("s1", "until [ -e go ]; do sleep 0.02; done; echo ready")] };
    if (index > 1 || !waits) return { text: "done" };
    const task_id = taskIdIn(resultText(s.bodies().at(-1), "s1"));
    return { calls: [{ id: "w1", name: "wait_background_task", input: { task_id, timeout_seconds: 0 } }] };
  });
  const command = `touch go; until grep -qs '"state":"succeeded"' "${s.home}"/tasks/*.json; do sleep 0.02; done`;
  const hooks = { Stop: [{ hooks: [{ type: "command" as const, command }] }] };
  const session = await s.open({ ask: yes, settings: { permissions: { mode: "auto" }, tasks, hooks } });
  const result = await session.send("go");
  expect(result).toMatchObject({ subtype: "success", tasks: [{ state: "succeeded" }] });
  return { s, session };
}

test.each([
  ["the model had waited for it", {}, true],
  ["tasks.wake", { wake: true }, false],
])("what ends between the last answer and the end of its run wakes the agent once: %s", async (_, tasks, waits) => {
  const { s, session } = await endsInStopHook(tasks, waits);
  await eventually(() => s.events.filter(({ type }) => type === "run.end").length === 2);
  await session.send("and now?");
  expect(s.events.filter(({ type }) => type === "run.start")).toHaveLength(3);
  expect(notices(session.entries())).toBe(1);
});

test("and wakes nobody when it was neither waited for nor is tasks.wake set", async () => {
  const { s, session } = await endsInStopHook({}, false);
  expect(notices(session.entries())).toBe(1);
  await session.send("and now?");
  expect(s.events.filter(({ type }) => type === "run.start")).toHaveLength(2);
});

/** Its second run finds a bug in it; what is said afterwards is answered. */
function stumbling(): Model {
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
  let requests = 0;
  return {
    id: "test/stumbling",
    facts: { window: 200_000, maxOutput: 8_000 },
    async *stream() {
      requests++;
      if (requests === 3) throw new TypeError("no such thing");
      const { id, name: tool, input } = start("s1", "until [ -e go ]; do sleep 0.02; done");
      const part =
        requests === 1 ? { type: "call" as const, id, tool, input } : { type: "text" as const, text: "over" };
      const stop = requests === 1 ? "tools" : "end";
      yield { type: "done", message: { role: "assistant", parts: [part], usage, stop }, usage, stop };
    },
  };
}

test("a bug in the run that an end wakes is said, and the session goes on", async () => {
  const s = await stage([]);
  const session = await s.open({
    model: stumbling(),
    ask: yes,
    settings: { permissions: { mode: "auto" }, tasks: { wake: true } },
  });
  await session.send("go");
  writeFileSync(join(s.root, "go"), "");
  const told = () => s.events.filter((event) => event.type === "notice" && event.code === "bug");
  await eventually(() => told().length === 1);
  expect(told()).toMatchObject([
    { level: "error", text: expect.stringContaining("no such thing. What is in the log stands") },
  ]);
  expect((await session.send("and now?")).subtype).toBe("success");
});
