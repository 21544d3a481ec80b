// What settings and the environment change, with the shipped program on a real terminal: the status line, colours, the user's own
// editor, and what the terminal around it is told.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { needs } from "../support/needs.js";
import { tempDir } from "../support/run.js";
import { TestTerminal } from "../support/terminal.js";

const python = needs("python3");

async function started(ui: object, env: Record<string, string> = {}): Promise<TestTerminal> {
  const base = tempDir();
  const [project, home] = [join(base, "project"), join(base, "home")];
  mkdirSync(join(project, ".git"), { recursive: true });
  mkdirSync(home);
  const text = "A **bold** [word](https://x.example/there).";
  writeFileSync(join(base, "script.json"), JSON.stringify([{ text }]));
  writeFileSync(join(home, "settings.json"), JSON.stringify({ sandbox: { mode: "off" }, ui }));
  const term = new TestTerminal(["-m", `scripted/${join(base, "script.json")}`], { cwd: project, home, env });
  await term.until("What is to be done?");
  return term;
}

python("the status line is the user's text, or what a command of theirs prints of the facts", async () => {
  const term = await started({ status: "in {mode} | {cost} | of {session}" });
  await term.until(/in ask · of \w{12}/);
  const own = await started({ statusCommand: `sed 's/.*"mode":"\\([a-z]*\\)".*/mine: \\1/'` });
  await own.until("mine: ask");
});

python(
  "a run tells the terminal that it goes on and that it is done; links lead where they say; the bell rings if it may",
  async () => {
    const term = await started({ bell: true });
    term.type("go\r");
    await term.until("A bold word (https://x.example/there).");
    await term.until("What is to be done?");
    for (const told of ["\x1b]9;4;3;\x07", "\x1b]9;4;0;\x07", "\x1b]777;notify;Cinch;is done: ", "\x07\x1b]777"])
      await expect.poll(() => term.bytes, { timeout: 50_000 }).toContain(told);
    expect(term.bytes).toContain("\x1b]8;;https://x.example/there\x1b\\");
    expect(term.bytes).toMatch(/\x1b\[[0-9;]*3[0-7]m/);
  },
);

python("NO_COLOR leaves bold, dim and underline, and no colour", async () => {
  const term = await started({}, { NO_COLOR: "1" });
  term.type("go\r");
  await term.until("A bold word");
  expect(term.bytes).toContain("\x1b[1mbold");
  expect(term.bytes).not.toMatch(/\x1b\[(?:\d+;)*(?:3[0-8]|9[0-7])(?:;\d+)*m/);
});

python("ui.theme: a link has the colour that is dark's or light's own", async () => {
  for (const [theme, codes] of Object.entries({ dark: "4;38;5;117", light: "4;38;5;25" })) {
    const term = await started({ theme });
    term.type("go\r");
    await term.until("A bold word");
    expect(term.bytes).toContain(`\x1b[${codes}mword`);
  }
});

python("Ctrl+G gives the text to $EDITOR and takes back what it saved; one that fails changes nothing", async () => {
  const term = await started({}, { VISUAL: "", EDITOR: "sed -i 's/one/two/'" });
  term.type("one more\x07");
  await term.until("❯ two more");
  const failing = await started({}, { VISUAL: "false" });
  failing.type("one more\x07");
  await failing.until("The editor did not end well");
  await failing.until("❯ one more");
});

python("Vim's mode is seen, and its keys move", async () => {
  const term = await started({ editor: "vim" });
  await term.until(/insert · /);
  term.type("one two\x1b");
  await term.until(/normal · /);
  term.type("0dwix");
  await term.until(/❯ x two/);
});
