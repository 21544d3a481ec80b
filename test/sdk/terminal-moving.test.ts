// Commands that go on elsewhere, in another session or at another entry: what comes after them is heard and shown once.

import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type AppStage, appStage } from "../support/app.js";

const patient = { timeout: 50_000 };

const writes = { match: "make it", calls: [{ tool: "write_file", input: { path: "a.txt", content: "x\n" } }] };
const script = [
  { match: "^go$", skip: true, text: "First answer." },
  { match: "hear me", skip: true, text: "You are heard." },
  { ...writes, skip: true },
  { text: "It is made." },
];

type Step = [typed: string, shows: string];

const newSession: Step = ["/clear", "A new session, "];

const elsewhere: Readonly<Record<string, (s: AppStage) => Step[]>> = {
  clear: () => [newSession],
  mode: () => [
    ["/mode acceptEdits", "Mode acceptEdits: "],
    ["/mode ask", "Mode ask: "],
  ],
  model: ({ desk }) => [[`/model ${desk.session.init.model}`, "answers from here on"]],
  rewind: () => [["/rewind", "Your message was:"]],
  resume: ({ desk }) => [newSession, [`/resume ${desk.session.id}`, "This is session "]],
  sessions: () => [newSession, ["/sessions", "Go on with which session?"], ["go", "This is session "]],
  fork: ({ desk }) => {
    const last = [...desk.session.entries()].findLast(({ type }) => type === "message");
    return [[`/fork ${last?.id}`, "The conversation goes on behind"]];
  },
};

test.each(Object.keys(elsewhere))("after /%s everything is said and asked once", async (name) => {
  const s = await appStage(script, { first: "go", size: [100, 44] });
  const rows = async (text: string) => (await s.tty.all()).filter((row) => row.includes(text)).length;
  await s.tty.until("First answer.");
  await s.tty.until("What is to be done?");
  for (const [typed, shows] of elsewhere[name]?.(s) ?? []) {
    s.tty.type(`${typed}\r`);
    await s.tty.until(shows);
    await expect.poll(() => s.app.talk.busy, patient).toBe(false);
  }
  if (name === "rewind") s.tty.type("\x15");
  await s.tty.until("What is to be done?");
  s.tty.type("hear me\r");
  await s.tty.until("You are heard.");
  await s.tty.until("What is to be done?");
  expect([await rows("hear me"), await rows("You are heard.")]).toEqual([1, 1]);
  s.tty.type("make it\r");
  await s.tty.until("y  Allow once");
  await expect.poll(async () => (await s.tty.screen()).join("\n"), patient).not.toContain("keys count here");
  s.tty.type("y");
  await s.tty.until("It is made.");
  await s.tty.until("What is to be done?");
  expect(await rows("y  Allow once")).toBe(0);
  expect([await rows("make it"), await rows("It is made.")]).toEqual([1, 1]);
  expect(existsSync(join(s.project, "a.txt"))).toBe(true);
  rmSync(join(s.project, "a.txt"));
});
