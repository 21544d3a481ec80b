// Hooks through the public face: SEEDS D 51–56, SECURITY B 49 and 50, SPEC 1.17 and 2.7. What did not run is looked for on disk.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { type Call, hookStage, run, say, tell, write } from "../support/hooks.js";
import { needs } from "../support/needs.js";
import { root as repository } from "../support/run.js";
import { logFile } from "../support/session-log.js";
import { undo } from "../support/undo.js";

const data = (name: string) => join(repository, "test/data/hooks", name);
const specific = (fields: object, event = "PreToolUse") =>
  say({ hookSpecificOutput: { hookEventName: event, ...fields } });
const decision = (permissionDecision: string, more: object = {}) => specific({ permissionDecision, ...more });
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
  });

  it("B 50: is decided about like any other", async () => {
    const updatedInput = { command: "touch evil" };
    const hooks = { PreToolUse: [{ matcher: "Bash", command: decision("allow", { updatedInput }) }] };
    const at = await hookStage([run("touch good")], hooks);
    await at.go({ settings: { permissions: { mode: "auto", deny: ["Bash(touch evil)"] } } });
    expect([at.has("good"), at.has("evil")]).toEqual([false, false]);
    expect(at.told(0)).toContain("deny Bash(touch evil)");
  });

  it("that the tool refuses is refused, and nothing is done", async () => {
    const at = await hookStage([write("a.txt")], {
      PreToolUse: [{ command: specific({ updatedInput: { file_path: "../out.txt", content: "x" } }) }],
    });
    await at.go();
    expect([at.has("a.txt"), at.has("../out.txt"), at.told(0)]).toEqual([
      false,
      false,
      expect.stringContaining("outside the project"),
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

describe("D 56, D 74, A 1, A 15, A 16: hooks of a project", () => {
  const hooks = { PreToolUse: [{ matcher: "Write", command: "sh scripts/x.sh" }] };
  const script = "cat >/dev/null; touch canary; echo no >&2; exit 2\n";

  it("are not executed at all before they are trusted, and the question lists them", async () => {
    const at = await hookStage([write("a.txt")], {}, { ...hooks, SessionStart: [{ command: "touch canary" }] });
    at.put("scripts/x.sh", script);
    const session = await at.open();
    expect(session.init).toMatchObject({
      trust: "untrusted",
      ignored: ["hook PreToolUse(Write): sh scripts/x.sh", "hook SessionStart: touch canary"],
    });
    await session.send("go");
    expect([at.has("a.txt"), at.has("canary")]).toEqual([true, false]);
  });

  it("run with the content that was approved, and a changed byte stops them", async () => {
    const at = await hookStage([write("a.txt")], {}, hooks);
    at.put("scripts/x.sh", script);
    await at.trust();
    await at.go();
    expect([at.has("a.txt"), at.has("canary")]).toEqual([false, true]);

    const later = await hookStage([write("a.txt")], {}, hooks);
    later.put("scripts/x.sh", script);
    await later.trust();
    later.put("scripts/x.sh", `${script}#`);
    const session = await later.open();
    expect(session.init).toMatchObject({ trust: "trusted", ignored: ["hook PreToolUse(Write): sh scripts/x.sh"] });
    await session.send("go");
    expect([later.has("a.txt"), later.has("canary")]).toEqual([true, false]);
  });

  it("that change while a session runs guard no more and let nothing pass", async () => {
    const at = await hookStage([write("a.txt"), { ...write("b.txt"), id: "v" }], {}, hooks);
    at.put("scripts/x.sh", "cat >/dev/null; echo >>scripts/x.sh; exit 0\n");
    await at.trust();
    await at.go();
    expect([at.has("a.txt"), at.has("b.txt"), at.told(1)]).toEqual([
      true,
      false,
      expect.stringContaining("changed since it was approved"),
    ]);
  });

  it("of the user's that run a file of the project wait for its trust as well", async () => {
    const at = await hookStage([write("a.txt")], hooks);
    at.put("scripts/x.sh", script);
    await at.go();
    expect([at.has("a.txt"), at.has("canary")]).toEqual([true, false]);
  });

  it("get a closed list of variables, the user's own what commands get, neither a key", async () => {
    const show = (name: string) => ({ SessionStart: [{ command: `env >"$CINCH_PROJECT_DIR/${name}"` }] });
    const at = await hookStage([], show("user.env"), show("project.env"));
    const env = {
      ANTHROPIC_API_KEY: "sk-secret",
      ANTHROPIC_BASE_URL: at.server.url,
      PATH: process.env["PATH"],
      COLOUR: "blue",
    };
    await at.go({ trust: true, env });
    const [user, project] = [at.text("user.env"), at.text("project.env")];
    for (const text of [user, project]) {
      expect(text).toContain(`CLAUDE_PROJECT_DIR=${at.root}\n`);
      expect(text).not.toContain("sk-secret");
    }
    expect([user.includes("COLOUR=blue"), project.includes("COLOUR=blue")]).toEqual([true, false]);
  });

  describe("what they are told", () => {
    const env = { ANTHROPIC_API_KEY: "k", DEPLOY_TOKEN: "canary-0123456789", PATH: process.env["PATH"] };
    const play = async (project: string, command: string) => {
      const hook = (then: string, name: string) => ({ PreToolUse: [{ command: tell(then, name) }] });
      const at = await hookStage([run(command)], hook("", "by-user"), hook(project, "by-project"));
      await at.go({ trust: true, env: { ...env, ANTHROPIC_BASE_URL: at.server.url } });
      return at;
    };
    const rewrite = specific({ updatedInput: { command: "touch rewritten" } });

    it("has no secret in it; the user's own hear all", async () => {
      const at = await play("", "echo canary-0123456789 >a.txt");
      expect(at.heard("by-user")).toMatchObject([{ tool_input: { command: "echo canary-0123456789 >a.txt" } }]);
      expect(at.heard("by-project")).toMatchObject([
        { tool_input: { command: "echo [redacted:DEPLOY_TOKEN] >a.txt" } },
      ]);
      expect(at.text("a.txt")).toBe("canary-0123456789\n");
    });

    it("and what they would put in its place is not used then: a guard that cannot do its work says no", async () => {
      const at = await play(rewrite, "touch canary-0123456789");
      expect([at.has("canary-0123456789"), at.has("rewritten")]).toEqual([false, false]);
      expect(at.told(0)).toContain("secrets were taken out of what it was told");
      expect((await play(rewrite, "touch plain")).has("rewritten")).toBe(true);
    });
  });
});

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

  it("a call that fails is PostToolUseFailure", async () => {
    const at = await hookStage([run("exit 3")], {
      PostToolUse: [{ command: tell("", "ok") }],
      PostToolUseFailure: [{ command: tell() }],
    });
    await at.go();
    expect(at.heard("ok")).toEqual([]);
    expect(at.heard()).toMatchObject([
      {
        error: expect.stringContaining("exit code 3"),
        is_interrupt: false,
        tool_response: { exitCode: 3, interrupted: false },
      },
    ]);
  });
});

describe("what hooks change is on record", () => {
  it("behind a call: its files, its text, its undo", async () => {
    const at = await hookStage([write("a.txt", "one  \n")], {
      PostToolUse: [{ matcher: "Write", command: `node ${data("format-and-tell.mjs")}` }],
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
    const at = await hookStage([read, edit], { PreToolUse: [{ matcher: "Edit", command: "sh BASE/grow.sh" }] });
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

describe("scripts written for another agent run unchanged", () => {
  test("sh: files nobody edits by hand", async () => {
    const at = await hookStage([write("package-lock.json"), write("a.txt")], {
      PreToolUse: [{ matcher: "Edit|Write", command: data("protect-files.sh") }],
    });
    await at.go();
    expect([at.has("package-lock.json"), at.has("a.txt"), at.told(0)]).toEqual([
      false,
      true,
      expect.stringContaining("matches protected pattern"),
    ]);
  });

  needs("python3")("Python: commands", async () => {
    const hooks = { PreToolUse: [{ matcher: "Bash", command: `python3 ${data("validate-command.py")}` }] };
    const at = await hookStage(
      [run("grep x a.txt"), { ...run("npm install x"), id: "s" }, { ...run("touch b"), id: "t" }],
      hooks,
    );
    const result = await at.go();
    expect(at.told(0)).toContain("Use 'rg' (ripgrep) instead of 'grep'");
    expect(at.told(1)).toContain("New dependencies are looked at by a person");
    expect([at.has("b"), result.exit_code]).toEqual([true, 0]);
  });

  test("Node: exec form, two events", async () => {
    const hook = { command: process.execPath, args: [data("format-and-tell.mjs")] };
    const at = await hookStage([write("a.txt", "one \n")], {
      UserPromptSubmit: [hook],
      PostToolUse: [{ matcher: "Write|Edit", ...hook }],
    });
    await at.go();
    expect([at.text("a.txt"), JSON.stringify(at.bodies()[0])]).toEqual([
      "one\n",
      expect.stringContaining(`Branch: main. Project: ${at.root}`),
    ]);
  });
});
