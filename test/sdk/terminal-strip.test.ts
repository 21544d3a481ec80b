// Work beside the conversation, on an emulator: a line for each task, and nothing of what its agent says.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { appStage } from "../support/app.js";

const auto = { settings: { sandbox: { mode: "off" }, permissions: { mode: "auto" } } } as const;

const background = (command: string) => ({
  calls: [{ tool: "start_background_task", input: { kind: "shell", command } }],
});

test("a command in the background has its line until it ends, also when no run is under way", async () => {
  const s = await appStage([background("until [ -e go ]; do sleep 0.02; done"), { text: "Started." }], {
    first: "go",
    harness: auto,
    parts: { status: ({ transcript }) => `beside: ${transcript.strip.work.length}` },
  });
  await s.tty.until("Started.");
  const screen = await s.tty.until("What is to be done?");
  expect(screen).toMatch(/◐ until \[ -e go \][^\n]*\n─+\n❯/);
  expect(screen).toContain("beside: 1");
  writeFileSync(join(s.project, "go"), "");
  await s.tty.until("beside: 0");
  expect((await s.tty.screen()).join("\n")).not.toMatch(/◐ until \[ -e go \]/);
});

test("an agent has its line with what it does; its words and its end are not the conversation's", async () => {
  const wait = { tool: "run_command", input: { command: "until [ -e go ]; do sleep 0.02; done" } };
  const script = {
    main: [
      { calls: [{ tool: "submit_agent_tasks", input: { tasks: [{ agent_name: "test", prompt: "Try it" }] } }] },
      { text: "It works." },
    ],
    agents: { test: [{ text: "Words of the child.", calls: [wait] }, { text: "Tried." }] },
  };
  const s = await appStage(script, { first: "go", harness: auto });
  await s.tty.until(/◐ Try it {2}run until/);
  writeFileSync(join(s.project, "go"), "");
  await s.tty.until("It works.");
  await s.tty.until("What is to be done?");
  const all = (await s.tty.all()).join("\n");
  expect(all).not.toContain("Words of the child.");
  expect(all).not.toMatch(/◐ Try it/);
});
