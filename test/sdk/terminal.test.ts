// The terminal interface on an emulator: what is said, asked, steered and drawn. test/tui/ has the shipped program on a real terminal.

import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Transcript } from "../../src/cli/tui/transcript.js";
import { createHarness, type Event } from "../../src/index.js";
import { appStage } from "../support/app.js";

const patient = { timeout: 50_000 };

const write = (path: string) => ({ calls: [{ tool: "write_file", input: { path, content: "x\n" } }] });
const wait = { calls: [{ tool: "run_command", input: { command: "until [ -e go ]; do sleep 0.02; done" } }] };
const auto = { settings: { sandbox: { mode: "off" }, permissions: { mode: "auto" } } } as const;

/** Without what differs from run to run. */
function kinds(events: readonly Event[]): unknown[] {
  const own = /^(seq|session|agent|time|id|call|entry|digest|ms|duration_ms|session_id|delay_ms|by)$/;
  return events
    .filter(({ type }) => type !== "approval.ask")
    .map((event) => JSON.parse(JSON.stringify(event, (key, value) => (own.test(key) ? undefined : value))));
}

test("the same script gives the same events without a terminal and in one", async () => {
  const script = [{ thinking: "well", text: "I write.", ...write("a.txt") }, { text: "It **is** there." }];
  const s = await appStage(script, { first: "go" });
  await s.tty.until("y  Allow once");
  await expect.poll(async () => (await s.tty.screen()).join("\n"), patient).not.toContain("keys count here");
  s.tty.type("y");
  await s.tty.until("It is there.");
  await s.tty.until("What is to be done?");
  const { model, settings } = { model: s.desk.session.init.model, settings: { sandbox: { mode: "off" } } as const };
  const events: Event[] = [];
  const harness = createHarness({
    cwd: s.project,
    home: s.home,
    model,
    settings,
    ask: async () => ({ decision: "allow" }),
  });
  const session = await harness.open();
  const listening = (async () => {
    for await (const event of session.events()) events.push(event);
  })();
  // The file of the first run would be in the way.
  rmSync(join(s.project, "a.txt"));
  await session.send("go");
  await harness.close();
  await listening;
  const strip = (all: unknown[]) => JSON.stringify(all).replaceAll(/"(before|after|path|context)":"[^"]*"/g, "");
  expect(strip(kinds(s.events))).toBe(strip(kinds(events)));
});

test("a transcript that is rebuilt from the log is the one that was seen", async () => {
  const script = [{ thinking: "well", text: "I write.", ...write("a.txt") }, { text: "It **is** there." }];
  const s = await appStage(script, { first: "go", harness: auto });
  await s.tty.until("It is there.");
  await s.tty.until("What is to be done?");
  const [seen, rebuilt] = [new Transcript(), new Transcript()];
  for (const event of s.events) seen.event(event, (id) => s.desk.session.entry(id));
  for (const entry of s.desk.session.entries()) rebuilt.entry(entry);
  rebuilt.settle();
  const told = ({ blocks }: Transcript) =>
    blocks.map((block) =>
      block.kind === "call" ? [block.kind, block.tool, block.status, block.text] : [block.kind, block.text],
    );
  expect(told(rebuilt)).toEqual(told(seen));
  expect(told(seen).map(([kind]) => kind)).toEqual(["said", "thinking", "text", "call", "text"]);
});

test("what was typed before a question could be read answers nothing", async () => {
  const s = await appStage([write("a.txt"), { text: "done" }], { first: "go" });
  await s.tty.until("keys count here once you stop typing");
  s.tty.type("yes, go on");
  const screen = await s.tty.until("y  Allow once");
  expect(screen).toContain("create a.txt");
  expect(s.events.some(({ type }) => type === "approval.end")).toBe(false);
  expect(existsSync(join(s.project, "a.txt"))).toBe(false);
  await expect.poll(async () => (await s.tty.screen()).join("\n"), patient).not.toContain("keys count here");
  s.tty.type("n");
  await s.tty.until("⊘ create a.txt");
  await s.tty.until(/❯ yes, go on/);
});

test("a denial with words reaches the model; the question shows parts and hidden characters", async () => {
  const command = "rm -r 'a\u202eb' && ls";
  const s = await appStage([{ calls: [{ tool: "run_command", input: { command } }] }, { text: "done" }], {
    first: "go",
  });
  const screen = await s.tty.until(/f {2}Deny and say why/);
  expect(screen).toContain("1 invisible character, shown as");
  expect(screen).toContain("\\u{202e}");
  expect(screen).toMatch(/Its parts:[\s\S]*rm -r[\s\S]*ls/);
  await expect.poll(async () => (await s.tty.screen()).join("\n"), patient).not.toContain("keys count here");
  s.tty.type("f");
  await s.tty.until("Why not?");
  s.tty.type("use trash\r");
  await s.tty.until("done");
  expect(JSON.stringify([...s.desk.session.entries()])).toContain("They say: use trash");
});

