// What was typed before a question could be read does not answer it, in a real terminal (SECURITY 44, 46).

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { needs } from "../support/needs.js";
import { tempDir } from "../support/run.js";
import { TestTerminal } from "../support/terminal.js";

/** Looks like `ls` on a terminal that believes it. */
const disguised = "touch made #\u202e\u200b\u3164 \x1b[2K\rls";

needs("python3")(
  "46: keys of before a question go to the composer; 44: what it asks about is shown as it is",
  async () => {
    const base = tempDir();
    const [project, home, script] = [join(base, "project"), join(base, "home"), join(base, "script.json")];
    mkdirSync(join(project, ".git"), { recursive: true });
    mkdirSync(home);
    writeFileSync(join(home, "settings.json"), JSON.stringify({ sandbox: { mode: "off" } }));
    const calls = [{ tool: "run_command", input: { command: disguised } }];
    writeFileSync(
      script,
      JSON.stringify([{ text: "I begin. ".repeat(20), chunk: 3, delay_ms: 30, calls }, { text: "The end." }]),
    );
    const term = new TestTerminal(["-m", `scripted/${script}`], { cwd: project, home });
    await term.until("What is to be done?");
    term.type("go\r");
    await term.until("I begin.");
    term.type("yyy");
    const asked = await term.until((screen) => /y {2}Allow once/.test(screen) && !screen.includes("keys count here"));
    expect(asked).toMatch(/\$ touch made #\\u\{202e\}\\u\{200b\}\\u\{3164\}/);
    expect(existsSync(join(project, "made"))).toBe(false);
    term.type("n");
    await term.until(/The end\.[\s\S]*❯ yyy/);
    expect(existsSync(join(project, "made"))).toBe(false);
    term.type("\x15");
    await term.until("What is to be done?");
    term.type("\x04");
    expect(await term.done).toBe(0);
  },
);
