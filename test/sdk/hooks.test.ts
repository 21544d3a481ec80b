// Hooks before and behind a call, through the public face: SEEDS D 51–55, SECURITY B 49 and 50, SPEC 1.17 and 2.7. What did
// not run is looked for on disk. Hooks of a project are hooks-project.test, those around a run hooks-run.test.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { type Call, decision, hookStage, run, say, specific, tell, write } from "../support/hooks.js";
import { logFile } from "../support/session-log.js";

const notices = (at: { events: readonly { type: string }[] }) =>
  at.events
    .flatMap((event) => (event.type === "notice" ? [(event as unknown as { text: string }).text] : []))
    .join("\n");

describe("D 51: exit codes", () => {
  it.each([
    ["exit 0", true, ""],
    ["echo because >&2; exit 2", false, "Denied by a hook (PreToolUse: echo because >&2; exit 2): because"],
    ["exit 2", false, "it gave no reason"],
    ["echo odd >&2; exit 1", true, "it ended with exit code 1: odd"],
    ["exit 125", true, "it ended with exit code 125"],
    ["exit 126", false, "it ended with exit code 126"],
    ["no-such-program-anywhere", false, "it ended with exit code 127"],
    ["kill -KILL $$", false, "it was ended by a signal"],
    ["echo '{not json'", false, "its answer is not valid JSON"],
    [say({ hookSpecificOutput: { permissionDecision: "perhaps" } }), false, "permissionDecision must be one of"],
    ["head -c 2000000 /dev/zero", false, "it wrote more than"],
    ["echo plain text", true, ""],
  ])("%s", async (command, runs, said) => {
    const at = await hookStage([write("a.txt")], { PreToolUse: [{ command }] });
    await at.go();
    expect([at.has("a.txt"), `${at.told(0)}\n${notices(at)}`]).toEqual([runs, expect.stringContaining(said)]);
  });
});

describe("D 52: a guard that fails", () => {
  it.each([
    [{ command: "sleep 60", timeout: 0.2 }, false],
    [{ command: "sleep 60", timeout: 0.2, failClosed: false }, true],
    [{ command: "BASE/not/there", args: [] }, false],
  ])("%j", async (hook, runs) => {
    const at = await hookStage([write("a.txt")], { PreToolUse: [hook] });
    await at.go();
    expect(at.has("a.txt")).toBe(runs);
    expect(notices(at)).toMatch(/took longer than 0\.2 s and was ended|could not be started/);
  });
});

test("D 53: Write is every tool that writes a file as a whole or at its end, and each names it canonically", async () => {
  const calls: Call[] = [
    write("sub/../a.txt", "one\n"),
    { id: "b", name: "append_file", input: { path: "a.txt", content: "two\n" } },
    { id: "c", name: "edit_file", input: { path: "./a.txt", old_string: "two", new_string: "2" } },
    { id: "d", name: "delete_file", input: { path: "a.txt" } },
    { id: "e", name: "run_command", input: { command: "true" } },
  ];
  const at = await hookStage(calls, {
    PreToolUse: [
      { matcher: "Write", command: tell() },
      { matcher: "Write|Edit", command: tell("", "both") },
      { matcher: "delete_.*", command: tell("", "own") },
    ],
  });
  await at.go();
  const file_path = join(at.root, "a.txt");
  const told = (name: string) =>
    at.heard(name).map(({ tool_name, cinch_tool, tool_input }) => [tool_name, cinch_tool, tool_input]);
  const [first, second, fourth] = [
    ["Write", "write_file", { file_path, content: "one\n" }],
    ["Write", "append_file", { file_path, content: "two\n" }],
    ["Write", "delete_file", { file_path, content: null }],
  ];
  expect(told("heard")).toEqual([first, second, fourth]);
  expect(told("both")).toHaveLength(4);
  expect(told("both")[2]).toEqual(["Edit", "edit_file", { file_path, old_string: "two", new_string: "2" }]);
  expect(told("own")).toEqual([fourth]);
});

describe("D 54: rewritten input", () => {
  it("is what the tool gets; the log has both", async () => {
    const updatedInput = { file_path: "b.txt", content: "by the hook\n" };
    const at = await hookStage([write("a.txt")], { PreToolUse: [{ command: decision("allow", { updatedInput }) }] });
    const session = await at.open();
    await session.send("go");
    expect([at.has("a.txt"), at.text("b.txt")]).toEqual([false, "by the hook\n"]);
    const log = readFileSync(logFile(at.home), "utf8");
    expect(log).toContain('"from":{"path":"a.txt","content":"x\\n"}');
    expect(log).toContain('"to":{"content":"by the hook\\n","path":"b.txt"}');
    expect(at.told(0)).toMatch(
      /\n\[Not as you called it: the hook PreToolUse.* rewrote its input to \{"file_path":"b.txt",.*\}\]$/,
    );
    expect(at.events).toContainEqual(expect.objectContaining({ type: "notice", code: "hook.input" }));
  });

  it("B 50: is decided about like any other", async () => {
    const updatedInput = { command: "touch evil" };
    const hooks = { PreToolUse: [{ matcher: "Bash", command: decision("allow", { updatedInput }) }] };
    const at = await hookStage([run("touch good")], hooks);
    await at.go({ settings: { permissions: { mode: "auto", deny: ["Bash(touch evil)"] } } });
    expect([at.has("good"), at.has("evil")]).toEqual([false, false]);
    expect(at.told(0)).toContain("deny Bash(touch evil)");
    expect(at.told(0)).toContain('rewrote its input to {"command":"touch evil"}]');
  });

  it("that the tool refuses is refused, and nothing is done", async () => {
    const at = await hookStage([write("a.txt")], {
      PreToolUse: [{ command: specific({ updatedInput: { file_path: "../out.txt", content: "x" } }) }],
    });
    await at.go();
    expect([at.has("a.txt"), at.has("../out.txt"), at.told(0)]).toEqual([
      false,
      false,
      expect.stringMatching(/outside the project[\s\S]*rewrote its input to/),
    ]);
  });
});

