// Questions in the terminal interface: what must not answer them, what else a key means there, and those that nobody answers, which
// go with the run or the agent that put them.

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { askTrust } from "../../src/cli/tui/trusting.js";
import type { HarnessOptions } from "../../src/index.js";
import { type AppStage, appStage } from "../support/app.js";
import { bytesOf } from "../support/keys.js";

const patient = { timeout: 50_000 };
const writes = { calls: [{ tool: "write_file", input: { path: "a.txt", content: "x\n" } }] };
const asks = { calls: [{ tool: "ask_user", input: { question: "Which colour?", answers: ["red", "blue"] } }] };
const allowed = "y  Allow once";

async function armed(s: AppStage, shows: string): Promise<void> {
  await s.tty.until(shows);
  await expect.poll(async () => (await s.tty.screen()).join("\n"), patient).not.toContain("keys count here");
}

/** The dialog is gone, and what is typed is the editor's. */
async function free(s: AppStage, shown: string): Promise<void> {
  await s.tty.until("What is to be done?");
  expect((await s.tty.screen()).join("\n")).not.toContain(shown);
  s.tty.type("next");
  await s.tty.until(/─\n❯ next/);
}

const auto: HarnessOptions["settings"] = {
  sandbox: { mode: "off" },
  permissions: { mode: "auto", ask: ["Edit(a.txt)"] },
};
const waits = { calls: [{ tool: "run_command", input: { command: "until [ -e go ]; do sleep 0.02; done" } }] };

/** A clipboard that says nothing until `empty`. */
function slowClipboard() {
  let empty = () => {};
  const clipboard = () =>
    new Promise<null>((resolve) => {
      empty = () => resolve(null);
    });
  return { clipboard, empty: () => empty() };
}

test("what was typed while the clipboard was read, before the question was there, answers nothing", async () => {
  const { clipboard, empty } = slowClipboard();
  const script = [waits, writes, { text: "It ends." }];
  const s = await appStage(script, { first: "go", harness: { settings: auto }, parts: { clipboard } });
  await s.tty.until("◐ run until");
  s.tty.type(`${bytesOf("ctrl+v")}yes, and then`);
  writeFileSync(join(s.project, "go"), "");
  await armed(s, allowed);
  empty();
  await s.tty.until("No image was found in the clipboard.");
  expect(s.events.some((event) => event.type === "approval.end" && event.by === "user")).toBe(false);
  s.tty.type("n");
  await s.tty.until("It ends.");
  await s.tty.until(/─\n❯ yes, and then/);
  expect(existsSync(join(s.project, "a.txt"))).toBe(false);
});

test.each(["escape", "ctrl+c"])("%s ends the turn also while the clipboard is read", async (key) => {
  const { clipboard } = slowClipboard();
  const s = await appStage([waits], { first: "go", harness: { settings: auto }, parts: { clipboard } });
  await s.tty.until("◐ run until");
  s.tty.type(bytesOf("ctrl+v") + bytesOf(key));
  await s.tty.until("What is to be done?");
  expect(s.events.at(-1)).toMatchObject({ type: "run.end", subtype: "error_cancelled" });
});

test("Ctrl+C forgets what was typed while the clipboard is read, and Ctrl+D leaves when nothing was", async () => {
  const { clipboard } = slowClipboard();
  const s = await appStage([], { parts: { clipboard } });
  s.tty.type(`${bytesOf("ctrl+v")}words${bytesOf("ctrl+d")}${bytesOf("ctrl+c")}${bytesOf("ctrl+d")}`);
  await s.ended;
});

test.each([
  ["an approval", writes, "❯ y  Allow once"],
  ["a question", asks, "❯ red"],
])("Shift+Tab at %s is the next mode, and marks nothing else", async (_what, asked, marked) => {
  const s = await appStage([asked, { text: "never" }], { first: "go" });
  await armed(s, marked);
  s.tty.type(bytesOf("shift+tab"));
  expect(await s.tty.until("scripted | acceptEdits")).toContain(marked);
});

test.each([
  ["escape", "an approval", writes, allowed],
  ["ctrl+c", "an approval", writes, allowed],
  ["ctrl+c", "a question", asks, "Which colour?"],
] as const)("%s at %s ends the turn, and the dialog with it", async (key, _what, asked, shown) => {
  const s = await appStage([asked, { text: "never" }], { first: "go" });
  await armed(s, shown === allowed ? allowed : "❯ red");
  s.tty.type(bytesOf(key));
  await free(s, shown === allowed ? allowed : "❯ red");
  expect(existsSync(join(s.project, "a.txt"))).toBe(false);
});

test("so does the time of the run", async () => {
  const settings = { sandbox: { mode: "off" }, limits: { time: 1 } } as const;
  const s = await appStage([writes, { text: "never" }], { first: "go", harness: { settings } });
  await s.tty.until(allowed);
  await free(s, allowed);
});

test("and the end of the agent that asks", async () => {
  const tasks = [{ agent_name: "implement", prompt: "Make it" }];
  const main = [{ calls: [{ tool: "submit_agent_tasks", input: { tasks } }] }, { text: "It did not." }];
  const script = { main, agents: { implement: [writes, { text: "never" }] } };
  const s = await appStage(script, { first: "go", harness: { settings: auto } });
  await s.tty.until(allowed);
  const { agent } = s.events.find(({ type }) => type === "approval.ask") as { agent: string };
  await s.desk.harness.tasks.cancel(agent);
  await s.tty.until("It did not.");
  await free(s, allowed);
});

test("Escape at the question of trust is a no for now, and that is said", async () => {
  const prepare = (project: string) => writeFileSync(join(project, "AGENTS.md"), "Speak like a duck.\n");
  const s = await appStage([{ text: "hi" }], { prepare });
  await askTrust(s.app, s.desk);
  await armed(s, "n  Not now (Escape)");
  s.tty.type(bytesOf("escape"));
  await s.tty.until("Not trusted for now: its files are data.");
  await free(s, "Do you trust it?");
  expect(s.desk.session.init.trust).toBe("untrusted");
});
