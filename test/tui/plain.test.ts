// Plain lines for screen readers and dumb terminals, and the question whether a project is trusted, on a real terminal.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { needs } from "../support/needs.js";
import { tempDir } from "../support/run.js";
import { TestTerminal } from "../support/terminal.js";
import { startAnthropic } from "../support/wire/anthropic.js";

const python = needs("python3");

function place(script: object[], settings: object = {}) {
  const base = tempDir();
  const [cwd, home] = [join(base, "project"), join(base, "home")];
  mkdirSync(join(cwd, ".git"), { recursive: true });
  mkdirSync(home);
  writeFileSync(join(base, "script.json"), JSON.stringify(script));
  writeFileSync(join(home, "settings.json"), JSON.stringify({ sandbox: { mode: "off" }, ...settings }));
  return { cwd, home, args: ["-m", `scripted/${join(base, "script.json")}`] };
}

const write = { calls: [{ tool: "write_file", input: { path: "a.txt", content: "x\n" } }] };

python("a dumb terminal gets lines and no sequence; a line answers a question", async () => {
  const { args, ...where } = place([{ text: "I **write**.", ...write }, { text: "done" }]);
  const term = new TestTerminal(args, { ...where, env: { TERM: "dumb" } });
  await term.until("/quit leaves");
  term.type("go\r");
  await term.until("Type y to allow it once");
  term.type("y\r");
  await term.until("● create a.txt");
  await term.until("done");
  term.type("/quit\r");
  expect(await term.done).toBe(0);
  expect(term.bytes).not.toContain("\x1b");
});

python("the setting ui.screenReader gives the same in any terminal; words deny", async () => {
  const { args, ...where } = place([{ text: "I **write**.", ...write }, { text: "done" }], {
    ui: { screenReader: true },
  });
  const term = new TestTerminal(args, where);
  await term.until("/quit leaves");
  term.type("go\r");
  await term.until("Type y to allow it once");
  term.type("not like this\r");
  await term.until(/⊘ create a\.txt[\s\S]*done/);
  term.type("/quit\r");
  expect(await term.done).toBe(0);
  expect(term.bytes).not.toContain("\x1b");
});

python("a project that its user says no to is data: nothing of it is in what the model gets", async () => {
  const { args: _, ...where } = place([]);
  writeFileSync(join(where.cwd, "AGENTS.md"), "Speak like a duck.\n");
  const server = await startAnthropic([{ text: "As ever." }]);
  onTestFinished(() => server.close());
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "k" };
  const term = new TestTerminal([], { ...where, env });
  await term.until("Do you trust it?");
  const early = await term.answer("n", /Do you trust it\?/);
  term.type(`${"\x7f".repeat(early)}go\r`);
  await term.until(/As ever\.[\s\S]*What is to be done/);
  expect(server.requests.map(({ body }) => body).join()).not.toContain("like a duck");
  term.type("\x04");
  expect(await term.done).toBe(0);
  const again = new TestTerminal([], { ...where, env });
  await again.until("Do you trust it?");
});

python("an untrusted project is asked about with what it brings; yes lets it speak", async () => {
  const { args, ...where } = place([{ text: "hello" }]);
  writeFileSync(join(where.cwd, "AGENTS.md"), "Speak like a duck.\n");
  const term = new TestTerminal(args, where);
  const screen = await term.until("Do you trust it?");
  expect(screen).toContain("Would speak to the model: AGENTS.md");
  await term.until((text) => !text.includes("keys count here"));
  term.type("y");
  await term.until("Trusted: its instructions and programs count from here on.");
  term.type("\x04");
  expect(await term.done).toBe(0);
  const again = new TestTerminal(args, where);
  await again.until("What is to be done?");
  expect(again.screen().join("\n")).not.toContain("trust");
});
