// Commands in the background through the public face, with real processes (SEEDS D 94–100, SECURITY 86–101).

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Entry, Event } from "../../src/index.js";
import { needs } from "../support/needs.js";
import { resultText, type Stage, stage, yes } from "../support/stage.js";
import { eventually, processesOf, taskIdIn, taskLog, taskRecords } from "../support/tasks.js";
import { undo } from "../support/undo.js";
import type { WireReply } from "../support/wire/anthropic.js";

const start = (command: string, more: object = {}) => ({
  id: "s1",
  name: "start_background_task",
  input: { kind: "shell", command, ...more },
});

const call = (id: string, name: string, input: object) => ({ id, name, input });

/** The task that call `s1` started, as the model was told. */
const started = (s: Stage) => taskIdIn(resultText(s.bodies().at(-1), "s1"));

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

/** A model that starts this, then does what `next` says, then answers. */
function script(command: string, next: (s: Stage, id: string) => WireReply[], more: object = {}) {
  let s: Stage;
  let steps: WireReply[] | undefined;
  const replies = (_: unknown, index: number): WireReply => {
    if (index === 0) return { calls: [start(command, more)] };
    steps ??= next(s, started(s));
    return steps[index - 1] ?? { text: "done" };
  };
  return async () => {
    s = await stage(replies);
    return s;
  };
}

test("a command runs beside the conversation, and its end is told once, with exit code and output", async () => {
  const s = await script("echo one; echo two >&2; exit 3", (_, id) => [
    { calls: [call("w1", "wait_background_task", { task_id: id })] },
  ])();
  const session = await s.open();
  const result = await session.send("go");
  expect(result).toMatchObject({ subtype: "success" });
  const [record] = taskRecords(s.home);
  expect(record).toMatchObject({ state: "failed", exit_code: 3, kind: "shell", error: { kind: "exit" }, told: true });
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

test("it is judged like any command: rules for Bash, the mode, and a yes of its own to survive (D 79)", async () => {
  const asked: string[] = [];
  const ask = async ({ summary }: { summary: string }) => {
    asked.push(summary);
    return { decision: "deny" } as const;
  };
  const denied = await stage([{ calls: [start("npm run dev")] }, { text: "done" }]);
  await (await denied.open({ settings: { ...auto, permissions: { mode: "auto", deny: ["Bash(npm *)"] } } })).send("go");
  expect(resultText(denied.bodies().at(-1), "s1")).toContain("Denied (deny Bash(npm *))");
  const allowed = { mode: "ask", allow: ["Bash(npm *)"] } as const;
  const survives = await stage([{ calls: [start("npm run dev", { detach: true })] }, { text: "done" }]);
  await (await survives.open({ ask, settings: { permissions: { ...allowed, allow: [...allowed.allow] } } })).send("go");
  expect(asked).toEqual([
    "start in the background: npm run dev, and leave it running when Cinch has ended, for 24 h at most",
  ]);
  expect(existsSync(join(denied.home, "tasks"))).toBe(false);
});

test.each<[object, string]>([
  [{ kind: "shell" }, "A task of kind shell needs command."],
  [{ kind: "shell", command: "true", prompt: "x" }, "A task of kind shell does not take prompt."],
  [{ kind: "agent", prompt: "x" }, "A task of kind agent needs agent_name."],
  [{ kind: "robot" }, "kind"],
  [{ kind: "shell", command: "true", cwd: "/" }, "outside the project"],
])("%j is refused, and nothing begins", async (input, text) => {
  const s = await stage([{ calls: [call("s1", "start_background_task", input)] }, { text: "done" }]);
  await (await s.open()).send("go");
  expect(resultText(s.bodies().at(-1), "s1")).toContain(text);
  expect(existsSync(join(s.home, "tasks"))).toBe(false);
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

test("known secrets are neither read by the model nor left in the log, and offsets still fit", async () => {
  const secret = "canary-Zz9-secret-value";
  const s = await script("cat leak.txt; echo behind", (_, id) => [
    { calls: [call("w1", "wait_background_task", { task_id: id })] },
    { calls: [call("r1", "read_background_task_output", { task_id: id, offset: 10, max_chars: 12 })] },
  ])();
  mkdirSync(s.root, { recursive: true });
  writeFileSync(join(s.root, "leak.txt"), `a ${secret} b\n`);
  const env = { ANTHROPIC_API_KEY: secret, ANTHROPIC_BASE_URL: s.server.url, PATH: process.env["PATH"] };
  await (await s.open({ env })).send("go");
  const [record] = taskRecords(s.home);
  expect(taskLog(s.home, record?.id ?? "")).toBe(`a ${"*".repeat(secret.length)} b\nbehind\n`);
  expect(JSON.stringify(s.bodies())).not.toContain(secret);
  expect(resultText(s.bodies().at(-1), "r1")).toContain("************\n");
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

test("what other sessions asked for is seen in their project only, and ended by none of them", async () => {
  const [near, far] = ["near00000000", "far000000000"];
  const asked = [near, far].flatMap((id, i) => [
    call(`read${i}`, "read_background_task_output", { task_id: id }),
    call(`end${i}`, "cancel_background_task", { task_id: id }),
    call(`agents${i}`, "cancel_agent_tasks", { task_ids: [id] }),
  ]);
  const s = await stage([
    { calls: [start("echo mine")] },
    { text: "started" },
    { calls: [call("all", "list_background_tasks", { all: true }), ...asked] },
    { text: "done" },
  ]);
  const session = await s.open();
  await session.send("go");
  const [mine] = taskRecords(s.home);
  for (const [id, cwd] of [
    [near, mine?.cwd],
    [far, "/somewhere/else"],
  ] as const) {
    const other = { ...mine, id, cwd, title: `made for ${id}`, owner: { ...mine?.owner, session: "another" } };
    writeFileSync(join(s.home, "tasks", `${id}.json`), JSON.stringify(other));
  }
  await session.send("look");
  const text = (id: string) => resultText(s.bodies().at(-1), id);
  expect(text("all")).toContain(near);
  expect(text("all")).not.toContain(far);
  for (const id of ["end0", "agents0"]) expect(text(id)).toContain("belongs to another session. Nothing was ended.");
  expect(text("read0")).not.toContain("There is no task");
  for (const id of ["read1", "end1", "agents1"]) expect(text(id)).toContain(`There is no task "${far}"`);
});
