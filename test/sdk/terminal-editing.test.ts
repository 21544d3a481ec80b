// Every key of the editor, pressed in the terminal interface; and what else writing is: pastes, what was sent before, completion.

import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { candidatesOf } from "../../src/cli/tui/complete/sources.js";
import { History } from "../../src/cli/tui/editor/history.js";
import { Keymap } from "../../src/cli/tui/keys.js";
import { nodeFs } from "../../src/lib/fs.js";
import { type AppOptions, type AppStage, appStage, shows } from "../support/app.js";
import { bytesOf, keysAt } from "../support/keys.js";

const patient = { timeout: 50_000 };

const idle = (options: AppOptions = {}) => appStage([{ text: "I heard it." }], options);

/** Text, keys before, and the text afterwards, with an X typed at the cursor. */
type Edit = [text: string, before: readonly string[], after: string];

const edits: Readonly<Record<string, Edit>> = {
  newLine: ["one", [], "one\nX"],
  left: ["one", [], "onXe"],
  right: ["one", ["home"], "oXne"],
  up: ["one\ntwo", [], "oneX\ntwo"],
  down: ["one\ntwo", ["up"], "one\ntwoX"],
  wordLeft: ["one two", [], "one Xtwo"],
  wordRight: ["one two", ["home"], "oneX two"],
  lineStart: ["one two", [], "Xone two"],
  lineEnd: ["one two", ["home"], "one twoX"],
  erase: ["one", [], "onX"],
  eraseNext: ["one", ["home"], "Xne"],
  eraseWord: ["one two", [], "one X"],
  eraseNextWord: ["one two", ["home"], "X two"],
  eraseToStart: ["one two", [], "X"],
  eraseToEnd: ["one two", ["home"], "X"],
  putBack: ["one two", ["ctrl+w", "home"], "twoXone"],
  undo: ["one two", ["ctrl+u"], "one twoX"],
  redo: ["one two", ["ctrl+u", "ctrl+_"], "X"],
};

/** Keys of the editor that do something else than editing. */
// The last one is in terminal-images.test.ts.
const others = ["send", "complete", "attachImage"];

describe("a key of the editor", () => {
  test.each(keysAt("editor").filter(([action]) => !others.includes(action)))("%s: %s", async (action, key) => {
    const [text, before, after] = edits[action] ?? [];
    expect(text, `no row for ${action}`).toBeDefined();
    const s = await idle();
    s.tty.type(`${text}`);
    for (const each of [...(before ?? []), key]) s.tty.type(bytesOf(each));
    s.tty.type("X");
    await shows(s, `${after}`);
  });

  test.each(keysAt("editor").filter(([action]) => action === "send"))("%s: %s", async (_, key) => {
    const s = await idle();
    s.tty.type(`hello${bytesOf(key)}`);
    await s.tty.until("I heard it.");
  });

  test.each(keysAt("editor").filter(([action]) => action === "complete"))("%s: %s", async (_, key) => {
    const s = await completing();
    s.tty.type("/doct");
    await s.tty.until(/❯ \/doctor\s/);
    s.tty.type(bytesOf(key));
    await s.tty.until(/─\n❯ \/doctor *\n/);
  });

  test("that the user gave it takes the place of the built-in ones", async () => {
    const s = await idle({ parts: { keymap: new Keymap({ lineStart: "f2", newLine: ["ctrl+s", "alt+enter"] }) } });
    s.tty.type("one\x13two\x1bOQX");
    await shows(s, "one\nXtwo");
    s.tty.type("\x01Y");
    await shows(s, "one\nXYtwo");
  });

  test("Enter behind a backslash is a new line", async () => {
    const s = await idle();
    s.tty.type("one\\\rtwo");
    await shows(s, "one\ntwo");
  });
});

/** With the completions of the shipped program. */
async function completing(files: readonly string[] = []): Promise<AppStage> {
  let refresh = () => {};
  let candidates: ReturnType<typeof candidatesOf> = () => [];
  const s = await idle({
    prepare(project) {
      for (const file of files) {
        mkdirSync(join(project, file, ".."), { recursive: true });
        writeFileSync(join(project, file), "");
      }
      candidates = candidatesOf({ root: project, env: process.env, refresh: () => refresh() });
    },
    parts: { candidates: (word) => candidates(word) },
  });
  refresh = () => s.app.recomplete();
  return s;
}

