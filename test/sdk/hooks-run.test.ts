// Hooks around a run: what they say to the model, when they stop it or send it back to work, and that whatever they change is
// on record and can be taken back.

import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { type Call, hookScript, hookStage, run, say, specific, tell, write } from "../support/hooks.js";
import { shellWords } from "../support/run.js";
import { undo } from "../support/undo.js";

describe("events around a run", () => {
  it("SessionStart and UserPromptSubmit speak to the model, once and behind the prompt; SessionEnd hears the end", async () => {
    const at = await hookStage([], {
      SessionStart: [{ matcher: "startup", command: tell("echo Remember the milk.") }],
      UserPromptSubmit: [
        { command: tell(specific({ additionalContext: "x".repeat(20_000) }, "UserPromptSubmit"), "prompts") },
      ],
      SessionEnd: [{ command: tell("", "ends") }],
    });
    const session = await at.open();
    await session.send("one");
    await session.send("two");
    await session.close();
    const sent = at.bodies()[0]?.messages.flatMap(({ content }) => content.map(({ text }) => text ?? "")) ?? [];
    expect(sent[0]).toBe("one");
    expect(sent[1]).toMatch(/^From the hook SessionStart.*:\nRemember the milk\.$/);
    expect(sent[2]).toMatch(/x{100}\n\[cut: 20000 characters\]$/);
    expect([
      at.heard().map(({ source }) => source),
      at.heard("prompts").map(({ prompt }) => prompt),
      at.heard("ends").length,
    ]).toEqual([["startup"], ["one", "two"], 1]);
    const origins = [...session.entries()].flatMap((entry) =>
      entry.type === "message" ? (entry.data.origin ?? []) : [],
    );
    expect(origins.slice(0, 3)).toEqual(["user", "hook", "hook"]);
  });

  it("a prompt that is blocked reaches nobody", async () => {
    const at = await hookStage([], {
      UserPromptSubmit: [{ command: say({ decision: "block", reason: "no secrets here" }) }],
    });
    const result = await at.go();
    expect(result).toMatchObject({
      subtype: "error_during_execution",
      exit_code: 1,
      detail: expect.stringContaining("no secrets here"),
    });
    expect(at.bodies()).toEqual([]);
  });

  it("a Stop hook sends the agent back to work, at most hookRetries times", async () => {
    const at = await hookStage([], { Stop: [{ command: tell("echo the tests fail >&2; exit 2") }] });
    const result = await at.go({ settings: { permissions: { mode: "auto" }, hookRetries: 2 } });
    expect([result.subtype, result.num_turns]).toEqual(["success", 3]);
    expect(at.heard().map((each) => [each["stop_hook_active"], each["last_assistant_message"]])).toEqual([
      [false, "done"],
      [true, "done"],
      [true, "done"],
    ]);
    expect(JSON.stringify(at.bodies()[1]?.messages)).toContain("the tests fail");
  });

  it("continue:false ends the run behind the call, and says so", async () => {
    const at = await hookStage([write("a.txt"), write("b.txt")], {
      PostToolUse: [{ command: say({ continue: false, stopReason: "enough" }) }],
    });
    const result = await at.go();
    expect(result).toMatchObject({ subtype: "error_during_execution", detail: "a hook ended the run: enough" });
    expect([at.has("a.txt"), at.has("b.txt")]).toEqual([true, false]);
  });

  it.each([
    ["PreToolUse", "auto"],
    ["PermissionRequest", "ask"],
  ] as const)("continue:false of %s ends the run before the call", async (event, mode) => {
    const at = await hookStage([write("a.txt"), write("b.txt")], {
      [event]: [{ command: say({ continue: false, stopReason: "enough" }) }],
    });
    const session = await at.open({ settings: { permissions: { mode } } });
    const result = await session.send("go");
    expect(result).toMatchObject({ subtype: "error_during_execution", detail: "a hook ended the run: enough" });
    expect([at.has("a.txt"), at.has("b.txt")]).toEqual([false, false]);
    const told = [...session.entries()].flatMap((entry) =>
      entry.type === "message" && entry.data.role === "tool"
        ? entry.data.parts.map((part) => "text" in part && part.text)
        : [],
    );
    expect(told).toEqual(["Not run: a hook has ended the run."]);
  });

  it("PreCompact may keep the conversation as it is, PostCompact hears the summary", async () => {
    const no = await hookStage([], { PreCompact: [{ matcher: "manual", command: tell("echo not now >&2; exit 2") }] });
    const session = await no.open();
    await session.send("one");
    expect(await session.compact("tests")).toMatchObject({ state: "nothing", text: "A hook forbids it: not now" });
    expect(no.heard()).toMatchObject([{ trigger: "manual", custom_instructions: "tests" }]);

    const talk = Array.from({ length: 400 }, () => "blah").join(" ");
    const read: Call = { id: "q", name: "run_command", input: { command: `echo ${talk}; echo ${talk}` } };
    const yes = await hookStage([read, { ...read, id: "p" }], {
      PostCompact: [{ command: tell() }],
      SessionStart: [{ matcher: "compact", command: tell("echo Again: the milk.", "starts") }],
    });
    const long = await yes.open({ settings: { permissions: { mode: "auto" }, compaction: { keep: 0 } } });
    await long.send("one");
    expect((await long.compact()).state).toBe("done");
    expect(yes.heard()).toMatchObject([{ trigger: "manual", compact_summary: expect.stringContaining("done") }]);
    await long.send("two");
    expect(JSON.stringify(yes.bodies().at(-1))).toContain("Again: the milk.");
  });

  it("what a command printed is told by stream, bounded and without secrets; who hears nothing costs nothing", async () => {
    const secret = `ghp_${"a1B2".repeat(9)}`;
    const both = run(
      `echo out; echo ${secret.slice(0, 9)}${secret.slice(9)} >&2; head -c 60000 /dev/zero | tr '\\0' x >&2`,
    );
    const at = await hookStage([both], { PostToolUse: [{ matcher: "Bash", command: tell() }] });
    await at.go();
    const response = at.heard()[0]?.["tool_response"] as { stdout: string; stderr: string };
    expect(response).toEqual({ stdout: "out\n", stderr: expect.any(String), interrupted: false, exitCode: 0 });
    expect(response.stderr).toMatch(/left out here/);
    expect(response.stderr.length).toBeLessThan(17_000);
    expect(response.stderr).not.toContain(secret);
    expect(at.told(0)).toMatch(/^out\n/);
  });

  it("a call that fails is PostToolUseFailure", async () => {
    const at = await hookStage([run("echo out; echo err >&2; exit 3")], {
      PostToolUse: [{ command: tell("", "ok") }],
      PostToolUseFailure: [{ command: tell() }],
    });
    await at.go();
    expect(at.heard("ok")).toEqual([]);
    expect(at.heard()).toMatchObject([
      {
        error: expect.stringContaining("exit code 3"),
        is_interrupt: false,
        tool_response: { stdout: "out\n", stderr: "err\n", exitCode: 3, interrupted: false },
      },
    ]);
  });
});

