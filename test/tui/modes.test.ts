// The terminal's modes on every way out of the shipped program, on a real terminal: signals, a crash, Ctrl+Z and back. And that
// nothing that was acknowledged is lost when it is killed.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { needs } from "../support/needs.js";
import { shellWords, tempDir } from "../support/run.js";
import { TestTerminal } from "../support/terminal.js";

const patient = { timeout: 50_000 };

const python = needs("python3");

/** A shell that runs Cinch, and afterwards says which modes its terminal has. */
async function started(script: object[] = [{ text: "hello" }]) {
  const base = tempDir();
  const [project, home] = [join(base, "project"), join(base, "home")];
  mkdirSync(join(project, ".git"), { recursive: true });
  mkdirSync(home);
  writeFileSync(join(base, "script.json"), JSON.stringify(script));
  writeFileSync(join(home, "settings.json"), '{"sandbox": {"mode": "off"}, "permissions": {"mode": "auto"}}');
  const { bin } = await import("../support/run.js");
  const line = `${shellWords([process.execPath, bin, "-m", `scripted/${join(base, "script.json")}`])}; echo "exit $?"; stty -a | tr ';' '\\n' | grep -o -- '-\\?\\(icanon\\|echo\\) ' | tr '\\n' ,; echo end`;
  const term = new TestTerminal([], { cwd: project, home, program: ["bash", "-c", line] });
  await term.until("What is to be done?");
  return { term, home };
}

/** The program's process, a child of the shell. */
async function inner(term: TestTerminal): Promise<number> {
  const shell = await term.pid;
  const children = readFileSync(`/proc/${shell}/task/${shell}/children`, "utf8").trim();
  return Number(children.split(" ")[0]);
}

const off = ["\x1b[?2004l", "\x1b[<u"];

for (const [signal, exit] of Object.entries({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 })) {
  python(`${signal} in the middle of a run leaves a terminal that echoes and reads lines`, async () => {
    const wait = { calls: [{ tool: "run_command", input: { command: "sleep 60" } }] };
    const { term, home } = await started([wait, { text: "never" }]);
    term.type("wait for me\r");
    await term.until("◐ run sleep 60");
    process.kill(await inner(term), signal);
    await term.until(new RegExp(`exit ${exit}\\s+icanon ,echo ,end|exit ${exit}\\s+echo ,icanon ,end`));
    for (const sequence of off) expect(term.bytes).toContain(sequence);
    expect(term.emulator.modes.bracketedPasteMode).toBe(false);
    const log = readdirSync(join(home, "sessions"), { recursive: true, encoding: "utf8" }).find((name) =>
      name.endsWith(".jsonl"),
    );
    expect(readFileSync(join(home, "sessions", log ?? ""), "utf8")).toContain("wait for me");
  });
}

python("Ctrl+C twice leaves, and the way back is said", async () => {
  const { term } = await started();
  term.type("hi\r");
  await term.until("hello");
  await term.until("What is to be done?");
  term.type("\x03");
  await term.until("Once more leaves Cinch.");
  term.type("\x03");
  expect(await term.until(/exit 0\s/)).toMatch(/cinch -r \w+ goes on/);
});

python("Ctrl+Z gives the terminal back, and fg takes it again", async () => {
  const { term } = await started();
  const pid = await inner(term);
  term.type("half a sen");
  await term.until("half a sen");
  term.type("\x1a");
  await expect.poll(() => /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, "utf8")), patient).toBe(true);
  await expect.poll(() => term.emulator.modes.bracketedPasteMode, patient).toBe(false);
  process.kill(pid, "SIGCONT");
  await expect.poll(() => term.emulator.modes.bracketedPasteMode, patient).toBe(true);
  term.type("tence");
  await term.until("half a sentence");
});
