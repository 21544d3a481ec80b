// What agents are denied is the session's own news: it stands in its result, and a call that nobody could answer for makes
// exit 7 until something with an effect succeeds, whoever does it (SPEC 1.19). A task that was given is no such effect.

import { expect, test } from "vitest";
import type { HarnessOptions } from "../../src/index.js";
import type { ScriptItem } from "../../src/models/script.js";
import { agentStage, call, submit, write } from "../support/agents.js";

const task = submit([{ agent_name: "implement", prompt: "Write it." }]);
const allowing = (...allow: string[]): Partial<HarnessOptions> => ({
  settings: { permissions: { mode: "ask", allow: ["Agent", ...allow] } },
});

async function ran(script: { main: ScriptItem[]; implement: ScriptItem[] }, ...allow: string[]) {
  const at = agentStage({ main: script.main, agents: { implement: script.implement } });
  const { session } = await at.open(allowing(...allow));
  const result = await session.send("go");
  return { result, task: at.records()[0]?.id };
}

test("a call of an agent that nobody could answer for is in the result of the session, which is exit 7", async () => {
  const { result, task: id } = await ran({
    main: [task, { text: "Done, I think." }],
    implement: [write("a.txt"), { text: "I was not allowed to." }],
  });
  expect(result).toMatchObject({
    subtype: "error_denied",
    exit_code: 7,
    detail: expect.stringContaining("--allow"),
    permission_denials: [{ tool_name: "write_file", tool_input: { path: "a.txt" }, agent: id }],
  });
});

test.each<[string, { main: ScriptItem[]; implement: ScriptItem[] }, string[], number]>([
  [
    "the agent does it another way",
    { main: [task, { text: "ok" }], implement: [write("a.txt"), write("docs/a.txt"), { text: "Made." }] },
    ["Edit(docs/**)", "Write(docs/**)"],
    0,
  ],
  [
    "the session does it in place of its agent",
    { main: [task, write("docs/a.txt"), { text: "ok" }], implement: [write("a.txt"), { text: "No." }] },
    ["Edit(docs/**)", "Write(docs/**)"],
    0,
  ],
  [
    "the effect came before",
    { main: [write("docs/a.txt"), task, { text: "ok" }], implement: [write("a.txt"), { text: "No." }] },
    ["Edit(docs/**)", "Write(docs/**)"],
    7,
  ],
  [
    "the session is denied and gives a task, which only reads",
    { main: [write("a.txt"), task, { text: "ok" }], implement: [call("list_files", {}), { text: "Nothing." }] },
    [],
    7,
  ],
  [
    "the session is denied and an agent does it",
    { main: [write("a.txt"), task, { text: "ok" }], implement: [write("docs/a.txt"), { text: "Made." }] },
    ["Edit(docs/**)", "Write(docs/**)"],
    0,
  ],
])("%s", async (_, script, allow, exit) => {
  const { result } = await ran(script, ...allow);
  expect([result.exit_code, result.permission_denials.map(({ tool_name }) => tool_name)]).toEqual([
    exit,
    ["write_file"],
  ]);
});
