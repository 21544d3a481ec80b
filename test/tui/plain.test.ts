// Plain lines for screen readers and dumb terminals, and the question whether a project is trusted, on a real terminal.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { needs } from "../support/needs.js";
import { tempDir } from "../support/run.js";
import { TestTerminal } from "../support/terminal.js";

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

python("an untrusted project is asked about with what it brings; no leaves it data, yes lets it speak", async () => {
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
