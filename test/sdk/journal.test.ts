// What commands do to the project, seen by the harness: in the result, in the log and in what the model reads (D 106).

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sha256 } from "../../src/lib/hash.js";
import { resultText, type Stage, stage, yes } from "../support/stage.js";
import { treeOf } from "../support/tree.js";
import { undo } from "../support/undo.js";
import type { WireReply } from "../support/wire/anthropic.js";

const bash = (command: string, id = "c1"): WireReply => ({
  calls: [{ id, name: "run_command", input: { command } }],
});
const done: WireReply = { text: "done" };
const write = (at: Stage, path: string, content: string | Buffer) => {
  mkdirSync(join(at.root, path, ".."), { recursive: true });
  writeFileSync(join(at.root, path), content);
};

/** One run of these replies; the text of the result of each call, by id. */
async function ran(at: Stage, settings: object = {}) {
  const session = await at.open({ ask: yes, settings: { permissions: { mode: "auto" }, ...settings } });
  const result = await session.send("go");
  await session.close();
  return { result, text: (id = "c1") => resultText(at.bodies().at(-1), id) };
}

describe("the result of a run", () => {
  test("lists every file changed by a tool or a command, with hashes, kinds and modes, net over the run", async () => {
    const at = await stage([
      bash(
        "sed -i s/one/two/ a.txt; rm b.txt; mkdir d; echo hi > d/new; ln -s a.txt l; chmod 755 c.sh; echo t > t",
        "c1",
      ),
      { calls: [{ id: "c2", name: "write_file", input: { path: "w.txt", content: "w\n" } }] },
      bash("echo more >> w.txt; rm t", "c3"),
      done,
    ]);
    write(at, "a.txt", "one\n");
    write(at, "b.txt", "b\n");
    write(at, "c.sh", "c\n");
    chmodSync(join(at.root, "c.sh"), 0o644);
    const { result } = await ran(at);
    const [a, b] = ["one\n", "b\n"].map(sha256);
    const files = result.files.map(({ path, ...rest }) => ({ path: path.slice(at.root.length + 1), ...rest }));
    expect(files.sort((x, y) => (x.path < y.path ? -1 : 1))).toEqual([
      { path: "a.txt", before: a, after: sha256("two\n") },
      { path: "b.txt", before: b, after: null },
      { path: "c.sh", before: sha256("c\n"), after: sha256("c\n"), mode: { before: 0o100644, after: 0o100755 } },
      { path: "d/new", before: null, after: sha256("hi\n") },
      { path: "l", before: null, after: sha256("a.txt"), mode: { before: null, after: 0o120777 } },
      { path: "w.txt", before: null, after: sha256("w\nmore\n") },
    ]);
    expect(result.coverage).toBe("full");
  });

  test("also when the command fails, is killed or times out", async () => {
    const at = await stage([bash("echo x > x; exit 3"), bash("echo y > y; kill -9 $$", "c2"), done]);
    const { result } = await ran(at);
    expect(result.files.map(({ path }) => path)).toEqual([join(at.root, "x"), join(at.root, "y")]);
  });
});

