// What waits to be said, in the terminal interface: the lines that show it, and its list with every key.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type AppStage, appStage } from "../support/app.js";
import { bytesOf } from "../support/keys.js";

const waiting = { calls: [{ tool: "run_command", input: { command: "until [ -e go ]; do sleep 0.02; done" } }] };
const settings = { sandbox: { mode: "off" }, permissions: { mode: "auto" } } as const;
const answers = ["one", "two", "three", "four", "five"].map((text) => ({ text: `heard ${text}` }));

async function withWaiting(texts: readonly string[], size: [number, number] = [80, 24]): Promise<AppStage> {
  const s = await appStage([waiting, ...answers], { first: "begin", size, harness: { settings } });
  await s.tty.until("◐ run until");
  for (const text of texts) {
    s.tty.type(`${text}\r`);
    await s.tty.until(`⋯ ${text}`.slice(0, size[0] - 5));
  }
  return s;
}

const queue = ({ desk }: AppStage) => desk.session.loop().waiting.map(({ text }) => text);

/** The rows of the list, with the mark. */
async function rows(s: AppStage): Promise<string[]> {
  const screen = await s.tty.screen();
  return screen.flatMap((row) => /^(❯| {2}) ?[⋯↯] (?<text>.*)$/.exec(row)?.[0].trimEnd() ?? []);
}

const press = (s: AppStage, ...keys: string[]) => {
  for (const key of keys) s.tty.type(bytesOf(key));
};

const patient = { timeout: 50_000 };

test("three are in sight and the rest is counted; the list has them all, and moves, drops and changes any", async () => {
  const s = await withWaiting(["a", "b", "c", "d", "e"]);
  await s.tty.until(
    /⋯ 2 more before these: Alt\+Q lists all\n⋯ c\n⋯ d\n⋯ e {2}\(Alt\+Up takes it back, Alt\+Q changes any\)/,
  );
  s.tty.type("half");
  press(s, "alt+q");
  await s.tty.until("What waits to be said (5)");
  expect(await rows(s)).toEqual(["❯ ⋯ a", "  ⋯ b", "  ⋯ c", "  ⋯ d", "  ⋯ e"]);
  press(s, "end", "alt+up", "alt+up");
  await expect.poll(() => rows(s), patient).toEqual(["  ⋯ a", "  ⋯ b", "❯ ⋯ e", "  ⋯ c", "  ⋯ d"]);
  press(s, "home", "alt+down");
  await expect.poll(() => rows(s), patient).toEqual(["  ⋯ b", "❯ ⋯ a", "  ⋯ e", "  ⋯ c", "  ⋯ d"]);
  press(s, "delete");
  await expect.poll(() => rows(s), patient).toEqual(["  ⋯ b", "❯ ⋯ e", "  ⋯ c", "  ⋯ d"]);
  press(s, "up", "enter");
  await s.tty.until("Enter puts it back, Escape leaves it");
  press(s, "home", "delete");
  s.tty.type("B, ");
  press(s, "end");
  s.tty.type(" and more\r");
  await expect.poll(() => rows(s), patient).toEqual(["❯ ⋯ B,  and more", "  ⋯ e", "  ⋯ c", "  ⋯ d"]);
  press(s, "down", "enter");
  s.tty.type(" unwanted");
  press(s, "escape");
  await expect.poll(() => rows(s), patient).toEqual(["  ⋯ B,  and more", "❯ ⋯ e", "  ⋯ c", "  ⋯ d"]);
  // Nothing left of a text: it is dropped.
  press(s, "enter", "ctrl+u", "enter");
  await expect.poll(() => queue(s), patient).toEqual(["B,  and more", "c", "d"]);
  press(s, "escape");
  await s.tty.until(/─\n❯ half/);
  writeFileSync(join(s.project, "go"), "");
  await s.tty.until("heard four");
  const said = [...s.desk.session.entries()].flatMap(({ type, data }) =>
    type === "message" && data.role === "user" && data.origin === "user" ? data.parts : [],
  );
  expect(said).toEqual(["begin", "B,  and more", "c", "d"].map((text) => ({ type: "text", text })));
});

test("what the model reads meanwhile leaves the list; a text that was being written for it goes to the editor", async () => {
  const s = await withWaiting(["a", "b"]);
  s.tty.type("/queue\r");
  await s.tty.until("What waits to be said (2)");
  press(s, "enter");
  s.tty.type(" changed");
  await s.tty.until("❯ a changed");
  writeFileSync(join(s.project, "go"), "");
  await s.tty.until("heard three");
  s.tty.type("\r");
  await s.tty.until(/as it was\. What you have written is in the\s+│ editor\./);
  await s.tty.until(/─\n❯ a changed/);
});