describe("what hooks change is on record", () => {
  it("behind a call: its files, its text, its undo", async () => {
    const at = await hookStage([write("a.txt", "one  \n")], {
      PostToolUse: [{ matcher: "Write", command: `node ${shellWords([hookScript("format-and-tell.mjs")])}` }],
    });
    const result = await at.go();
    expect(at.text("a.txt")).toBe("one\n");
    expect(result.files.map(({ path, before }) => [path, before])).toEqual([[join(at.root, "a.txt"), null]]);
    await undo(at);
    expect(at.has("a.txt")).toBe(false);
    expect(at.told(0)).toMatch(/Blanks at line ends were removed[\s\S]*-one {2}\n\+one/);
  });

  it("before a call: the plan is made anew, so that nothing stale is written", async () => {
    const edit = { id: "e", name: "edit_file", input: { path: "a.txt", old_string: "one", new_string: "two" } };
    const read = { id: "q", name: "read_file", input: { path: "a.txt" } };
    const at = await hookStage([read, edit], {
      PreToolUse: [{ matcher: "Edit", command: 'sh "$CINCH_PROJECT_DIR/../grow.sh"' }],
    });
    at.put("../grow.sh", "echo more >>a.txt\n");
    at.put("a.txt", "one\n");
    const result = await at.go();
    expect(at.text("a.txt")).toBe("two\nmore\n");
    expect(result.files.map(({ path }) => path)).toEqual([join(at.root, "a.txt")]);
  });
});

test("what hooks of a run change without a call is taken back with it", async () => {
  const at = await hookStage([], { UserPromptSubmit: [{ command: "touch made" }] });
  const result = await at.go();
  expect(result.files.map(({ path }) => path)).toEqual([join(at.root, "made")]);
  await undo(at);
  expect(at.has("made")).toBe(false);
});
