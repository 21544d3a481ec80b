// Golden screens: one scripted conversation at three widths, as it is when it asks, and at its end. What differs is looked at,
// and taken over with CINCH_UPDATE_SCREENS=1; scripts/screens.mjs makes the README's pictures of them.

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { appStage } from "../support/app.js";
import { drawn } from "../support/drawn.js";
import { root } from "../support/run.js";

const source = `export function remaining(end: number, now: number): number {
  return end - now;
}
`;

const answer = `The timer no longer goes below zero.

- \`remaining\` ends at **0**
- every test passes

| file | change |
|---|---|
| timer.ts | one line |

\`\`\`ts
const left = remaining(end, Date.now());
\`\`\``;

const script = [
  {
    text: "I look at the **timer** first.",
    chunk: 5,
    calls: [{ tool: "read_file", input: { path: "timer.ts" } }],
  },
  {
    calls: [
      {
        tool: "edit_file",
        input: { path: "timer.ts", old_string: "return end - now", new_string: "return Math.max(0, end - now)" },
      },
    ],
  },
  {
    text: "Now the tests, from a clean start.",
    calls: [{ tool: "run_command", input: { command: "rm -rf dist && echo '7 passed'" } }],
  },
  { text: answer, chunk: 7 },
];

/** Stands still, and later than the terminal's own, so that no time is shown. */
const clock = {
  now: () => Date.UTC(3000, 0, 1),
  mono: () => 0,
  sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
};

function keeps(name: string, screen: string): void {
  const file = join(root, "test/golden-screens", `${name}.txt`);
  if (process.env["CINCH_UPDATE_SCREENS"] === "1") {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, screen);
  }
  expect(screen).toBe(readFileSync(file, "utf8"));
}

test.each([40, 80, 120])("%i columns", async (columns) => {
  const s = await appStage(script, {
    first: "The timer shows negative seconds",
    size: [columns, 34],
    harness: { clock, settings: { sandbox: { mode: "off" }, permissions: { mode: "acceptEdits" } } },
    parts: {
      theme: { name: "terminal", links: false, sequences: true },
      status: ({ mode }) => `scripted | ${mode} | main`,
    },
    prepare: (project) => writeFileSync(join(project, "timer.ts"), source),
  });
  const text = async () => (await s.tty.screen()).join("\n");
  await s.tty.until("f  Deny and say why");
  await expect.poll(text, { timeout: 50_000 }).not.toContain("keys count here");
  keeps(`question-${columns}`, await drawn(s.tty));
  s.tty.type("y");
  await s.tty.until("const left = remaining");
  await s.tty.until("What is to be done?");
  keeps(`answer-${columns}`, await drawn(s.tty));
});

test("the README's pictures show the golden screens", () => {
  execFileSync(process.execPath, [join(root, "scripts/screens.mjs"), "--check"]);
});
