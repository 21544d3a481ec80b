// Rules from the command line: flags, exit 7 and its first line, answers that are kept, and `cinch permissions`.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { cliStage, jsonLines } from "../support/cli.js";

const write = (path: string) => ({ calls: [{ tool: "write_file", input: { path, content: "x\n" } }] });

describe("flags", () => {
  test("--allow answers, --deny wins over it, aliases take several", async () => {
    for (const [flags, wrote] of [
      [["--allow", "Edit(src/**)"], true],
      [["--allowedTools", "Read,Edit(src/**) Bash(npm test)"], true],
      [["--allow", "Edit", "--disallowedTools", "Bash(rm *),Edit(src/**)"], false],
    ] as const) {
      const at = cliStage([write("src/a.txt"), { text: "done" }]);
      const { exit } = await at.run(["-p", "go", ...flags]);
      expect([flags, exit, existsSync(join(at.project, "src/a.txt"))]).toEqual([flags, 0, wrote]);
    }
  });

  test("a bad rule is exit 2 and names what there is", async () => {
    const { exit, stderr, stdout } = await cliStage().run(["-p", "go", "--deny", "Wirte(a)"]);
    expect([exit, stdout]).toEqual([2, ""]);
    expect(stderr).toContain('permissions.deny: "Wirte(a)" is no rule: there is no tool Wirte');
  });

  test("exit 7: the first line on stderr names the flag", async () => {
    for (const [path, mode, flag] of [
      ["a.txt", "ask", /--allow 'Edit\(\/a\.txt\)'.*--permission-mode acceptEdits/],
      [".mcp.json", "auto", /--input-format stream-json/],
    ] as const) {
      const at = cliStage([write(path), { text: "no" }]);
      const { exit, stderr } = await at.run(["-p", "go", "--permission-mode", mode]);
      expect([exit, stderr.split("\n")[0]]).toEqual([7, expect.stringMatching(flag)]);
      expect(existsSync(join(at.project, path))).toBe(false);
    }
  });
});

test("who keeps everything in one place may work below it: what Cinch goes by is protected, the project is not", async () => {
  const script = [
    write("a.txt"),
    { calls: [{ tool: "run_command", input: { command: "touch b.txt" } }] },
    { calls: [{ tool: "run_command", input: { command: "touch ../trust.json" } }] },
    { text: "done" },
  ];
  for (const sandboxed of [false, true]) {
    const at = cliStage(script, { sandboxed });
    const home = dirname(at.project);
    await at.run(["-p", "go", "--permission-mode", "auto"], { env: { CINCH_HOME: home } });
    const made = ["project/a.txt", "project/b.txt", "trust.json"].map((path) => existsSync(join(home, path)));
    expect([sandboxed, ...made]).toEqual([sandboxed, true, true, false]);
  }
});

test("an answer on the control channel is kept, listed, tried and revoked", async () => {
  const at = cliStage([write("a.txt"), { text: "done" }]);
  const live = at.start(["-p", "go", "--input-format", "stream-json", "--output-format", "stream-json"]);
  const asked = await live.line(({ subtype }) => subtype === "approval");
  expect(asked).toMatchObject({ rule: "Edit(/a.txt)", parts: [], reason: expect.stringContaining("changing files") });
  live.send({ type: "approval", id: asked["id"], decision: "allow", remember: "yes" });
  const bad = await live.line(({ subtype }) => subtype === "ack");
  expect(bad).toMatchObject({ ok: false, error: expect.stringContaining("remember") });
  live.send({ type: "approval", id: asked["id"], decision: "allow", remember: true });
  live.end();
  const { exit, stdout } = await live.done;
  expect([exit, existsSync(join(at.project, "a.txt"))]).toEqual([0, true]);
  expect(jsonLines(stdout).at(-1)).toMatchObject({ type: "result", subtype: "success" });

  mkdirSync(join(at.project, ".cinch"));
  writeFileSync(
    join(at.project, ".cinch/settings.json"),
    '{"permissions": {"allow": ["Bash"],\n"deny": ["Edit(x)", "Nope"]}}',
  );
  const listed = await at.bare(["permissions", "list", "--json"]);
  expect(JSON.parse(listed.stdout)).toEqual({
    mode: { value: "ask", source: "default" },
    rules: [
      { list: "deny", text: "Edit(x)", source: expect.stringMatching(/settings\.json:2$/), state: "set" },
      { list: "allow", text: "Bash", source: expect.stringMatching(/settings\.json:1$/), state: "waiting" },
      expect.objectContaining({ list: "allow", text: "Edit(/a.txt)", state: "kept" }),
    ],
  });
  expect(listed.stderr).toContain('"Nope" is no rule');
  expect((await at.bare(["permissions", "list"])).stdout).toContain("an answer that was kept");

  const tried = await at.bare(["permissions", "try", "Edit(*.txt)", "--json"]);
  expect(JSON.parse(tried.stdout)).toMatchObject({
    sessions: 1,
    saved: 1,
    calls: [{ what: "a.txt", fate: "approved", count: 1 }],
  });
  expect((await at.bare(["permissions", "try", "Edit(src/**)"])).stdout).toContain("It fits no past call.");
  expect((await at.bare(["permissions", "try", "Edit("])).exit).toBe(2);

  expect((await at.bare(["permissions", "revoke", "Edit(x)"])).stderr).toContain("take it out there");
  expect((await at.bare(["permissions", "revoke", "Edit(/a.txt)"])).exit).toBe(0);
  expect((await at.bare(["permissions", "revoke", "Edit(/a.txt)"])).exit).toBe(1);
  expect((await at.bare(["permissions", "list"])).stdout).not.toContain("Edit(/a.txt)");
});

