// The `hooks` of a settings file: what is read, and what is a problem, each with its line.

import { expect, test } from "vitest";
import { readHooks } from "./hooks.js";
import { locateText } from "./located.js";

async function read(text: string) {
  const { root } = await locateText(text);
  if (!root) throw new Error("no tree");
  const { hooks, problems } = readHooks(root);
  return {
    hooks: hooks.map(({ hook, line }) => ({ ...hook, line })),
    problems: problems.map(({ line, text: said }) => `${line}: ${said}`),
  };
}

test("one hook for each command, with its line and the defaults", async () => {
  const { hooks, problems } = await read(`{
    "PreToolUse": [{ "matcher": "Write|Edit", "hooks": [
      { "type": "command", "command": "a" },
      { "type": "command", "command": "b", "args": ["c"], "timeout": 1.5, "failClosed": false }
    ]}],
    "Stop": [{ "matcher": "*", "hooks": [{ "type": "command", "command": "d" }] }]
  }`);
  const defaults = { timeout: 60, failClosed: true };
  expect(problems).toEqual([]);
  expect(hooks).toEqual([
    { event: "PreToolUse", matcher: "Write|Edit", command: "a", ...defaults, line: 3 },
    { event: "PreToolUse", matcher: "Write|Edit", command: "b", args: ["c"], timeout: 1.5, failClosed: false, line: 4 },
    { event: "Stop", matcher: "", command: "d", ...defaults, line: 6 },
  ]);
});

test.each([
  ['{"PreToolUes": []}', "1: hooks.PreToolUes is no event. Events: PreToolUse, "],
  ['{"Stop": {}}', "1: hooks.Stop must be a list of {matcher?, hooks}."],
  ['{"Stop": [{}]}', "1: hooks.Stop: a group needs hooks"],
  ['{"Stop": [{"hook": []}]}', '1: hooks.Stop: "hook" is not a member of a group'],
  ['{"Stop": [{"matcher": "(", "hooks": []}]}', '1: hooks.Stop: "(" is no matcher'],
  ['{"Stop": [{"matcher": "^(?!Bash)", "hooks": []}]}', "without look-around and back-references"],
  ['{"Stop": [{"hooks": [{"type": "prompt", "command": "x"}]}]}', '1: hooks.Stop: type must be "command"'],
  ['{"Stop": [{"hooks": [{"type": "command"}]}]}', "1: hooks.Stop: command must be a string"],
  ['{"Stop": [{"hooks": [{"type": "command", "command": "x", "timeout": 0}]}]}', "timeout must be seconds"],
  ['{"Stop": [{"hooks": [{"type": "command", "command": "x", "async": true}]}]}', '"async" is not in this version'],
])("%s", async (text, said) => {
  const { problems } = await read(text);
  expect([problems.length, problems[0]]).toEqual([1, expect.stringContaining(said)]);
});

test("what is wrong takes nothing else with it", async () => {
  const { hooks, problems } = await read(
    '{"Stop": [{"hooks": [{"type": "x"}, {"type": "command", "command": "y"}]}], "No": 1}',
  );
  expect([hooks.map(({ command }) => command), problems.length]).toEqual([["y"], 2]);
});
