// Hooks of a project (SEEDS D 56 and 74, SECURITY A 1, 15 and 16): none runs before it is trusted, each with the content that
// was approved, and none hears a secret.

import { spawn } from "node:child_process";
import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createHarness } from "../../src/index.js";
import { hookStage, run, specific, tell, write } from "../support/hooks.js";

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

  it("whose program runs a manifest are approved with it: an edit between approval and run stops them", async () => {
    const manifest = (lint: string) => JSON.stringify({ scripts: { lint } });
    const table = { PreToolUse: [{ matcher: "Write", command: "npm run --silent lint" }] };
    const at = await hookStage([run("true"), write("a.txt")], {}, table);
    at.put("package.json", manifest("cat >/dev/null; touch ran-approved"));
    const { trust } = createHarness({ cwd: at.root, home: at.home });
    expect((await trust.status()).resources).toMatchObject([
      { kind: "hook", files: ["package.json"], scripts: ["lint: cat >/dev/null; touch ran-approved"], refused: null },
    ]);
    await at.trust();
    await at.go();
    expect([at.has("a.txt"), at.has("ran-approved")]).toEqual([true, true]);

    const later = await hookStage([run(`echo '${manifest("touch ran")}' >package.json`), write("b.txt")], {}, table);
    later.put("package.json", manifest("exit 0"));
    await later.trust();
    await later.go({ ask: async () => ({ decision: "allow" }) });
    expect(later.has("ran")).toBe(false);
    expect(later.told(1)).toContain("changed since it was approved");
    const status = await createHarness({ cwd: later.root, home: later.home }).trust.status();
    expect(status.resources).toMatchObject([{ state: "changed", diff: expect.stringContaining("touch ran") }]);
  });

  it("run the bytes that were approved, whoever swaps the script meanwhile", async () => {
    const calls = Array.from({ length: 25 }, (_, n) => ({ ...write(`f${n}.txt`), id: `w${n}` }));
    const command = 'sh scripts/x.sh && "$CLAUDE_PROJECT_DIR"/scripts/x.sh && bash -c "sh scripts/x.sh"';
    const at = await hookStage(calls, {}, { PreToolUse: [{ matcher: "Write", command }] });
    at.put("scripts/x.sh", '#!/bin/sh\nset -e\n. "$(dirname "$0")/lib.sh"\necho x >>ran-approved\n');
    at.put("scripts/lib.sh", "cat >/dev/null\n");
    chmodSync(join(at.root, "scripts/x.sh"), 0o755);
    await at.trust();
    // Renames as fast as it can, so that each look and each start may see either.
    const flips = `cp scripts/x.sh a; printf '#!/bin/sh\\ntouch swapped\\n' >b; chmod 755 a b; while :; do cp -p b c; mv c scripts/x.sh; cp -p a c; mv c scripts/x.sh; done`;
    const flipper = spawn("bash", ["-c", flips], { cwd: at.root, detached: true, stdio: "ignore" });
    await at.go();
    process.kill(-(flipper.pid ?? 0), "SIGKILL");
    expect(at.has("swapped")).toBe(false);
    const passed = calls.filter(({ input }) => at.has((input as { path: string }).path)).length;
    const ran = at.has("ran-approved") ? at.text("ran-approved").split("\n").length - 1 : 0;
    // Each call that was let through was let through by the approved script, three times.
    expect(ran).toBe(3 * passed);
  });

  it.runIf(existsSync("/usr/bin/bwrap"))(
    "run in the sandbox where there is one: they write in the project only",
    async () => {
      const command =
        'sh scripts/x.sh; touch inside; touch "$CINCH_PROJECT_DIR/../outside"; touch .git/hooks/pre-commit; exit 2';
      const table = { PreToolUse: [{ matcher: "Write", command }] };
      for (const mode of ["auto", "off"] as const) {
        const at = await hookStage([write("a.txt")], {}, table);
        at.put("scripts/x.sh", "cat >/dev/null; cat rules.json >read; echo no >&2\n");
        at.put("rules.json", "{}");
        at.put(".git/hooks/x.sample", "");
        await at.trust();
        await at.go({ settings: { permissions: { mode: "auto" }, sandbox: { mode } } });
        const outside = ["../outside", ".git/hooks/pre-commit"].map(at.has);
        expect([at.has("a.txt"), at.has("inside"), at.has("read"), ...outside]).toEqual([
          ...[false, true, true],
          ...(mode === "auto" ? [false, false] : [true, true]),
        ]);
      }
    },
  );

  it("that would download what they run never run, and the reason is said", async () => {
    const at = await hookStage([write("a.txt")], {}, { PreToolUse: [{ command: "npx no-such-package-here" }] });
    const session = await at.open({ trust: true });
    expect(session.init).toMatchObject({ ignored: ["hook PreToolUse: npx no-such-package-here"] });
    await session.send("go");
    expect(at.has("a.txt")).toBe(true);
    const shown = await createHarness({ cwd: at.root, home: at.home }).trust.status();
    expect(shown.resources).toMatchObject([{ refused: expect.stringContaining("would download") }]);
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
