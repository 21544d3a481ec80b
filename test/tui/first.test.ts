// The whole way of a person, on a real terminal: type a prompt, see the answer arrive, approve a command, see the diff.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { needs } from "../support/needs.js";
import { tempDir } from "../support/run.js";
import { TestTerminal } from "../support/terminal.js";

needs("python3")("type a prompt, see the streamed answer, approve a command, see the diff", async () => {
  const base = tempDir();
  const [project, home] = [join(base, "project"), join(base, "home")];
  mkdirSync(join(project, ".git"), { recursive: true });
  mkdirSync(home);
  const script = join(base, "script.json");
  const calls = (tool: string, input: object) => [{ tool, input }];
  const answer = Array.from({ length: 12 }, (_, at) => `Sentence **${at + 1}**.`).join(" ");
  writeFileSync(
    script,
    JSON.stringify([
      { text: answer, chunk: 9, delay_ms: 1, calls: calls("write_file", { path: "a.ts", content: "const a = 1;\n" }) },
      { calls: calls("run_command", { command: "touch made && echo done" }) },
      { text: "Both are there." },
    ]),
  );
  writeFileSync(join(home, "settings.json"), JSON.stringify({ sandbox: { mode: "off" } }));
  const term = new TestTerminal(["-m", `scripted/${script}`], { cwd: project, home });
  await term.until("What is to be done?");
  term.type("make two files\r");
  await term.until(/create a\.ts[\s\S]*y {2}Allow once/);
  const early = await term.answer("y", /Edit\(\/a\.ts\)/);
  await term.until(/touch made && echo done[\s\S]*y {2}Allow once/);
  const asked = term.screen().join("\n");
  expect(asked).toContain("needs-approval");
  const late = await term.answer("y", /y {2}Allow once/);
  const last = await term.until("Both are there.");
  expect(last).toContain("Sentence 12.");
  expect(last).toMatch(/● create a\.ts.*\n.*@@.*\n.*\+const a = 1;/);
  expect(readFileSync(join(project, "a.ts"), "utf8")).toBe("const a = 1;\n");
  term.type("\x7f".repeat(early + late));
  await term.until("What is to be done?");
  term.type("\x04");
  expect(await term.done).toBe(0);
  expect(term.all().join("\n")).toMatch(/cinch -r \w+ goes on with this session/);
});
