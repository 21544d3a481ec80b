// Commands in the background through the public face, with real processes (SEEDS D 92–100, SECURITY 86–101).
// Who may start, see and end one is tasks-bounds.test.

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Entry, Event } from "../../src/index.js";
import { needs } from "../support/needs.js";
import { resultText, type Stage, stage, yes } from "../support/stage.js";
import { call, eventually, processesOf, script, start, taskIdIn, taskLog, taskRecords } from "../support/tasks.js";
import { undo } from "../support/undo.js";
import type { WireReply } from "../support/wire/anthropic.js";

const auto = { permissions: { mode: "auto" } } as const;

function changes(s: Stage): string[] {
  return s.events.flatMap((event: Event) => (event.type === "task.change" ? [`${event.from}>${event.to}`] : []));
}

function notices(entries: Iterable<Entry>): string[] {
  return [...entries].flatMap((entry) => {
    if (entry.type !== "message" || entry.data.origin !== "task") return [];
    return entry.data.parts.map((part) => (part.type === "text" ? part.text : ""));
  });
}

test("a command runs beside the conversation, and its end is told once, with exit code and output", async () => {
  const s = await script("echo one; echo two >&2; exit 3", (_, id) => [
    { calls: [call("w1", "wait_background_task", { task_id: id })] },
  ])();
  const session = await s.open();
  const result = await session.send("go");
  expect(result).toMatchObject({ subtype: "success" });
  const [record] = taskRecords(s.home);
  expect(record).toMatchObject({ state: "failed", exit_code: 3, kind: "shell", told: true });
  expect(record).not.toHaveProperty("error");
  expect(result.tasks).toEqual([{ id: record?.id, kind: "shell", state: "failed", exit_code: 3 }]);
  expect(taskLog(s.home, record?.id ?? "")).toBe("one\ntwo\n");
  expect(resultText(s.bodies().at(-1), "w1")).toContain("one\ntwo");
  expect(notices(session.entries())).toHaveLength(1);
  expect(notices(session.entries())[0]).toContain(record?.id);
  expect(changes(s)).toEqual(["null>queued", "queued>running", "running>failed"]);
});

