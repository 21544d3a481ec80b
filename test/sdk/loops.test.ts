// Going round in circles, through the SDK (SEEDS D57-D62, SPEC 1.18). The corpus of shapes is test/bench/loops.test.ts.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { blocks, stage } from "../support/stage.js";
import type { WireReply } from "../support/wire/anthropic.js";

const run = (command: string, id: string): WireReply => ({ calls: [{ id, name: "run_command", input: { command } }] });
const same = (command: string, times: number, from = 0): WireReply[] =>
  Array.from({ length: times }, (_, at) => run(command, `c${from + at}`));

test("D57: three reminders after rounds 3, 4 and 5, then round 6 ends the run with a summary", async () => {
  const s = await stage([...same("exit 3", 6), { text: "The command fails; I do not know why." }]);
  const session = await s.open();
  const result = await session.send("go");
  expect(result).toMatchObject({ subtype: "error_loop_detected", exit_code: 5, num_turns: 7 });
  expect(result.result).toBe("The command fails; I do not know why.");
  expect(result.detail).toContain("same call 6 times");
  const nudges = s.events.filter((event) => event.type === "loop.nudge");
  expect(nudges.map(({ n, shape, count }) => [n, shape, count])).toEqual([
    [1, "same", 3],
    [2, "same", 4],
    [3, "same", 5],
  ]);
  expect(s.events.filter((event) => event.type === "loop.stop")).toHaveLength(1);
  const states = s.events.filter((event) => event.type === "state.change");
  expect(states.at(-1)).toMatchObject({ to: "failed" });
  // The reminders are in the conversation and in the log.
  const said = [...session.entries()].filter((entry) => entry.type === "message" && entry.data.origin === "harness");
  expect(said).toHaveLength(4);
  expect(JSON.stringify(s.bodies().at(-1)?.messages)).toContain("Change course");
  // SPEC 1.3: the tools stay declared for the summary.
  expect(s.bodies().at(-1)?.tools).toEqual(s.bodies()[0]?.tools);
});

test("calls in the last reply are not run, and each has its result", async () => {
  const last: WireReply = {
    text: "Once more.",
    calls: [{ id: "z", name: "run_command", input: { command: "touch ran" } }],
  };
  const s = await stage([...same("exit 3", 6), last]);
  const session = await s.open();
  expect(await session.send("go")).toMatchObject({ subtype: "error_loop_detected", result: "Once more.", files: [] });
  const end = s.events.findLast((event) => event.type === "call.end");
  expect(end).toMatchObject({ call: "z", status: "not_run" });
});

test("a summary that does not come changes nothing about the end", async () => {
  const s = await stage([...same("exit 3", 6), { status: 400, error: "no" } as unknown as WireReply]);
  const session = await s.open();
  const result = await session.send("go");
  expect(result).toMatchObject({ subtype: "error_loop_detected", exit_code: 5 });
  expect(result.result).toContain("There is no answer: stopped as a loop");
});

const write: WireReply = { calls: [{ id: "w", name: "write_file", input: { path: "made.txt", content: "x\n" } }] };
const refused = { status: 400, error: "no" } as unknown as WireReply;

test.each([
  ["a loop", [write, ...same("exit 3", 6), {}], {}, "error_loop_detected", "same call 6 times"],
  ["turns", [write, ...same("exit 3", 6)], { turns: 2 }, "error_max_turns", "budget of 2 turns"],
  ["calls", [write, ...same("exit 3", 6)], { calls: 2 }, "error_budget", "budget of 2 tool calls"],
  ["a provider", [write, run("exit 3", "a"), refused], {}, "error_during_execution", "no"],
  ["nothing said", [write, run("exit 3", "a"), {}, {}], {}, "error_during_execution", "an empty answer twice"],
] as const)("ended by %s without a word, a result says what is known", async (_, script, limits, subtype, why) => {
  const s = await stage([...script]);
  const session = await s.open({ settings: { permissions: { mode: "auto" }, limits } });
  const { result, ...rest } = await session.send("go");
  expect(rest).toMatchObject({ subtype });
  expect(result).toContain(`There is no answer: `);
  expect(result).toContain(why);
  expect(result).toContain('Last call: run_command {"command":"exit 3"} (it failed)');
  expect(result).toContain(`Changed: ${join(s.root, "made.txt")}.`);
});