test("what is sent during a run waits, can be taken back, or is said at once; Escape ends the turn", async () => {
  const s = await appStage([wait, { text: "never" }], { first: "go", harness: auto });
  await s.tty.until("◐ run until");
  s.tty.type("then this\r");
  await s.tty.until(/⋯ then this/);
  s.tty.type("\x1b[1;3A");
  await s.tty.until(/❯ then this/);
  expect(s.events.filter(({ type }) => type === "steer.dropped")).toHaveLength(1);
  s.tty.type("\x14");
  await s.tty.until(/↯ then this/);
  s.tty.type("\x1b");
  // What the model never read is the user's again.
  await s.tty.until(/❯ then this/);
  await expect.poll(() => s.events.at(-1)?.type, patient).toBe("run.end");
  expect(s.events.at(-1)).toMatchObject({ type: "run.end", subtype: "error_cancelled", undelivered: ["then this"] });
});

test("Shift+Tab goes through the modes, also out of planning", async () => {
  const s = await appStage([{ text: "hi" }]);
  for (const mode of ["acceptEdits", "auto", "plan", "ask"]) {
    s.tty.type("\x1b[Z");
    await s.tty.until(`scripted | ${mode}`);
  }
});

test("a list of a command is chosen from, and the choice is the command with its value", async () => {
  const s = await appStage([{ text: "hi" }]);
  s.tty.type("/mode\r");
  await s.tty.until("What runs without asking?");
  s.tty.type("auto");
  await s.tty.until("narrowed to: auto");
  s.tty.type("\r");
  await s.tty.until("scripted | auto");
});

test("a question of the agent is answered from its list, or in words", async () => {
  const ask = (id: string) => ({
    calls: [{ id, tool: "ask_user", input: { question: "Which?", answers: ["red", "blue"] } }],
  });
  const s = await appStage([ask("1"), ask("2"), { text: "thanks" }], { first: "go" });
  const armed = async () => {
    await s.tty.until("? Which?");
    await expect.poll(async () => (await s.tty.screen()).join("\n"), patient).not.toContain("keys count here");
  };
  await armed();
  s.tty.type("\x1b[B\r");
  await s.tty.until("● Which?");
  await armed();
  s.tty.type("green, please\r");
  await s.tty.until("thanks");
  const log = JSON.stringify([...s.desk.session.entries()]);
  expect(log).toContain("The user says: blue");
  expect(log).toContain("The user says: green, please");
});

test("Ctrl+O shows everything in the other screen and comes back to the same one", async () => {
  const s = await appStage([{ thinking: "first line\nsecond thought", text: "Answer." }], { first: "go" });
  await s.tty.until("Answer.");
  await s.tty.until("What is to be done?");
  const before = await s.tty.screen();
  expect(before.join("\n")).not.toContain("second thought");
  s.tty.type("\x0f");
  await s.tty.until("second thought");
  s.tty.type("\x1b");
  await s.tty.until("What is to be done?");
  expect(await s.tty.screen()).toEqual(before);
});

test("every line of a long answer is in the scrollback once, and nothing is ever cleared", async () => {
  const lines = Array.from({ length: 200 }, (_, at) => `- row number ${at + 1} of the answer`);
  const s = await appStage([{ text: lines.join("\n"), chunk: 30 }, { text: "second" }], { first: "go" });
  await s.tty.until("What is to be done?");
  s.tty.type("and more\r");
  await s.tty.until("second");
  await s.tty.until("What is to be done?");
  const all = await s.tty.all();
  const seen = all.filter((row) => row.includes("row number")).map((row) => Number(/number (\d+)/.exec(row)?.[1]));
  expect(seen).toEqual(lines.map((_, at) => at + 1));
  expect(s.tty.bytes).not.toMatch(/\x1b\[[23]J|\x1bc/);
});

test.each([1, 2, 7, 40, 400])("%i columns wide, and resized at any time, it draws without a fault", async (columns) => {
  const table =
    "| a | b |\n|---|---|\n| one | two |\n\n```ts\nconst a = 1;\n```\n\n> quoted [link](https://x.example/y)";
  const s = await appStage([{ text: table, ...write("a.txt") }, { text: "done" }], {
    first: "go",
    harness: auto,
    size: [columns, 10],
  });
  const ended = async () => expect.poll(() => s.events.some(({ type }) => type === "run.end")).toBe(true);
  for (const [at, width] of [columns, 3, 90, 1, columns].entries()) s.tty.resize(width, 5 + at);
  await ended();
  s.tty.type("typed");
  for (const width of [13, columns]) s.tty.resize(width, 24);
  expect((await s.tty.screen()).every((row) => row.length <= Math.max(2, columns))).toBe(true);
  expect(readFileSync(join(s.home, "history.jsonl"), { encoding: "utf8", flag: "a+" })).toBe("");
});