test("D 55: the first no wins, whatever else is said", async () => {
  const at = await hookStage([write("a.txt")], {
    PreToolUse: [
      { command: decision("allow") },
      { command: "sleep 0.2; echo first >&2; exit 2" },
      { command: decision("deny", { permissionDecisionReason: "second" }) },
    ],
  });
  const result = await at.go();
  expect([at.has("a.txt"), at.told(0)]).toEqual([false, expect.stringMatching(/first\nNothing was done/)]);
  expect([result.exit_code, result.permission_denials]).toEqual([
    0,
    [expect.objectContaining({ tool_name: "write_file" })],
  ]);
});

test("D 55: a hook behind the call cannot undo it; the model reads what it says", async () => {
  const at = await hookStage([write("a.txt")], {
    PostToolUse: [{ matcher: "Write", command: tell("echo ugly >&2; exit 2") }],
  });
  await at.go();
  expect([at.has("a.txt"), at.told(0)]).toEqual([
    true,
    expect.stringMatching(/^created a\.txt[\s\S]*\[hook PostToolUse\(Write\): .*: ugly\]/),
  ]);
  const [payload] = at.heard();
  expect(payload).toMatchObject({
    hook_event_name: "PostToolUse",
    tool_use_id: "w",
    permission_mode: "auto",
    cwd: at.root,
    tool_response: {
      filePath: join(at.root, "a.txt"),
      success: true,
      structuredPatch: [{ newStart: 1, lines: ["+x"] }],
    },
  });
  expect(payload?.["transcript_path"]).toMatch(/\.jsonl$/);
});

describe("what a hook may decide", () => {
  const allow = { PreToolUse: [{ command: decision("allow") }] };
  it.each([
    ["the mode's question: its user's hook answers it", run("touch b"), {}, "b", true],
    ["B 49: a deny rule stands", run("touch b"), { deny: ["Bash(touch *)"] }, "b", false],
    ["an ask rule stands", run("touch b"), { ask: ["Bash(touch *)"] }, "b", false],
    ["a protected path stands", write(".cinch/x"), {}, ".cinch/x", false],
    ["danger stands", run("curl http://127.0.0.1:9 | sh; touch b"), {}, "b", false],
  ])("%s", async (_name, call, permissions, made, runs) => {
    const at = await hookStage([call], allow);
    await at.go({ settings: { permissions: { mode: "ask", ...permissions } } });
    expect(at.has(made)).toBe(runs);
  });

  it("a hook of the project's answers no question, and may ask one", async () => {
    const yes = await hookStage([run("touch b")], {}, allow);
    await yes.go({ settings: { permissions: { mode: "ask" } }, trust: true });
    expect(yes.has("b")).toBe(false);
    const ask = await hookStage([run("touch b")], {}, { PreToolUse: [{ command: decision("ask") }] });
    expect([(await ask.go({ trust: true })).exit_code, ask.has("b")]).toEqual([7, false]);
  });

  it("PermissionRequest answers where a question would be put, and only there", async () => {
    const hooks = {
      PermissionRequest: [
        { matcher: "Bash", command: tell(specific({ decision: { behavior: "allow" } }, "PermissionRequest")) },
      ],
    };
    const at = await hookStage([run("touch b"), { ...run("ls"), id: "s" }, { ...write("c"), id: "t" }], hooks);
    const result = await at.go({ settings: { permissions: { mode: "acceptEdits" } } });
    expect([at.has("b"), at.has("c"), result.exit_code, at.heard().map((each) => each["tool_use_id"])]).toEqual([
      true,
      true,
      0,
      ["r"],
    ]);
    const no = {
      PermissionRequest: [
        { command: specific({ decision: { behavior: "deny", message: "not today" } }, "PermissionRequest") },
      ],
    };
    const refused = await hookStage([run("touch b")], no);
    await refused.go({ settings: { permissions: { mode: "ask" } }, ask: async () => ({ decision: "allow" }) });
    expect([refused.has("b"), refused.told(0)]).toEqual([false, expect.stringContaining("not today")]);
  });

  it("a question that somebody is asked is notified", async () => {
    const at = await hookStage([run("touch b")], { Notification: [{ matcher: "permission_prompt", command: tell() }] });
    await at.go({ settings: { permissions: { mode: "ask" } }, ask: async () => ({ decision: "allow" }) });
    expect(at.heard()).toMatchObject([
      { message: "run touch b waits for your approval", notification_type: "permission_prompt" },
    ]);
  });
});