test("a key meant for what has just been read does nothing to what stands there now", async () => {
  const again = { calls: [{ tool: "run_command", input: { command: "until [ -e more ]; do sleep 0.02; done" } }] };
  const s = await appStage([waiting, { text: "heard one" }, again], { first: "begin", harness: { settings } });
  await s.tty.until("◐ run until");
  s.tty.type("a\r");
  await s.tty.until("⋯ a");
  s.tty.type("b\r");
  await s.tty.until("⋯ b");
  press(s, "alt+q");
  await s.tty.until("What waits to be said (2)");
  writeFileSync(join(s.project, "go"), "");
  await s.tty.until("What waits to be said (1)");
  press(s, "delete");
  expect(queue(s)).toEqual(["b"]);
  press(s, "delete");
  expect(queue(s)).toEqual([]);
  await s.tty.until("Nothing waits any more. Escape leaves.");
});

test("where nothing is drawn, numbers do the same", async () => {
  const s = await withWaiting(["a", "b", "c"]);
  const { default: command } = await import("../../src/cli/slash/queue.js");
  const run = (argument: string) => {
    const front = { quit() {}, hears: true };
    const { session } = s.desk;
    return command.run({ session, argument, words: argument.split(" ").filter(Boolean), front } as never);
  };
  expect((await run("")).text).toBe(
    "1  ⋯ a\n2  ⋯ b\n3  ⋯ c\n/queue drop <n>, /queue move <n> <m>, /queue edit <n> <text>",
  );
  expect((await run("move 1 3")).text).toBe("1  ⋯ b\n2  ⋯ c\n3  ⋯ a");
  expect((await run("move 3 1")).text).toBe("1  ⋯ a\n2  ⋯ b\n3  ⋯ c");
  expect((await run("edit 2 b  is better")).text).toBe("1  ⋯ a\n2  ⋯ b  is better\n3  ⋯ c");
  expect((await run("drop 1")).text).toBe("1  ⋯ b  is better\n2  ⋯ c");
  for (const wrong of ["drop", "drop 9", "move 1 9", "say 1"]) {
    await expect(run(wrong)).rejects.toThrow("There is no such place in what waits.");
  }
});

test("what waited when the process was killed is in sight at once, with its text, and can be changed and taken back", async () => {
  const script = [
    { ...waiting, match: "^begin$", skip: true },
    { text: "heard", repeat: 9 },
  ];
  const s = await appStage(script, { first: "begin", harness: { settings } });
  await s.tty.until("◐ run until");
  for (const text of ["one", "two", "three"]) {
    s.tty.type(`${text}\r`);
    await s.tty.until(`⋯ ${text}`);
  }
  const { id } = s.desk.session;
  // The log as kill -9 would leave it here.
  const folder = join(s.home, "sessions", readdirSync(join(s.home, "sessions"))[0] ?? "");
  const file = join(folder, readdirSync(folder).find((name) => name.endsWith(".jsonl")) ?? "");
  const killed = readFileSync(file);
  press(s, "escape");
  await s.tty.until(/─\n❯ one/);
  press(s, "ctrl+c");
  s.tty.type("/clear\r");
  await s.tty.until("A new session, ");
  await expect.poll(() => s.app.talk.busy, patient).toBe(false);
  writeFileSync(file, killed);
  s.tty.type(`/resume ${id}\r`);
  await s.tty.until(/⋯ one\n⋯ two\n⋯ three/);
  await s.tty.until("This is session ");
  await expect.poll(() => s.app.talk.busy, patient).toBe(false);
  press(s, "alt+q");
  await s.tty.until("What waits to be said (3)");
  press(s, "delete");
  await s.tty.until("What waits to be said (2)");
  press(s, "escape");
  await s.tty.until("What is to be done?");
  press(s, "alt+up");
  await s.tty.until(/─\n❯ three/);
  expect(queue(s)).toEqual(["two"]);
  press(s, "ctrl+u");
  s.tty.type("go on\r");
  await s.tty.until(/two[\s\S]*heard/);
  await s.tty.until("What is to be done?");
  const screen = (await s.tty.screen()).join("\n");
  expect(screen).not.toMatch(/said before|⋯/);
});