test("output is read while it runs, from byte 0, by offset, and waited for; the end comes with it", async () => {
  const command = "echo one; while [ ! -e go ]; do sleep 0.02; done; printf 'two\\nthree'";
  const s = await script(command, (_, id) => {
    const read = (name: string, more: object) => call(name, "read_background_task_output", { task_id: id, ...more });
    return [
      { calls: [read("r1", { offset: 0, wait_seconds: 10 })] },
      {
        calls: [{ ...call("x", "run_command", { command: "touch go" }) }, read("r2", { offset: 4, wait_seconds: 10 })],
      },
      { calls: [call("w", "wait_background_task", { task_id: id })] },
      { calls: [read("r3", { offset: -5 }), read("r4", {})] },
    ];
  })();
  const session = await s.open();
  await session.send("go");
  const last = s.bodies().at(-1);
  expect(resultText(last, "r1")).toMatch(/^one\n\[task_id \w+: running; bytes 0 to 4 of 4; read on at offset 4\]$/);
  expect(resultText(last, "r2")).toMatch(/^two\nthree\n\[/);
  expect(resultText(last, "r3")).toMatch(/^three\n\[task_id \w+: succeeded; bytes 8 to 13 of 13; .*that is the end\]$/);
  expect(resultText(last, "r4")).toMatch(/^one\ntwo\nthree\n\[/);
});

test("a wait that is over gives the state and ends nothing; the end of what was waited for goes into the next request", async () => {
  const s = await script("while [ ! -e go ]; do sleep 0.02; done; exit 0", (_, id) => [
    { calls: [call("w1", "wait_background_task", { task_id: id, timeout_seconds: 0 })] },
    { calls: [call("x", "run_command", { command: "touch go" }), call("w2", "wait_background_task", { task_id: id })] },
  ])();
  const session = await s.open();
  await session.send("go");
  const last = s.bodies().at(-1);
  expect(resultText(last, "w1")).toContain(": running");
  expect(resultText(last, "w2")).toContain(": succeeded (exit code 0)");
  expect(notices(session.entries())).toHaveLength(1);
  expect(JSON.stringify(last?.messages)).toContain("succeeded after");
});

test("cancelling what runs ends its whole group and what left it, and keeps the log; again it stays as it was (D 96, 99)", async () => {
  needs("/proc");
  const s = await script("echo here; sleep 311 & (setsid sleep 312 &); cat; trap '' TERM; sleep 313", (_, id) => [
    { calls: [call("r1", "read_background_task_output", { task_id: id, offset: 0, wait_seconds: 10 })] },
    { calls: [call("c1", "cancel_background_task", { task_id: id })] },
    { calls: [call("c2", "cancel_background_task", { task_id: id })] },
    { calls: [call("c3", "cancel_background_task", { task_id: "nosuchtask00" })] },
  ])();
  const session = await s.open();
  await session.send("go");
  const [record] = taskRecords(s.home);
  const last = s.bodies().at(-1);
  expect(record?.state).toBe("cancelled");
  expect(processesOf(record?.id ?? "")).toEqual([]);
  expect(taskLog(s.home, record?.id ?? "")).toBe("here\n");
  expect(resultText(last, "c1")).toContain(": cancelled");
  expect(resultText(last, "c2")).toContain("It had ended before.");
  expect(resultText(last, "c3")).toContain('There is no task "nosuchtask00". The tasks are: ');
  expect(notices(session.entries())).toHaveLength(1);
});

test("a time limit ends it and says so; the log is kept (D 98)", async () => {
  const s = await script(
    "echo begun; sleep 314",
    (_, id) => [{ calls: [call("w1", "wait_background_task", { task_id: id })] }],
    { timeout_seconds: 1 },
  )();
  await (await s.open()).send("go");
  const [record] = taskRecords(s.home);
  expect(record).toMatchObject({ state: "failed", error: { kind: "timeout" } });
  expect(record?.error?.text).toContain("ended after 1 s");
  expect(taskLog(s.home, record?.id ?? "")).toBe("begun\n");
});

test("D 92: a command that prints for ever is ended at its disk limit", async () => {
  const s = await script("yes", (_, id) => [{ calls: [call("w1", "wait_background_task", { task_id: id })] }])();
  const session = await s.open({ settings: { ...auto, tasks: { maxBytes: 1_000_000 } } });
  await session.send("go");
  const [record] = taskRecords(s.home);
  expect(record).toMatchObject({ state: "failed", error: { kind: "budget" } });
  expect(record?.output?.bytes).toBeGreaterThan(1_000_000);
  expect(taskLog(s.home, record?.id ?? "")).toHaveLength(1_000_000);
});

test("what waits for a place is cancelled before it begins, and the limit holds (D 94, 96)", async () => {
  let s: Stage;
  let ids: string[] = [];
  const many = [1, 2, 3].map((n) => ({ ...start("sleep 315"), id: `s${n}` }));
  s = await stage((_, index): WireReply => {
    if (index === 0) return { calls: many };
    if (index === 1) ids = many.map(({ id }) => taskIdIn(resultText(s.bodies().at(-1), id)));
    if (index === 1) return { calls: [call("l", "list_background_tasks", {})] };
    if (index === 2) return { calls: [call("c", "cancel_background_task", { task_id: ids[2] })] };
    return { text: "done" };
  });
  const session = await s.open({ settings: { ...auto, tasks: { parallel: 2 } } });
  const result = await session.send("go");
  const last = s.bodies().at(-1);
  expect(resultText(last, "l").match(/: (running|queued)/g)).toEqual([": queued", ": running", ": running"]);
  expect(resultText(last, "c")).toContain(`${ids[2]}: cancelled`);
  expect(taskRecords(s.home).find(({ id }) => id === ids[2])?.started).toBeNull();
  expect(result.tasks.map((task) => task["state"])).toEqual(["cancelled", "cancelled", "cancelled"]);
});

test("somebody is there: a task goes on after the run, its end is said at once, and wakes the agent only if it waited", async () => {
  for (const waits of [false, true]) {
    const s = await script("while [ ! -e go ]; do sleep 0.02; done; echo ready", (_, id) =>
      waits ? [{ calls: [call("w1", "wait_background_task", { task_id: id, timeout_seconds: 0 })] }] : [],
    )();
    const session = await s.open({ ask: yes });
    const result = await session.send("go");
    expect(result.tasks).toMatchObject([{ state: "running" }]);
    const before = s.server.requests.length;
    writeFileSync(join(s.root, "go"), "");
    await eventually(() => notices(session.entries()).length === 1);
    if (waits) await eventually(() => s.events.filter(({ type }) => type === "run.end").length === 2);
    await session.close();
    expect(s.server.requests.length - before).toBe(waits ? 1 : 0);
    expect(taskRecords(s.home)).toMatchObject([{ state: "succeeded", told: true }]);
  }
});

test("what a command changes until it is ended with the run is in the result, and can be taken back", async () => {
  const command = "until [ -e go ]; do sleep 0.02; done; echo made >made.txt; echo there; sleep 320";
  const s = await script(command, (_, id) => [
    { calls: [call("r1", "read_background_task_output", { task_id: id, offset: 0, wait_seconds: 0 })] },
    { calls: [call("t", "write_file", { path: "go", content: "" })] },
    { calls: [call("r2", "read_background_task_output", { task_id: id, offset: 0, wait_seconds: 10 })] },
  ])();
  const session = await s.open();
  const result = await session.send("go");
  expect(resultText(s.bodies().at(-1), "r2")).toContain("there");
  expect(result.tasks).toMatchObject([{ state: "cancelled" }]);
  expect(result.files.map(({ path }) => path.slice(s.root.length + 1)).sort()).toEqual(["go", "made.txt"]);
  expect(existsSync(join(s.root, "made.txt"))).toBe(true);
  await session.close();
  await undo(s);
  expect(existsSync(join(s.root, "made.txt"))).toBe(false);
});

test("a command that only reads leaves nothing in doubt", async () => {
  const s = await script("sleep 321", () => [
    { calls: [call("x", "run_command", { command: "echo more >more.txt" })] },
  ])();
  const result = await (await s.open()).send("go");
  expect(result.tasks).toMatchObject([{ state: "cancelled" }]);
  expect(result.coverage).toBe("full");
});

test("asking again and again for what does not change is a loop at last, and not at once", async () => {
  const s = await stage((_, index) =>
    index === 0 ? { calls: [start("sleep 316")] } : { calls: [call(`l${index}`, "list_background_tasks", {})] },
  );
  const result = await (await s.open()).send("go");
  expect(result).toMatchObject({ subtype: "error_loop_detected", exit_code: 5 });
  expect(result.num_turns).toBeGreaterThan(12);
  expect(result.tasks).toMatchObject([{ state: "cancelled" }]);
});
