// What commands can do to the harness, through the SDK: asking on a terminal that is not there, changing where they run,
// being killed, not starting (SECURITY D 93-107). Groups, floods and signals: src/lib/process.test.ts, test/cli/orphans.test.ts.

import { expect, test } from "vitest";
import { needs } from "../support/needs.js";
import { resultText, stage, yes } from "../support/stage.js";
import type { WireReply } from "../support/wire/anthropic.js";

const bash = (command: string, id: string, more: object = {}): WireReply => ({
  calls: [{ id, name: "run_command", input: { command, ...more } }],
});

/** What the model reads of each command, run one after the other in one session. */
async function results(commands: readonly string[]): Promise<string[]> {
  const s = await stage([...commands.map((command, at) => bash(command, `c${at}`)), { text: "done" }]);
  const session = await s.open({ ask: yes });
  await session.send("go");
  return commands.map((_, at) => resultText(s.bodies().at(-1), `c${at}`));
}

test("D 93: a command that puts itself into the background is not done but ended, and the model is told", async () => {
  const [text] = await results(["(sleep 300; touch late) & echo started"]);
  expect(text).toMatch(/^started\n\[\d process(es)? left running in the background, ended now\]/);
});

test("D 94: whatever wants an answer gets none, and ends", async () => {
  const [cat, read, commit, rebase, editor] = await results([
    "cat; echo end of input",
    "read -p 'Password: ' word || echo no word",
    "git init -q . && git -c user.name=a -c user.email=a@b commit --allow-empty; echo status $?",
    "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one && git -c user.name=a -c user.email=a@b rebase -i --root; echo status $?",
    "$EDITOR notes.txt; $VISUAL notes.txt; echo edited",
  ]);
  expect(cat).toBe("end of input");
  expect(read).toContain("no word");
  expect(commit).toMatch(/empty commit message[\s\S]*status 1/);
  expect(rebase).toMatch(/status 0/);
  expect(editor).toBe("edited");
});

needs("python3")("D 94: an interpreter that asks reads the end of its input", async () => {
  const [text] = await results(["python3 -c 'input(\"Name? \")'"]);
  expect(text).toContain("EOFError");
});

test("D 95: there is no terminal to ask on", async () => {
  const [text] = await results(["(echo Password: > /dev/tty) 2>/dev/null && echo asked || echo nobody to ask; tty"]);
  expect(text).toMatch(/nobody to ask\nnot a tty/);
});

test("D 97: what the system killed is an error that says so, also within a command", async () => {
  const [whole, within] = await results(["kill -KILL $$", "bash -c 'kill -KILL $$'; exit $?"]);
  expect(whole).toContain("[ended by SIGKILL: killed, and not by Cinch");
  expect(within).toContain("[exit code 137: killed, and not by Cinch");
});

test("D 106: directory, variables, umask, limits and functions of one command are not the next one's", async () => {
  const look = 'pwd; umask; ulimit -Sn; echo "[$WORD]"; type f 2>/dev/null || echo no f';
  const [before, , after] = await results([look, "cd /tmp; umask 077; ulimit -Sn 64; export WORD=1; f() { :; }", look]);
  expect(after).toBe(before);
  expect(after).toMatch(/no f$/);
});

test("D 107: what cannot be started is an error for the model, with what is true now", async () => {
  const s = await stage([
    bash("pwd", "gone", { cwd: "nowhere" }),
    { ...bash(`: ${"x".repeat(200_000)}`, "long"), chunk: 1_000_000 },
    bash("echo still here", "next"),
    { text: "done" },
  ]);
  const session = await s.open({ ask: yes });
  expect(await session.send("go")).toMatchObject({ subtype: "success" });
  expect(resultText(s.bodies().at(-1), "gone")).toMatch(/nowhere does not exist.*Nothing was run/);
  expect(resultText(s.bodies().at(-1), "long")).toMatch(/too long for the system.*Nothing was run/);
  expect(resultText(s.bodies().at(-1), "next")).toBe("still here");
});

test("D 107: the project itself is gone", async () => {
  const s = await stage([bash("rm -rf ../project; echo gone", "rm"), bash("touch here", "next"), { text: "done" }]);
  const session = await s.open({ ask: yes });
  expect(await session.send("go")).toMatchObject({ exit_code: 0, subtype: "success" });
  expect(resultText(s.bodies().at(-1), "next")).toMatch(/not there|does not exist|is gone/);
});

test("B 39, 43: an empty command is an error, and SHELL does not choose the shell", async () => {
  const shell = process.env["SHELL"];
  process.env["SHELL"] = "/nonexistent/zsh";
  const texts = await results(["", "   ", 'echo "$0 $BASH_VERSION"']).finally(() => {
    if (shell === undefined) delete process.env["SHELL"];
    else process.env["SHELL"] = shell;
  });
  expect(texts).toEqual([
    expect.stringContaining("was not run, its input does not fit"),
    "The command is empty. Nothing was run.",
    expect.stringMatching(/^\/bin\/bash \d/),
  ]);
});