describe("what the model reads", () => {
  test("nothing when nothing changed; a short diff; a list when it is long", async () => {
    const at = await stage([
      bash("echo quiet", "c1"),
      bash("sed -i s/2/two/ a.txt", "c2"),
      bash("seq 100 > long.txt; sed -i '1,9d' a.txt; rm b.bin", "c3"),
      done,
    ]);
    write(at, "a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n");
    write(at, "b.bin", Buffer.from([0, 1]));
    const { text } = await ran(at);
    expect(text("c1")).toBe("quiet");
    expect(text("c2")).toBe("(no output)\n[changed: a.txt +1 -1]\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3");
    expect(text("c3")).toBe("(no output)\n[changed: a.txt -9, b.bin deleted (not text, or large), long.txt new +100]");
  });

  test("a shown change of a file it knew counts as seen, a hidden one and one of a strange file do not", async () => {
    const edit = (path: string, old_string: string, id: string): WireReply => ({
      calls: [{ id, name: "edit_file", input: { path, old_string, new_string: "edited" } }],
    });
    const at = await stage([
      { calls: ["known.txt", "long.txt"].map((path, i) => ({ id: `r${i}`, name: "read_file", input: { path } })) },
      bash("sed -i s/old/new/ known.txt strange.txt; echo fresh > fresh.txt", "c1"),
      edit("known.txt", "new", "e1"),
      edit("fresh.txt", "fresh", "e2"),
      edit("strange.txt", "new", "e3"),
      bash("seq 60 > long.txt", "c2"),
      edit("long.txt", "59", "e4"),
      done,
    ]);
    for (const name of ["known.txt", "strange.txt", "long.txt"]) write(at, name, "old\n");
    await ran(at);
    const status = (id: string) => at.events.find((event) => event.type === "call.end" && event.call === id);
    expect(["e1", "e2", "e3", "e4"].map((id) => (status(id) as { status: string }).status)).toEqual([
      "ok",
      "ok",
      "error",
      "error",
    ]);
  });
});