test("@ completes a file that no ignore file names, and the prompt has its path", async () => {
  const s = await completing([".gitignore", "src/needle.ts", "dist/needle.js"]);
  appendFileSync(join(s.project, ".gitignore"), "dist\n");
  s.tty.type("see @need");
  const screen = await s.tty.until("src/needle.ts");
  expect(screen).not.toContain("dist/needle.js");
  s.tty.type("\t");
  await shows(s, "see @src/needle.ts");
});

test("/ lists commands with what they do; Escape closes the list, and it stays closed for that word", async () => {
  const s = await completing();
  s.tty.type("/");
  await s.tty.until(/❯ \/\w+ +\S/);
  s.tty.type("\x1b");
  await expect.poll(async () => (await s.tty.screen()).filter((row) => /^ {2}\/\w/.test(row)), patient).toEqual([]);
  await shows(s, "/");
});

test("a long paste is one mark, is erased as one, and is sent in full", async () => {
  const s = await idle();
  const long = Array.from({ length: 30 }, (_, at) => `pasted row ${at}`).join("\n");
  s.tty.type(`look: \x1b[200~${long}\x1b[201~`);
  await shows(s, "look: [Pasted #1: 30 lines]");
  s.tty.type("\x7f");
  await shows(s, "look:");
  s.tty.type("\x1f\r");
  await s.tty.until("I heard it.");
  expect(JSON.stringify([...s.desk.session.entries()])).toContain(JSON.stringify(`look: ${long}`).slice(1, -1));
});

test("a short paste is text, and its lines send nothing", async () => {
  const s = await idle();
  s.tty.type("\x1b[200~one\r\ntwo\x1b[201~");
  await shows(s, "one\ntwo");
});

test("arrow up goes back through what was sent in sessions before, those of this project first, and down to what was typed", async () => {
  const place = (root: string, home: string) => ({
    disk: nodeFs,
    file: join(home, "h.jsonl"),
    root,
    redact: (text: string) => text,
  });
  let history: History | undefined;
  const s = await idle({
    prepare(project, home) {
      new History(place("/elsewhere", home)).add("said elsewhere");
      for (const text of ["first here", "second here"]) new History(place(project, home)).add(text);
      new History(place("/elsewhere", home)).add("and later there");
      history = new History(place(project, home));
    },
    parts: {
      get history() {
        return history as History;
      },
    },
  });
  s.tty.type("half");
  for (const text of ["second here", "first here", "and later there", "said elsewhere"]) {
    s.tty.type("\x1b[A");
    await shows(s, text);
  }
  s.tty.type("\x1b[B\x1b[B\x1b[B\x1b[B");
  await shows(s, "half");
});

test("what waits comes back one by one, before what is being typed; changed and sent again, it is what is said", async () => {
  const waiting = { calls: [{ tool: "run_command", input: { command: "until [ -e go ]; do sleep 0.02; done" } }] };
  const s = await appStage([waiting, { text: "heard once" }, { text: "heard twice" }], {
    first: "begin",
    harness: { settings: { sandbox: { mode: "off" }, permissions: { mode: "auto" } } },
  });
  await s.tty.until("◐ run until");
  s.tty.type("one\r");
  await s.tty.until("⋯ one");
  s.tty.type("two\r");
  await s.tty.until("⋯ two");
  s.tty.type("half");
  await shows(s, "half");
  s.tty.type(bytesOf("alt+up"));
  await shows(s, "two\nhalf");
  s.tty.type(bytesOf("alt+up"));
  await shows(s, "one\ntwo\nhalf");
  s.tty.type(" and more\r");
  await s.tty.until("⋯ one  (");
  writeFileSync(join(s.project, "go"), "");
  await s.tty.until("heard twice");
  const said = s.desk.session.entries();
  const texts = [...said].flatMap(({ type, data }) => (type === "message" ? [JSON.stringify(data)] : []));
  expect(texts.filter((text) => /"one\\ntwo\\nhalf and more"/.test(text))).toHaveLength(1);
  expect(texts.filter((text) => /"(?:one|two)"/.test(text))).toEqual([]);
});
