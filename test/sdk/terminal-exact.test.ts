// What somebody is asked about is what the dialog shows, all of it: in a small window, and when it holds what would steer a terminal.

import { expect, test } from "vitest";
import { trustView } from "../../src/cli/views/trust.js";
import type { TrustStatus } from "../../src/index.js";
import { appStage } from "../support/app.js";

const command = (text: string) => ({ calls: [{ tool: "run_command", input: { command: text } }] });

test.each([
  [40, 24],
  [40, 10],
])("the rule that `a` keeps is there in full at %i columns, %i rows, beside what would run", async (columns, rows) => {
  const text = "touch a-name-of-some-length and-another-one-behind-it";
  const s = await appStage([command(text), { text: "done" }], { first: "go", size: [columns, rows] });
  await s.tty.until("Deny and say why");
  await expect.poll(async () => (await s.tty.screen()).join("\n"), { timeout: 50_000 }).not.toContain("keys count");
  const [asked] = s.events.filter((event) => event.type === "approval.ask");
  const joined = (await s.tty.screen())
    .map((row) => row.trim())
    .join("")
    .replace(/\s/g, "");
  expect(joined).toContain(`Allowfromnowoninthisproject:${asked?.rule?.replace(/\s/g, "")}`);
  // Both its first and its second row: one would be too few to tell what runs.
  expect(joined).toContain("and-another-one-behind-it");
});

test("control characters of a path stand in the question, the diff and the rule as their codes", async () => {
  const path = "a\x1b[2J.txt";
  const write = { calls: [{ tool: "write_file", input: { path, content: "one\x1b]0;x\x07\n" } }] };
  const s = await appStage([write, { text: "done" }], { first: "go", size: [100, 30] });
  const screen = await s.tty.until("Deny and say why");
  expect(screen).toContain("create a\\u001b[2J.txt");
  expect(screen).toMatch(/in this project: Edit\(.*a\\u001b\\?\[2J\.txt\)/);
  expect(screen).toContain("+one\\u001b]0;x\\u0007");
  expect(screen).toMatch(/It holds \d+ invisible characters, shown as \\u…/);
});

test("and those of a hook in what is said of a project's trust", () => {
  const resource = { state: "new", kind: "hook", name: "evil \x1b[2J", source: "settings", program: null, files: [] };
  const status = {
    ...{ root: "/p", trusted: false, since: null, problems: [], instructions: [], not_loaded: [] },
    resources: [{ ...resource, not_covered: [], scripts: [], refused: null, diff: "" }],
  };
  expect(trustView(status as unknown as TrustStatus)).toContain("hook evil \\u001b[2J");
});
