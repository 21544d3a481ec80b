// Agents in the modes that ask: starting one needs no yes, and each of its calls is decided as if the session had made it
// (SPEC 3.1). What is denied there counts for the session, exit 7 included.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ScriptItem } from "../../src/models/script.js";
import { call, submit, write } from "../support/agents.js";
import { cliStage, jsonLines } from "../support/cli.js";
import { plan } from "../support/small-build.js";
import { recordsIn } from "../support/tasks.js";

const asking = ["ask", "acceptEdits", "plan"] as const;

interface Ran {
  exit: number | null;
  result: Record<string, unknown>;
  stderr: string;
}

function staged(script: { main: ScriptItem[]; agents: Record<string, ScriptItem[]> }) {
  const at = cliStage();
  const file = join(at.home, "..", "script.json");
  writeFileSync(file, JSON.stringify(script));
  writeFileSync(join(at.project, "note.txt"), "the word is plum\n");
  const run = async (...flags: string[]): Promise<Ran> => {
    const done = await at.run(["-p", "go", "--output-format", "json", ...flags]);
    return { exit: done.exit, stderr: done.stderr, result: JSON.parse(done.stdout) };
  };
  return { ...at, ask: run };
}

const reader = [call("read_file", { path: "note.txt" }), { text: "It says: {{result:-1}}" }];
const writer = [write("made.txt"), { text: "I tried." }];
const task = (agent_name: string) => submit([{ agent_name, prompt: "Do it." }]);
const background = call("start_background_task", { kind: "agent", agent_name: "explore", prompt: "Look." });

describe.each(asking)("mode %s, nobody there to ask", (mode) => {
  test.each<[string, ScriptItem]>([
    ["a batch", task("explore")],
    ["in the background", background],
    [
      "through the door",
      call("use_tool", { name: "submit_agent_tasks", input: task("explore").calls?.[0]?.input ?? {} }),
    ],
  ])("an agent that reads works: %s", async (_, start) => {
    const main = [start, { text: "Told: {{result:-1}}", repeat: 3 }];
    const at = staged({ main, agents: { explore: reader } });
    const { exit, result } = await at.ask("--permission-mode", mode);
    expect([exit, result["permission_denials"]]).toEqual([0, []]);
    expect(recordsIn(at.home)).toMatchObject([
      { state: "succeeded", result: expect.stringContaining("the word is plum") },
    ]);
  });

  test("what an agent would change is decided as for the session", async () => {
    const at = staged({ main: [task("implement"), { text: "ok" }], agents: { implement: writer } });
    const { exit, result, stderr } = await at.ask("--permission-mode", mode);
    const denials = (result["permission_denials"] as object[]).map((each) => ({ ...each }));
    expect(existsSync(join(at.project, "made.txt"))).toBe(mode === "acceptEdits");
    expect([exit, denials.length]).toEqual({ ask: [7, 1], acceptEdits: [0, 0], plan: [0, 1] }[mode]);
    if (mode === "ask") expect(stderr.split("\n")[0]).toContain("--permission-mode acceptEdits");
    if (mode === "plan") expect(denials[0]).toMatchObject({ reason: expect.stringContaining("mode:plan") });
  });

  test("a rule about agents still decides", async () => {
    const at = staged({ main: [task("explore"), { text: "ok" }], agents: { explore: reader } });
    const { result } = await at.ask("--permission-mode", mode, "--deny", "Agent");
    expect(result["permission_denials"]).toMatchObject([{ tool_name: "submit_agent_tasks" }]);
  });
});

test("an agent of an agent is held to the same", async () => {
  const at = staged({
    main: [task("outer"), { text: "Told: {{result:-1}}" }],
    agents: {
      outer: [task("explore"), write("made.txt"), { text: "below: {{result:-2}} {{result:-1}}" }],
      explore: reader,
    },
  });
  mkdirSync(join(at.home, "agents"), { recursive: true });
  writeFileSync(join(at.home, "agents/outer.md"), "---\nname: outer\ndescription: d\n---\nYou work.");
  const { result } = await at.ask("--permission-mode", "plan");
  expect(result["result"]).toContain("the word is plum");
  expect(result["result"]).toContain("write_file is not allowed here (mode:plan)");
  expect(existsSync(join(at.project, "made.txt"))).toBe(false);
});

test("plan mode starts agents and no commands", async () => {
  const shell = call("start_background_task", { kind: "shell", command: "touch made.txt" });
  const at = staged({ main: [shell, background, { text: "ok", repeat: 3 }], agents: { explore: reader } });
  const { exit, result } = await at.ask("--permission-mode", "plan");
  expect(exit).toBe(0);
  expect(result["permission_denials"]).toMatchObject([{ reason: expect.stringContaining("mode:plan") }]);
  expect(existsSync(join(at.project, "made.txt"))).toBe(false);
});

test("a profile without agents has none, whatever the mode", async () => {
  for (const profile of ["readonly", "coding"]) {
    const at = staged({ main: [task("explore"), { text: "ok" }], agents: { explore: reader } });
    const { result } = await at.ask("--tools", profile);
    expect(result["permission_denials"]).toMatchObject([{ reason: expect.stringContaining(`profile:${profile}`) }]);
  }
});

test("where somebody answers, only the agent's own calls are put to them, with its name", async () => {
  const at = staged({ main: [task("implement"), { text: "ok" }], agents: { implement: writer } });
  const control = ["--input-format", "stream-json", "--output-format", "stream-json"];
  const live = at.start(["-p", "go", ...control]);
  const asked = await live.line(({ subtype }) => subtype === "approval");
  expect(asked).toMatchObject({ tool: "write_file", agent: recordsIn(at.home)[0]?.id });
  live.send({ type: "approval", id: asked["id"], decision: "allow" });
  live.end();
  const { exit, stdout } = await live.done;
  expect([exit, existsSync(join(at.project, "made.txt"))]).toEqual([0, true]);
  expect(jsonLines(stdout).filter(({ subtype }) => subtype === "approval")).toHaveLength(1);
});

test("a build in plan mode is refused before a model is asked", async () => {
  const at = staged({ main: [{ fail: "auth" }], agents: {} });
  const planned = join(at.home, "..", "plan.yaml");
  writeFileSync(planned, JSON.stringify(plan));
  for (const wanted of [["An app"], ["--plan", planned]]) {
    const flags = ["--permission-mode", "plan", "--yes"];
    const done = await at.run(["build", ...flags, ...wanted]);
    expect([done.exit, done.stdout]).toEqual([2, ""]);
    expect(done.stderr).toContain("plan mode doesn't allow that");
  }
});
