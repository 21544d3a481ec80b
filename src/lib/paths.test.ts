import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { makeTree, pathCases } from "../../test/support/path-cases.js";
import { tempDir } from "../../test/support/run.js";
import { nodeFs } from "./fs.js";
import { PathError, parent, printable, resolvePath, shownPath, within, withinApart } from "./paths.js";

test("the table of path cases was read", () => {
  expect(pathCases.length).toBeGreaterThan(60);
});

test.each(pathCases)("$id: $path", async (row) => {
  const tree = await makeTree(row);
  try {
    const answer = () => within(tree.root, resolvePath(nodeFs, tree.root, tree.path).path);
    if (row.expect === "error") expect(answer).toThrow(PathError);
    else if (row.tolerate === "error") expect(answer).toThrow(/ENAMETOOLONG/);
    else expect(answer()).toBe(row.inside);
  } finally {
    tree.close();
  }
});

test("agrees with the kernel wherever something exists", () => {
  const base = tempDir("cinch-walk-");
  mkdirSync(join(base, "a/b/c"), { recursive: true });
  mkdirSync(join(base, "d"));
  writeFileSync(join(base, "a/b/f"), "");
  symlinkSync("../d", join(base, "a/up"));
  symlinkSync("a/b", join(base, "l"));
  symlinkSync(join(base, "a/b/c"), join(base, "d/abs"));
  symlinkSync("..", join(base, "a/b/c/top"));
  const name = fc.constantFrom("a", "b", "c", "d", "f", "l", "up", "abs", "top", "..", ".", "", "none");
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 8 }), (names) => {
      const path = names.join("/").replace(/^\/+/, "") || ".";
      let real: string;
      try {
        real = realpathSync.native(`${base}/${path}`);
      } catch {
        return;
      }
      const found = resolvePath(nodeFs, base, path);
      expect(found).toMatchObject({ path: real, dangling: false, blockedBy: null });
      expect(found.stat).not.toBeNull();
    }),
    { numRuns: 500 },
  );
});

test("says what stands in the way", () => {
  const base = tempDir("cinch-walk-");
  writeFileSync(join(base, "f"), "");
  symlinkSync("nowhere/x", join(base, "dangling"));
  symlinkSync("loop", join(base, "loop"));
  expect(resolvePath(nodeFs, base, "f/x")).toMatchObject({ stat: null, blockedBy: `${base}/f` });
  expect(resolvePath(nodeFs, base, "dangling")).toMatchObject({ path: `${base}/nowhere/x`, dangling: true });
  expect(resolvePath(nodeFs, base, "new/deep")).toMatchObject({
    path: `${base}/new/deep`,
    dangling: false,
    stat: null,
  });
  expect(() => resolvePath(nodeFs, base, "loop")).toThrow(/too many links/);
});

test("parent, within and shown paths", () => {
  expect([parent("/a/b"), parent("/a"), parent("/")]).toEqual(["/a", "/", "/"]);
  expect([within("/a", "/a/b"), within("/a", "/ab"), within("/a", "/a"), within("/", "/x")]).toEqual([
    true,
    false,
    true,
    true,
  ]);
  expect([shownPath("/p", "/p/a b"), shownPath("/p", "/p"), shownPath("/p", "/q")]).toEqual(["a b", ".", "/q"]);
  expect(printable("a\nb\u001b[31m\u202ec")).toBe("a\\nb\\u001b[31m\\u202ec");
  expect(printable("a\u200b\u3164.ts\u{e0041}")).toBe("a\\u200b\\u3164.ts\\udb40\\udc41");
  expect(printable("👩\u200d💻 می\u200cخواهم")).toBe("👩\u200d💻 می\u200cخواهم");
});

test.each([
  ["/home/settings.json", ["/home/p"], true],
  ["/home/p/a.txt", ["/home/p"], false],
  ["/home/p", ["/home/p"], false],
  ["/home/q/a.txt", ["/home/p"], true],
  ["/home/settings.json", ["/home"], true],
  ["/elsewhere/a", ["/home/p"], false],
  ["/home/a", ["/"], true],
])("%s is in /home and not in one of %j: %s", (path, bases, found) => {
  expect(withinApart(["/home"], path, bases)).toBe(found);
});
