import { expect, test } from "vitest";
import type { FileChange } from "../core/plan.js";
import { merged, withCommands } from "./changes.js";

/** `xA>B`: the file x was A and is B; `-` is none. */
const changes = (text: string): FileChange[] =>
  text.split(" ").flatMap((each) => {
    const [, path = "", before = "", after = ""] = /^(\w)(.)>(.)$/.exec(each) ?? [];
    const side = (name: string) => (name === "-" ? null : name);
    return each === "" ? [] : [{ path, before: side(before), after: side(after) }];
  });
const shown = (files: readonly FileChange[]) =>
  files.map(({ path, before, after }) => `${path}${before ?? "-"}>${after ?? "-"}`).join(" ");

test.each([
  ["x->A", "xA>B", "x->B"],
  ["x->A", "xA>-", ""],
  ["xA>B", "", "xA>B"],
  ["x->A", "y->A", "x->A y->A"],
])("%s, then %s: %s", (before, after, net) => {
  expect(shown(merged(changes(before), changes(after)))).toBe(net);
});

test.each([
  ["nothing by commands", "x->A", "", "x->A"],
  ["another file", "x->A", "y->B", "x->A y->B"],
  ["the command after the agent", "x->A", "xA>B", "x->B"],
  ["the command before the agent", "xB>C", "xA>B", "xA>C"],
  ["between two attempts", "x->C", "xA>B", "x->C"],
  ["between them and after", "x->C", "xA>B xC>D", "x->D"],
  ["before and after", "xB>C", "xA>B xC>D", "xA>D"],
  ["two, one after another", "x->A", "xA>B xB>C", "x->C"],
  ["the command takes away what the agent made", "x->A", "xA>-", ""],
  ["two that undo each other", "", "x->A xA>-", ""],
])("with commands: %s", (_what, agents, commands, net) => {
  expect(shown(withCommands(changes(agents), changes(commands)))).toBe(net);
});
