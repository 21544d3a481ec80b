// Sessions that leave the machine they were made on, and others that arrive: cinch export and cinch import.

import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cliStage } from "../support/cli.js";

const edits = [
  { calls: [{ tool: "write_file", input: { path: "a.txt", content: "one\ntwo\n" } }] },
  { calls: [{ tool: "edit_file", input: { path: "a.txt", old_string: "two", new_string: "three" } }] },
  { text: "Done: <b>three</b>." },
];

async function worked() {
  const stage = cliStage(edits);
  const { stdout } = await stage.run(["-p", "make a.txt", "--permission-mode", "auto", "--output-format", "json"]);
  return { stage, id: (JSON.parse(stdout) as { session_id: string }).session_id };
}

describe("cinch export", () => {
  test("html: one new file for its owner, with diffs of what is kept", async () => {
    const { stage, id } = await worked();
    const file = join(stage.project, "out.html");
    const first = await stage.bare(["export", id, "-o", file, "--json"]);
    expect(first.exit).toBe(0);
    const page = readFileSync(file, "utf8");
    expect(JSON.parse(first.stdout)).toMatchObject({
      session_id: id,
      format: "html",
      file,
      bytes: Buffer.byteLength(page),
      damaged_lines: [],
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    for (const text of [
      '<span class="add">+three</span>',
      '<span class="del">-two</span>',
      "&lt;b&gt;three&lt;/b&gt;",
    ]) {
      expect(page).toContain(text);
    }
    const second = await stage.bare(["export", id, "-o", file]);
    expect([second.exit, second.stdout]).toEqual([1, ""]);
    expect(second.stderr).toContain("exists; nothing was written");
    expect(readFileSync(file, "utf8")).toBe(page);
  });

  test("a content that somebody changed since is not passed off as the session's", async () => {
    const { stage, id } = await worked();
    writeFileSync(join(stage.project, "a.txt"), "a secret of today\n");
    const { stdout } = await stage.bare(["export", id, "--format", "md"]);
    expect(stdout).toContain("## You\n");
    expect(stdout).toContain("+three");
    expect(stdout).not.toContain("a secret of today");
  });

  test("the damaged lines of a log are left out and counted", async () => {
    const { stage, id } = await worked();
    const listed = await stage.bare(["export", id, "--format", "jsonl", "--json"]);
    const { text, entries } = JSON.parse(listed.stdout) as { text: string; entries: number };
    expect(text.trimEnd().split("\n")).toHaveLength(entries);
    const log = logOf(stage.home, id);
    writeFileSync(log, readFileSync(log, "utf8").replace("make a.txt", "make b.txt"));
    const damaged = await stage.bare(["export", id, "--format", "jsonl"]);
    expect(damaged.exit).toBe(0);
    expect(damaged.stderr).toMatch(/^1 damaged or unfinished lines/);
    expect(damaged.stdout).not.toContain("make b.txt");
  });

  test("says what it needs", async () => {
    const { stage, id } = await worked();
    expect(await stage.bare(["export"])).toMatchObject({ exit: 2, stdout: "" });
    expect(await stage.bare(["export", "../../etc/passwd"])).toMatchObject({ exit: 2, stdout: "" });
    expect((await stage.bare(["export", "nowhere"])).stderr).toContain('there is no session "nowhere"');
    const lost = await stage.bare(["export", id, "-o", "no/where.md"]);
    expect([lost.exit, lost.stderr]).toEqual([
      1,
      expect.stringMatching(/where\.md .*: its directory is not there\.\n/),
    ]);
  });
});

describe("cinch import", () => {
  test("what was exported goes on on another machine", async () => {
    const { stage, id } = await worked();
    const file = join(stage.home, "out.jsonl");
    await stage.bare(["export", id, "-o", file]);
    const other = cliStage([{ match: "go on", text: "gone on" }]);
    const { exit, stdout } = await other.bare(["import", file, "--json"]);
    expect(exit).toBe(0);
    const imported = JSON.parse(stdout) as { session_id: string; left_out: Record<string, number> };
    expect(imported).toMatchObject({ format: "cinch", messages: 4, calls: 2 });
    expect(imported.left_out["entry of type prompt"]).toBe(1);
    const run = await other.run(["-p", "go on", "-r", imported.session_id]);
    expect(run).toMatchObject({ exit: 0, stdout: "gone on\n" });
    const told = await other.bare(["export", imported.session_id, "--format", "md"]);
    for (const text of ["make a.txt", "edit\\_file", "gone on", "imported: Imported from cinch"]) {
      expect(told.stdout).toContain(text);
    }
  });

  test("says what it needs, what it cannot read, and how to go on", async () => {
    const stage = cliStage();
    writeFileSync(join(stage.project, "x.jsonl"), "nothing\n");
    expect(await stage.bare(["import"])).toMatchObject({ exit: 2, stdout: "" });
    expect((await stage.bare(["import", "gone.jsonl"])).stderr).toContain("is not there");
    const { exit, stderr } = await stage.bare(["import", "x.jsonl"]);
    expect([exit, stderr]).toEqual([2, expect.stringMatching(/nothing was\.[\s\S]*Claude Code, Codex, pi and Cinch/)]);
    const line = { sessionId: "s", type: "user", uuid: "a", parentUuid: null, message: { content: "hi" } };
    writeFileSync(join(stage.project, "y.jsonl"), `${JSON.stringify(line)}\n{\n`);
    const { stdout } = await stage.bare(["import", "y.jsonl"]);
    expect(stdout).toMatch(
      /1 messages with 0 calls[\s\S]*1 {2}line that is no JSON object\nGo on with: cinch -r \w+\n/,
    );
  });
});

function logOf(home: string, id: string): string {
  const files = readdirSync(join(home, "sessions"), { recursive: true, encoding: "utf8" });
  return join(home, "sessions", files.find((file) => file.endsWith(`${id}.jsonl`)) ?? "");
}
