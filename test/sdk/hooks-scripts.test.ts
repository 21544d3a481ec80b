// Scripts written for another agent, in sh, Python and Node, run unchanged. They are data (test/data/hooks) and are not
// adapted for these tests.

import { describe, expect, test } from "vitest";
import { hookScript, hookStage, run, write } from "../support/hooks.js";
import { needs } from "../support/needs.js";
import { shellWords } from "../support/run.js";

describe("scripts written for another agent run unchanged", () => {
  test("sh: files nobody edits by hand", async () => {
    const at = await hookStage([write("package-lock.json"), write("a.txt")], {
      PreToolUse: [{ matcher: "Edit|Write", command: shellWords([hookScript("protect-files.sh")]) }],
    });
    await at.go();
    expect([at.has("package-lock.json"), at.has("a.txt"), at.told(0)]).toEqual([
      false,
      true,
      expect.stringContaining("matches protected pattern"),
    ]);
  });

  needs("python3")("Python: commands", async () => {
    const hooks = {
      PreToolUse: [{ matcher: "Bash", command: `python3 ${shellWords([hookScript("validate-command.py")])}` }],
    };
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
    const hook = { command: process.execPath, args: [hookScript("format-and-tell.mjs")] };
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
