// Files that were made to hurt (SECURITY §3 C, rows 59-84), through the tools and the ports under them.
// Which test proves which row stands in docs/security.md; what does not hold is in docs/files.md.

import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ModelError } from "../../src/core/errors.js";
import { createFiles } from "../../src/files/door.js";
import { SeenFiles } from "../../src/files/seen.js";
import { type Fs, nodeFs } from "../../src/lib/fs.js";
import { sha256 } from "../../src/lib/hash.js";
import { isTempName } from "../../src/lib/temp-name.js";
import { faultyDisk } from "../support/faulty-disk.js";
import { errorOf } from "../support/refusal.js";
import { tempDir } from "../support/run.js";
import { toolBench } from "../support/tools.js";

it("65: an edit cannot cut a character in half", async () => {
  const { call, refusal, text } = toolBench({ "a.txt": "x\u{1f600}y\n" });
  await call("read_file", { path: "a.txt" });
  const { message } = await refusal("edit_file", { path: "a.txt", old_string: "\ud83d", new_string: "Q" });
  expect(message).toContain("surrogate");
  expect(text("a.txt")).toBe("x\u{1f600}y\n");
});

it("60: devices are refused by kind, also in a directory that was added; without it they are outside", async () => {
  const root = tempDir("cinch-dev-");
  const added = createFiles({ root, addDirs: ["/dev"] });
  for (const path of ["/dev/zero", "/dev/tty"]) {
    expect(await errorOf(() => added.read(path, {}))).toMatchObject({ kind: "not-a-file" });
    expect(await errorOf(() => added.planAppend(path, "x"))).toMatchObject({ kind: "not-a-file" });
    expect(await errorOf(() => createFiles({ root }).read(path, {}))).toMatchObject({ kind: "outside" });
  }
  const files = createFiles({ root });
  for (const act of [() => files.locate("/proc/self/environ"), () => files.read("/proc/self/environ", {})])
    expect(await errorOf(act)).toMatchObject({ kind: "outside" });
});

it("62: twenty lines of ten gigabytes cost a few megabytes of reading", async () => {
  const root = tempDir("cinch-huge-");
  fs.writeFileSync(join(root, "big.txt"), "a line of text\n".repeat(10_000));
  fs.truncateSync(join(root, "big.txt"), 10 * 1024 ** 3);
  let bytes = 0;
  const readSync = (...args: Parameters<Fs["readSync"]>) => {
    const got = nodeFs.readSync(...args);
    bytes += got;
    return got;
  };
  const disk = { ...nodeFs, readSync: readSync as Fs["readSync"] };
  const text = await createFiles({ root, disk }).read("big.txt", { limit: 20 });
  expect(text).toMatchObject({ hash: "", more: true });
  expect(text.lines).toEqual(Array.from({ length: 20 }, () => "a line of text"));
  expect(bytes).toBeGreaterThan(0);
  expect(bytes).toBeLessThan(8 * 1024 * 1024);
});

describe("70: between the read and the edit the file", () => {
  const turns: Record<string, (path: string) => void> = {
    "is deleted": (path) => fs.rmSync(path),
    "becomes a directory": (path) => {
      fs.rmSync(path);
      fs.mkdirSync(path);
    },
    "becomes a link out of the project": (path) => {
      fs.renameSync(path, join(path, "../../outside.txt"));
      fs.symlinkSync("../outside.txt", path);
    },
  };
  it.each(Object.keys(turns))("%s: refused, planned or not", async (turn) => {
    for (const early of [true, false]) {
      const { root } = toolBench({ "a.txt": "one\n" });
      const files = createFiles({ root });
      await files.read("a.txt", {});
      const edit = () => files.planEdit("a.txt", [{ oldText: "one", newText: "two" }]);
      const plan = early ? null : await edit();
      turns[turn]?.(join(root, "a.txt"));
      expect(await errorOf(() => (plan ? files.commit(plan) : edit()))).toBeInstanceOf(ModelError);
      const outside = join(root, "../outside.txt");
      if (fs.existsSync(outside)) expect(fs.readFileSync(outside, "utf8")).toBe("one\n");
      expect(fs.readdirSync(root).filter(isTempName)).toEqual([]);
    }
  });
});

const codes = {
  EDQUOT: "quota",
  EMFILE: "too many open files",
  EROFS: "read-only",
  EACCES: "denied",
  ESTALE: "network",
};

it.each(Object.entries(codes))(
  "71, 73, 84: %s at any call of an edit is said, and the file is whole",
  async (code, why) => {
    const texts: string[] = [];
    for (let at = 1, done = false; !done; at++) {
      const { root } = toolBench({ "a.txt": "one\n" });
      const seen = new SeenFiles();
      seen.mark(join(root, "a.txt"), sha256("one\n"));
      const calm = faultyDisk({ at: 0, code });
      createFiles({ root, disk: calm.disk });
      const { disk, failed } = faultyDisk({ at: at + calm.calls(), code });
      const files = createFiles({ root, disk, seen });
      const error = await errorOf(async () =>
        files.commit(await files.planEdit("a.txt", [{ oldText: "one", newText: "two" }])),
      );
      done = failed() === undefined;
      if (error !== null) texts.push(String(error));
      expect(fs.readFileSync(join(root, "a.txt"), "utf8")).toBe(error === null ? "two\n" : "one\n");
      if (failed() !== "unlinkSync") expect(fs.readdirSync(root).filter(isTempName)).toEqual([]);
    }
    expect(texts.length).toBeGreaterThan(8);
    expect(texts.filter((text) => !(text.includes(why) && text.includes("Nothing was changed")))).toEqual([]);
  },
);

it("75: the executable bit stays, setuid and setgid never come back", async () => {
  const { at, call } = toolBench({ "a.sh": "one\n" });
  fs.chmodSync(at("a.sh"), 0o6755);
  await call("read_file", { path: "a.sh" });
  await call("edit_file", { path: "a.sh", old_string: "one", new_string: "two" });
  expect(fs.statSync(at("a.sh")).mode & 0o7777).toBe(0o755);
});

it("81: a pattern that makes others backtrack for ever is answered", async () => {
  const { call } = toolBench({ "a.txt": `${"a".repeat(50_000)}!\n` });
  expect((await call("search_text", { pattern: "^(a+)+$" })).text).toBe("(no matches)");
});