test("explain: the rules that stand lie over the analysis, part by part", async () => {
  const at = cliStage();
  const settings = join(at.project, "../rules.json");
  writeFileSync(
    settings,
    `{"permissions": {"mode": "acceptEdits",
      "allow": ["Bash(npm test)", "Bash(touch *)"],
      "ask": ["Bash(git push *)"],
      "deny": ["Bash(ls *)", "Read(private/**)"]}}`,
  );
  const explained = async (command: string) => {
    const { stdout } = await at.bare(["permissions", "explain", command, "--json", "--settings", settings]);
    return JSON.parse(stdout) as { verdict: string; decision: object; parts: object[] };
  };
  const part = (rule: string, line: number) => ({ rule, source: `${settings}:${line}` });
  expect(await explained("npm test; ls x; pwd")).toMatchObject({
    verdict: "needs-approval",
    decision: { verdict: "deny", ...part("deny Bash(ls *)", 4) },
    parts: [
      { argv: ["npm", "test"], verdict: "needs-approval", decision: "allow", ...part("allow Bash(npm test)", 2) },
      { argv: ["ls", "x"], verdict: "readonly", decision: "deny", ...part("deny Bash(ls *)", 4) },
      { argv: ["pwd"], verdict: "readonly", rule: "program:pwd", source: "built-in" },
    ],
  });
  expect(await explained("cat private/a")).toMatchObject({ decision: part("deny Read(private/**)", 4) });
  expect(await explained("npm test")).toMatchObject({ decision: { verdict: "allow" } });
  expect(await explained("git push -f")).toMatchObject({
    parts: [{ decision: "ask", ...part("ask Bash(git push *)", 3) }],
  });
  expect(await explained("touch .git/config")).toMatchObject({
    verdict: "never-auto",
    decision: { verdict: "ask", rule: "danger" },
    parts: [{ rule: "path:protected", source: "built-in" }],
  });
  const { stdout } = await at.bare(["permissions", "explain", "npm test", "--settings", settings]);
  expect(stdout).toContain("Here, in the mode acceptEdits: it runs (allow Bash(npm test), ");
});

test("try puts what the user denied first", async () => {
  const at = cliStage([write("a.txt"), { text: "done" }]);
  const live = at.start(["-p", "go", "--input-format", "stream-json", "--output-format", "stream-json"]);
  const { id } = await live.line(({ subtype }) => subtype === "approval");
  live.send({ type: "approval", id, decision: "deny", feedback: "no" });
  live.end();
  await live.done;
  const { stdout } = await at.bare(["permissions", "try", "Edit"]);
  expect(stdout).toContain("In 1 session it would have answered 1 question. What it lets through, riskiest first:");
  expect(stdout).toContain("you said no, 1x  write_file: a.txt");
});

test("/permissions lists, explains and revokes as the command does", async () => {
  const at = cliStage([write("a.txt"), { text: "done" }]);
  const slash = async (text: string, ...flags: string[]) => {
    const { exit, stdout, stderr } = await at.run(["-p", `/permissions${text}`, ...flags]);
    return [exit, stdout + stderr];
  };
  mkdirSync(join(at.project, ".cinch"));
  writeFileSync(
    join(at.project, ".cinch/settings.json"),
    '{"permissions": {"allow": ["Bash(npm test)"], "deny": ["Nope"]}}',
  );
  const waiting = [
    0,
    expect.stringMatching(/"Nope" is no rule(.|\n)*mode auto +\(flags\)(.|\n)*Bash\(npm test\).*waits until you trust/),
  ];
  expect(await slash("", "--permission-mode", "auto")).toEqual(waiting);
  expect((await slash(" list", "--trust"))[1]).not.toContain("waits");
  const explained = (await at.bare(["permissions", "explain", "git push; ls"])).stdout;
  expect(await slash(' explain "git push; ls"')).toEqual([0, expect.stringContaining(explained)]);
  expect(await slash(" explain git push; ls")).toEqual([0, expect.stringContaining(explained)]);
  expect(await slash(" explain")).toEqual([1, expect.stringContaining("explain needs a command")]);
  expect(await slash(" allow Bash")).toEqual([1, expect.stringContaining('does not know "allow"')]);

  const live = at.start(["-p", "go", "--input-format", "stream-json", "--output-format", "stream-json"]);
  const asked = await live.line(({ subtype }) => subtype === "approval");
  live.send({ type: "approval", id: asked["id"], decision: "allow", remember: true });
  live.end();
  await live.done;
  expect((await slash(""))[1]).toContain("Edit(/a.txt)");
  expect(await slash(" revoke Bash(npm test)")).toEqual([1, expect.stringContaining("take it out there")]);
  expect(await slash(" revoke Edit(/a.txt)")).toEqual([0, expect.stringContaining("Revoked: Edit(/a.txt)\n")]);
  expect((await slash(""))[1]).not.toContain("Edit(/a.txt)");
});
