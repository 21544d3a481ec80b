// Every slash command, typed in the terminal interface after one answer, and what the screen shows then. A command without a row
// here fails. What each does in full has tests of its own.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { slashCommands } from "../../src/cli/slash/index.js";
import { Keymap } from "../../src/cli/tui/keys.js";
import { type AppStage, appStage } from "../support/app.js";

type Row = [argument: string, shows: RegExp, then?: (s: AppStage) => void | Promise<void>];

const patient = { timeout: 50_000 };

/** Picks what the list marks after one step down. */
const second = "\x1b[B\r";

const rows: Readonly<Record<string, Row>> = {
  agents: ["", /^explore +\S[\s\S]*\(built-in\)$/m],
  build: ["", /There is nothing to build\.[\s\S]*resume <id>/],
  clear: ["", /A new session, \w+\. The one before is \w+\./],
  compact: ["", /too short: compacting it would gain nothing/],
  config: ["", /tasks\.maxBytes = 268435456/],
  context: ["", /\d+ tokens +[\d.]+% {2}instructions/],
  cost: ["", /cost +price unknown/],
  doctor: ["", /ok +settings +no mistakes in settings/],
  export: ["talk.md", /talk\.md/, (s) => expect(existsSync(join(s.project, "talk.md"))).toBe(true)],
  fork: ["", /\/fork needs an entry/],
  formation: ["", /^all-hands-/m],
  help: ["keys", /ctrl\+t +Says what is typed/],
  hooks: ["", /Your settings have no hooks/],
  init: [
    "",
    /AGENTS\.md is written[\s\S]*`\/trust` lets/,
    (s) => expect(existsSync(join(s.project, "AGENTS.md"))).toBe(true),
  ],
  loop: ["", /path +created → running → completed/],
  lsp: ["", /No language server is known/],
  mode: ["", /What runs without asking\?[\s\S]*❯ ask/, chooses(/scripted \| acceptEdits/)],
  model: ["", /Which model\?[\s\S]*❯ scripted/],
  permissions: ["", /mode ask[\s\S]*There are no rules here/],
  preview: ["status", /There is no preview\./],
  queue: ["", /Nothing waits to be said\./],
  quit: ["", /First answer\./, (s) => s.ended],
  resume: ["", /\/resume needs a session/],
  rewind: ["", /Your message was:\s+go[\s\S]*❯ go\n/],
  sessions: ["", /Go on with which session\?\s+❯ go/],
  skills: ["", /There are no skills in [\s\S]*\.agents\/skills\.$/m],
  tasks: ["", /There are no tasks\./],
  theme: ["", /Which colours\?[\s\S]*❯ mono/, chooses(/^Colours: terminal\. /m)],
  tools: ["", /read_background_task_output +background/],
  tree: ["", /\* \w+ assistant First answer\. {2}<- here/],
  trust: ["", /is not trusted\.\s+There is nothing in it/],
  undo: ["", /The files are as they were there already|Nothing/],
};

function chooses(shows: RegExp) {
  return async (s: AppStage) => {
    s.tty.type(second);
    await s.tty.until(shows);
  };
}

test.each(Object.keys(slashCommands))("/%s", async (name) => {
  const [argument, shows, then] = rows[name] ?? [];
  if (!shows) throw new Error(`no row for /${name}`);
  const s = await appStage([{ text: "First answer." }], { first: "go", size: [100, 44] });
  await s.tty.until("First answer.");
  await s.tty.until("What is to be done?");
  s.tty.type(`/${name}${argument === "" ? "" : ` ${argument}`}\r`);
  const all = async () => (await s.tty.all()).join("\n");
  await expect.poll(all, patient).toMatch(shows);
  await then?.(s);
  // It is an answer to its user, not a question to the model.
  expect([...s.desk.session.entries()].some((entry) => JSON.stringify(entry.data).includes(`/${name}`))).toBe(false);
});

test("a command that is mistyped is not sent: what is near is named, and the text stays", async () => {
  const s = await appStage([{ text: "First answer." }]);
  s.tty.type("/cler all\r");
  await s.tty.until(/There is no \/cler; \/clear\? To send it as it is, begin with a space\./);
  await s.tty.until(/─\n❯ \/cler all/);
  expect(s.events.some(({ type }) => type === "run.start")).toBe(false);
  s.tty.type("\x1b[H \r");
  await s.tty.until("First answer.");
  expect(JSON.stringify([...s.desk.session.entries()])).toContain(" /cler all");
});

test.each([40, 60, 100])("/help and /help keys keep their second column at %i columns", async (columns) => {
  const s = await appStage([], { size: [columns, 24] });
  for (const command of ["/help", "/help keys"]) {
    s.tty.type(`${command} \r`);
    await expect.poll(async () => (await s.tty.all()).join("\n"), patient).toMatch(/\S[\s\S]*What is to be done/);
  }
  await expect.poll(async () => (await s.tty.all()).join("\n"), patient).toMatch(/^f\s+Denies it/m);
  const all = (await s.tty.all()).filter((row) => row !== "" && !/^(?:─|❯|scripted)/.test(row));
  expect(all.length).toBeGreaterThan(60);
  const keys = new Set(new Keymap().rows.flatMap(({ keys }) => keys));
  const begins = (row: string) => /^[/ ]/.test(row) || keys.has(row.split(/[ ,]/)[0] ?? "");
  expect(all.filter((row) => !begins(row))).toEqual([]);
});