describe("coverage", () => {
  test("what is not covered is named once, and the result says partial", async () => {
    const at = await stage([bash("echo a > a", "c1"), bash("rm big.bin; echo b > b", "c2"), bash("true", "c3"), done]);
    write(at, ".gitignore", "cache/\n*.tmp\n");
    write(at, "big.bin", Buffer.alloc(3000));
    write(at, "ignored.tmp", Buffer.alloc(2000));
    write(at, "small.tmp", "kept");
    for (let i = 0; i < 1_001; i++) write(at, `cache/f${i}`, "");
    for (let i = 0; i < 1_001; i++) write(at, `node_modules/m${i}/index.js`, "");
    const { result, text } = await ran(at, { files: { maxBytes: 2_500, maxIgnoredBytes: 1_000 } });
    const [first = "", rest] = [text("c1"), `${text("c2")}${text("c3")}`];
    expect(first).toMatch(/\[undo does not cover: .*cache.*\(ignored, many entries\)/);
    expect(first).toMatch(/node_modules/);
    expect(first).toMatch(/big\.bin 1 MB \(large\)/);
    expect(first).toMatch(/ignored\.tmp 1 MB \(ignored, large\)/);
    expect(rest).not.toContain("does not cover");
    expect(text("c2")).toContain("[changed, and undo cannot bring it back: big.bin]");
    expect(result.coverage).toBe("partial");
    const files = result.files.map(({ path, uncovered }) => [path.slice(at.root.length + 1), uncovered]);
    expect(files).toEqual([
      ["a", undefined],
      ["b", undefined],
      ["big.bin", "gone"],
    ]);
  });

  test("what could not be brought back is said in the question, before the command", async () => {
    const reasons: string[] = [];
    const ask = async ({ reason }: { reason: string }) => {
      reasons.push(reason);
      return { decision: "deny" } as const;
    };
    const at = await stage([
      bash("rm -rf data small", "c1"),
      bash("rm small", "c2"),
      bash("rm -r node_modules/m1", "c3"),
      done,
    ]);
    write(at, "data/deep/big.bin", Buffer.alloc(3000));
    write(at, "small", "kept");
    for (let i = 0; i < 1_001; i++) write(at, `node_modules/m${i}/index.js`, "");
    const session = await at.open({ ask, settings: { permissions: { mode: "ask" }, files: { maxBytes: 2_500 } } });
    await session.send("go");
    const [first = "", second = "", third = ""] = reasons;
    expect(first).toContain("[undo could not bring back: data/deep/big.bin]");
    expect(first).toContain(
      "[undo does not cover: node_modules (ignored, many entries); data/deep/big.bin 1 MB (large)]",
    );
    expect([second, third]).toEqual([
      expect.not.stringContaining("undo"),
      expect.stringContaining("[undo could not bring back: node_modules/]"),
    ]);
  });

  test("a project of more entries than are looked at: what lies deepest is not covered, and that is said", async () => {
    const at = await stage([bash("echo 2 > a; echo 2 > d/e/b", "c1"), done]);
    write(at, "a", "1");
    write(at, "d/e/b", "1");
    write(at, "d/e/c", "1");
    const { result, text } = await ran(at, { files: { maxEntries: 3 } });
    expect(text()).toContain("[undo does not cover: d/e (more files than are looked at)]");
    expect([result.coverage, result.files.map(({ path }) => path)]).toEqual(["partial", [join(at.root, "a")]]);
  });

  test("the session's limit of bytes, and 0 as a switch", async () => {
    const at = await stage([bash("echo x > a"), done]);
    write(at, "a", "content");
    const { result, text } = await ran(at, { files: { maxSessionBytes: 0 } });
    expect([result.coverage, text()]).toEqual(["partial", expect.stringContaining("limit of kept bytes")]);
  });

  test("small ignored files are covered, also in an ignored directory; links out of the project are not followed", async () => {
    const at = await stage([bash("rm -rf dist .env out; rm -f secret/*"), done]);
    write(at, ".gitignore", "dist/\n.env\n");
    write(at, "dist/deep/a.js", "a");
    write(at, ".env", "K=1");
    const outside = join(at.root, "..", "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "f"), "f");
    symlinkSync(outside, join(at.root, "out"));
    const before = treeOf(at.root);
    const { result } = await ran(at);
    expect(result.coverage).toBe("full");
    await undo(at);
    expect(treeOf(at.root)).toEqual(before);
    expect(readFileSync(join(outside, "f"), "utf8")).toBe("f");
  });
});

describe("git", () => {
  test("index, objects, hooks and refs of the user are not touched by runs and undos", async () => {
    const at = await stage([bash("rm a.txt; echo n > n.txt"), done]);
    execFileSync("git", ["init", "-q"], { cwd: at.root });
    write(at, "a.txt", "a\n");
    execFileSync("git", ["add", "-A"], { cwd: at.root });
    for (const hook of ["post-checkout", "post-index-change", "pre-commit"]) {
      writeFileSync(join(at.root, ".git/hooks", hook), `#!/bin/sh\ntouch "${at.root}/../hook-ran"\n`, { mode: 0o755 });
    }
    const git = () => [...treeOf(join(at.root, ".git"), []), String(statSync(join(at.root, ".git/index")).mtimeMs)];
    const before = git();
    await ran(at);
    await undo(at);
    expect(git()).toEqual(before);
    expect(existsSync(join(at.root, "..", "hook-ran"))).toBe(false);
  });
});

describe("the store", () => {
  test("the second session reads time stamps, and keeps no content twice", async () => {
    const at = await stage([bash("touch ."), done, bash("echo 2 > a0", "c2"), done]);
    for (let i = 0; i < 30; i++) write(at, `a${i}`, `content ${i}`);
    await ran(at);
    const packs = join(at.home, "checkpoints/objects/packs");
    const first = readdirSync(packs);
    const { result } = await ran(at);
    expect(readdirSync(packs)).toEqual(first);
    expect(result.files).toEqual([{ path: join(at.root, "a0"), before: sha256("content 0"), after: sha256("2\n") }]);
    await undo(at);
    expect(readFileSync(join(at.root, "a0"), "utf8")).toBe("content 0");
  });

  test("same size, same moment: a change right after another is seen", async () => {
    const at = await stage([...Array.from({ length: 8 }, (_, i) => bash(`printf ${i} > f`, `c${i}`)), done]);
    write(at, "f", "x");
    const { result } = await ran(at);
    expect(result.files).toEqual([{ path: join(at.root, "f"), before: sha256("x"), after: sha256("7") }]);
    for (let i = 0; i < 8; i++) expect(at.events.some((e) => e.type === "call.end" && e.call === `c${i}`)).toBe(true);
  });
});
