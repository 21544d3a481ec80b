// What a terminal shows that goes on with a session, and what it answers while a run is under way.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Transcript } from "../../src/cli/tui/transcript.js";
import { appStage } from "../support/app.js";

const steps = (state: "active" | "done") => ({
  tool: "update_plan",
  input: {
    steps: [
      { text: "dig", state: "done" },
      { text: "fill", state },
    ],
  },
});

test.each([
  ["is in sight again", [steps("active")], ["[x] dig", "[>] fill"]],
  ["stays away when it was over", [steps("active"), steps("done")], []],
])("the list of steps %s when the session goes on", async (_what, plans, items) => {
  const s = await appStage([...plans.map((plan) => ({ calls: [plan] })), { text: "that is it" }]);
  s.tty.type("go\r");
  await s.tty.until(/that is it[\s\S]*What is to be done\?/);
  const again = await s.desk.reopen({ mode: "acceptEdits" });
  const rebuilt = new Transcript();
  for (const entry of again.entries()) rebuilt.entry(entry);
  expect(rebuilt.pinned).toEqual({ type: "list", items, pinned: true });
});

test("of a plan with forty steps the one under way stays in sight, a row each", async () => {
  const state = (at: number) => (at < 20 ? "done" : at === 20 ? "active" : "open");
  const many = Array.from({ length: 40 }, (_, at) => ({
    text: `step ${at + 1} ${"words ".repeat(30)}`,
    state: state(at),
  }));
  const s = await appStage([{ calls: [{ tool: "update_plan", input: { steps: many } }] }, { text: "on it" }]);
  s.tty.type("go\r");
  const screen = await s.tty.until(/before these[\s\S]*What is to be done\?/);
  expect(screen).toMatch(/\[x\] step 20 .*…\n\[>\] step 21 .*…\n\[ \] step 22 .*…\n/);
  expect(screen).toMatch(/… \d+ before these, \d+ after/);
});

test("/agents, /tasks, /lsp and /skills answer while a run is under way", async () => {
  const s = await appStage(
    [
      { calls: [{ tool: "run_command", input: { command: "until [ -e go ]; do sleep 0.02; done" } }] },
      { text: "gone" },
    ],
    {
      size: [100, 40],
      harness: { settings: { sandbox: { mode: "off" }, permissions: { mode: "auto" }, lsp: { disabled: ["*"] } } },
      prepare(project) {
        mkdirSync(join(project, ".claude/skills/pdf"), { recursive: true });
        writeFileSync(join(project, ".claude/skills/pdf/SKILL.md"), "---\nname: pdf\ndescription: Reads PDFs\n---\n");
      },
    },
  );
  s.tty.type("go\r");
  await s.tty.until("◐ run until");
  s.tty.type("/agents \r");
  await s.tty.until(/explore +Finds out/);
  s.tty.type("/tasks \r");
  await s.tty.until("There are no tasks.");
  s.tty.type("/lsp \r");
  await s.tty.until("No language server is known for the files of this project.");
  s.tty.type("/skills \r");
  await s.tty.until(/pdf +Reads PDFs[\s\S]*This version loads no skills/);
  expect(existsSync(join(s.project, "go"))).toBe(false);
  writeFileSync(join(s.project, "go"), "");
  await s.tty.until("gone");
  await expect.poll(() => s.events.map(({ type }) => type)).toContain("run.end");
});
