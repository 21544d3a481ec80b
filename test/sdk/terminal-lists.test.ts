// Every key of a list, pressed: in a list to choose from, and in the whole conversation (Ctrl+O).

import { expect, test } from "vitest";
import { ChoiceDialog } from "../../src/cli/tui/dialogs/choice.js";
import { Keymap } from "../../src/cli/tui/keys.js";
import { textOfLine } from "../../src/cli/tui/span.js";
import { appStage } from "../support/app.js";
import { bytesOf, keysAt } from "../support/keys.js";

const keymap = new Keymap();

/** Steps down first, and the row of thirty that is marked afterwards. */
const moves: Readonly<Record<string, [first: number, marked: number]>> = {
  next: [4, 5],
  previous: [4, 3],
  pageDown: [4, 14],
  pageUp: [14, 4],
  top: [14, 0],
  bottom: [4, 29],
  choose: [4, 4],
};

/** What only one list knows: terminal-queue.test.ts and below. */
const others = ["fold", "drop", "raise", "lower"];

test.each(keysAt("list").filter(([action]) => !others.includes(action)))("%s: %s", (name, key) => {
  const [first, marked] = moves[name] ?? [];
  expect(first, `no row for ${name}`).toBeDefined();
  const taken: (string | null)[] = [];
  const items = Array.from({ length: 30 }, (_, at) => ({ value: String(at), label: `row ${at}` }));
  const dialog = new ChoiceDialog("Which?", items, (value) => taken.push(value));
  for (let n = 0; n < (first ?? 0); n++) dialog.action("next");
  const action = keymap.find(key, "list");
  expect(action).toBe(name);
  if (action) dialog.action(action);
  const rows = dialog.lines({ width: 40, rows: 12 }).map(textOfLine);
  expect(rows.filter((row) => row.startsWith("❯"))).toEqual([`❯ row ${marked}`]);
  expect(taken).toEqual(name === "choose" ? ["4"] : []);
});

test.each(keysAt("list").filter(([action]) => action === "fold"))("%s: %s", async (_, key) => {
  const s = await appStage([{ thinking: "one\ntwo thoughts", text: "Answer." }], { first: "go" });
  await s.tty.until("Answer.");
  s.tty.type("\x0f");
  await s.tty.until("two thoughts");
  s.tty.type(bytesOf(key));
  await s.tty.until(/one …/);
  expect((await s.tty.screen()).join("\n")).not.toContain("two thoughts");
  s.tty.type("q");
  await s.tty.until("What is to be done?");
});

test("the whole conversation is gone through by rows and pages, and follows its end", async () => {
  const text = Array.from({ length: 90 }, (_, at) => `- row ${at + 1}.`).join("\n");
  const s = await appStage([{ text }], { first: "go" });
  await s.tty.until("row 90.");
  await s.tty.until("What is to be done?");
  s.tty.type("\x0f");
  for (const [key, first] of [
    ["home", /^❯ go/],
    ["pageDown", /^• row 22\./],
    ["down", /^• row 23\./],
    ["up", /^• row 22\./],
    ["pageUp", /^❯ go/],
    ["end", /^• row 68\./],
  ] as const) {
    s.tty.type(bytesOf(key));
    await s.tty.until(first);
  }
});
