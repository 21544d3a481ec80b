import { existsSync, mkdtempSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { nodeFs } from "./fs.js";

it("makes directories with their parents, and again without complaint", () => {
  const base = mkdtempSync(join(tmpdir(), "fs-"));
  const deep = join(base, "a/b/c");
  expect(nodeFs.mkdirSync(deep, { recursive: true, mode: 0o700 })).toBe(join(base, "a"));
  expect(statSync(join(base, "a/b")).mode & 0o777).toBe(0o700);
  expect(nodeFs.mkdirSync(deep, { recursive: true })).toBeUndefined();
});

it("says why a directory cannot be made", () => {
  const base = mkdtempSync(join(tmpdir(), "fs-"));
  writeFileSync(join(base, "file"), "");
  expect(() => nodeFs.mkdirSync(join(base, "file/x"), { recursive: true })).toThrow(/ENOTDIR/);
  expect(() => nodeFs.mkdirSync(join(base, "file"), { recursive: true })).toThrow(/EEXIST/);
});

it.runIf(existsSync("/proc/self"))("returns where the system refuses a name below an existing directory", () => {
  expect(() => nodeFs.mkdirSync("/proc/nothing/here", { recursive: true })).toThrow(/ENOENT/);
});
