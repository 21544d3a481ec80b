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
    const { stage } = await worked();
    expect(await stage.bare(["export"])).toMatchObject({ exit: 2, stdout: "" });
    expect(await stage.bare(["export", "../../etc/passwd"])).toMatchObject({ exit: 2, stdout: "" });
    expect((await stage.bare(["export", "nowhere"])).stderr).toContain('there is no session "nowhere"');
  });
});

function logOf(home: string, id: string): string {
  const files = readdirSync(join(home, "sessions"), { recursive: true, encoding: "utf8" });
  return join(home, "sessions", files.find((file) => file.endsWith(`${id}.jsonl`)) ?? "");
}
