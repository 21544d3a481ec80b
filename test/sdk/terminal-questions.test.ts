// Questions in the terminal interface that nobody answers: they go with the run or the agent that put them, and the editor is back.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { HarnessOptions } from "../../src/index.js";
import { type AppStage, appStage } from "../support/app.js";
import { bytesOf } from "../support/keys.js";

const patient = { timeout: 15_000 };
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
  const settings: HarnessOptions["settings"] = {
    sandbox: { mode: "off" },
    permissions: { mode: "auto", ask: ["Edit(a.txt)"] },
  };
  const script = { main, agents: { implement: [writes, { text: "never" }] } };
  const s = await appStage(script, { first: "go", harness: { settings } });
  await s.tty.until(allowed);
  const { agent } = s.events.find(({ type }) => type === "approval.ask") as { agent: string };
  await s.desk.harness.tasks.cancel(agent);
  await s.tty.until("It did not.");
  await free(s, allowed);
});
