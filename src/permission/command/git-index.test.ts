// What is read off an index, held against git: real ones, cut and changed ones.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/run.js";
import { submodulesIn } from "./git-index.js";

function repository() {
  const root = tempDir();
  const git = (...args: string[]) => execFileSync("git", ["-C", root, ...args], { encoding: "utf8", stdio: "pipe" });
  git("init", "-q");
  const put = (name: string) => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), "");
  };
  const file = join(root, ".git/index");
  /** A commit of another repository at a path, without that repository. */
  const link = (path: string) => git("update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},${path}`);
  return { root, git, put, file, link, read: () => submodulesIn(readFileSync(file)) };
}

test("the submodules of an index, among files with names of every length", () => {
  const { git, put, link, read } = repository();
  for (let n = 1; n < 40; n++) put(`${"d".repeat(n)}/${"f".repeat(n)}`);
  git("add", "-A");
  expect(read()).toEqual([]);
  for (const path of ["a", "deep/down/lib", "ä ö", "z".repeat(4_090).replace(/.{200}/g, "$&/")]) link(path);
  git("update-index", "--assume-unchanged", "d/f");
  put("later");
  git("add", "--intent-to-add", "later"); // version 3
  expect(read()).toEqual(
    git("ls-files", "-sz")
      .split("\0")
      .filter((row) => row.startsWith("160000"))
      .map((row) => row.split("\t")[1]),
  );
});

test.each([
  ["version 4", ["update-index", "--index-version", "4"]],
  ["one that is split", ["update-index", "--split-index"]],
])("%s is not understood", (_what, args) => {
  const { git, put, link, read } = repository();
  put("a");
  git("add", "-A");
  link("sub");
  git(...args);
  expect(read()).toBeNull();
});

test("what is no index is not understood", () => {
  for (const text of ["", "DIRC", "DIRC\0\0\0\u0002", "x".repeat(100)])
    expect(submodulesIn(Buffer.from(text))).toBeNull();
});

test("of a changed index nothing is overlooked that git finds in it", () => {
  const { root, git, put, link, file } = repository();
  for (const name of ["a", "bb/cc", "d".repeat(30)]) put(name);
  git("add", "-A");
  for (const path of ["lib", "mid/way"]) link(path);
  const sound = readFileSync(file);
  const change = fc.tuple(fc.nat(sound.length - 1), fc.oneof(fc.nat(255), fc.constantFrom(0, 0x0f, 0x40, 0xe0, 0xff)));
  let read = 0;
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
      const index = Buffer.from(sound);
      for (const [at, byte] of changes) index[at] = byte;
      const found = submodulesIn(index);
      if (found === null) return;
      writeFileSync(file, index);
      const { stdout } = spawnSync("git", ["-C", root, "ls-files", "-sz"], {
        encoding: "utf8",
      });
      const there = stdout.split("\0").filter((row) => row.startsWith("160000"));
      // Only the first tab parts the row: a changed byte can put one into a path.
      expect(found).toEqual(expect.arrayContaining(there.map((row) => row.slice(row.indexOf("\t") + 1))));
      read++;
    }),
    { numRuns: 300 },
  );
  expect(read).toBeGreaterThan(50);
});