test("what the model said on its way counts, and a run that did nothing has nothing to tell", async () => {
  const s = await stage([{ ...run("exit 3", "a"), text: "I look at the exit code." }, refused, refused]);
  const session = await s.open();
  expect((await session.send("go")).result).toMatch(/The model's last words:\nI look at the exit code\.$/);
  expect((await session.send("and now?")).result).toBe("");
});

test("D60: polling with changing output is progress", async () => {
  const s = await stage([...same("echo x >> log; wc -l < log", 10), { text: "done" }]);
  expect(await (await s.open()).send("go")).toMatchObject({ subtype: "success", num_turns: 11 });
  expect(s.events.some((event) => event.type === "loop.nudge")).toBe(false);
});

test("D61: the order of keys makes no difference", async () => {
  const read = (id: string, input: object): WireReply => ({ calls: [{ id, name: "read_file", input }] });
  const s = await stage([
    read("a", { path: "a.txt", limit: 1 }),
    read("b", { limit: 1, path: "a.txt" }),
    read("c", { path: "a.txt", limit: 1 }),
    { text: "done" },
  ]);
  writeFileSync(join(s.root, "a.txt"), "one\n");
  await (await s.open()).send("go");
  expect(s.events.filter((event) => event.type === "loop.nudge")).toMatchObject([{ n: 1, shape: "same", count: 3 }]);
});

test("D62: a productive round gives the reminders back", async () => {
  const s = await stage([...same("exit 3", 5), run("echo new", "n"), ...same("exit 3", 5, 10), { text: "done" }]);
  expect(await (await s.open()).send("go")).toMatchObject({ subtype: "success" });
  const nudges = s.events.filter((event) => event.type === "loop.nudge");
  expect(nudges.map(({ n }) => n)).toEqual([1, 2, 3, 1, 2, 3]);
});

test("a small model is reminded from the second equal round on", async () => {
  const s = await stage([...same("exit 3", 5), { text: "It fails." }]);
  const session = await s.open({ model: "anthropic/claude-haiku-4-5" });
  expect(await session.send("go")).toMatchObject({ subtype: "error_loop_detected", num_turns: 6 });
  expect(s.events.flatMap((event) => (event.type === "loop.nudge" ? [event.count] : []))).toEqual([2, 3, 4]);
});

test("loop.recoveries 0 ends at the first finding; loop.threshold moves it", async () => {
  const s = await stage([...same("exit 3", 4), { text: "stuck" }]);
  const settings = { permissions: { mode: "auto" }, loop: { threshold: 4, recoveries: 0 } } as const;
  expect(await (await s.open({ settings })).send("go")).toMatchObject({ subtype: "error_loop_detected", num_turns: 5 });
});

test("at 80 % of a budget the model is told once", async () => {
  const s = await stage([
    run("echo 1", "a"),
    run("echo 2", "b"),
    run("echo 3", "c"),
    run("echo 4", "d"),
    { text: "done" },
  ]);
  const settings = { permissions: { mode: "auto" }, limits: { turns: 5 } } as const;
  expect(await (await s.open({ settings })).send("go")).toMatchObject({ subtype: "success" });
  const last = s.bodies().at(-1);
  const told = (last ? blocks(last) : []).filter((text) => text.includes("4 of the 5 turns"));
  expect(told).toHaveLength(1);
});

test("a summary that does not fit is asked for again after a compaction", async () => {
  const tooLong = { status: 400, error: { type: "invalid_request_error", message: "prompt is too long: 9 > 8" } };
  const [summary, last] = [{ text: "It was tried six times." }, { text: "The command fails." }];
  const s = await stage([...same(`exit 3; # ${"x".repeat(4_000)}`, 6), tooLong, summary, last]);
  const session = await s.open({ settings: { permissions: { mode: "auto" }, compaction: { keep: 200 } } });
  const result = await session.send("go");
  expect(result).toMatchObject({ subtype: "error_loop_detected", exit_code: 5, result: "The command fails." });
  expect(s.events.filter((event) => event.type === "compact.end")).toMatchObject([{ ok: true }]);
});
