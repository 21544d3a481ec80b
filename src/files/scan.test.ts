import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../test/support/run.js";
import { type Fs, nodeFs } from "../lib/fs.js";
import { sha256 } from "../lib/hash.js";
import { systemClock } from "../lib/system.js";
import { ProjectIndex, type ScanOptions } from "./scan.js";

function project(options: Partial<ScanOptions> = {}) {
  const root = tempDir();
  const reads: string[] = [];
  const excluded: string[] = [];
  const name = (path: string) => path.slice(root.length + 1);
  const index = new ProjectIndex({
    disk: nodeFs,
    bases: [root],
    skip: [join(root, "state")],
    async take({ path }) {
      reads.push(name(path));
      return sha256(readFileSync(path));
    },
    excluded: (path, why) => excluded.push(`${name(path)} ${why}`),
    clock: systemClock,
    budget: 10_000,
    ...options,
  });
  const scan = async () => {
    reads.length = 0;
    return (await index.scan()).map(({ path, before, after }) => `${before ? (after ? "~" : "-") : "+"}${name(path)}`);
  };
  const write = (path: string, content: string) => {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), content);
  };
  return { root, reads, excluded, scan, write };
}

test("what changed since the last look, once; the data of version control and of Cinch never", async () => {
  const { root, scan, write } = project();
  for (const path of [
    "a",
    "d/b",
    ".git/config",
    "sub/.git",
    "state/log",
    "d/.cinch-1f-23-01234567-89abcdef-01234567.tmp",
  ])
    write(path, "1");
  expect(await scan()).toEqual(["+a", "+d", "+d/b", "+sub"]);
  expect(await scan()).toEqual([]);
  write("a", "2");
  rmSync(join(root, "d"), { recursive: true });
  write("e/f", "");
  chmodSync(join(root, "sub"), 0o700);
  expect(await scan()).toEqual(["~a", "-d", "-d/b", "+e", "+e/f", "~sub"]);
  expect(await scan()).toEqual([]);
});

test("a file that has stood still is not read again; one whose stamps are young is", async () => {
  let ahead = 0;
  const { reads, scan, write } = project({ clock: { now: () => Date.now() + ahead, mono: systemClock.mono } });
  write("a", "1");
  await scan();
  await scan();
  expect(reads).toEqual(["a"]);
  ahead = 1_000;
  await scan();
  await scan();
  expect(reads).toEqual([]);
});

test("a directory that cannot be listed for a while is not taken for an empty one", async () => {
  let locked = "";
  const disk = new Proxy(nodeFs, {
    get: (real, name: keyof Fs) =>
      name !== "readdirSync"
        ? real[name]
        : (path: string) => {
            if (path === locked) throw Object.assign(new Error("EACCES"), { code: "EACCES" });
            return real.readdirSync(path);
          },
  });
  const { root, excluded, scan, write } = project({ disk });
  write("d/deep/a", "1");
  await scan();
  locked = join(root, "d");
  expect([await scan(), excluded]).toEqual([[], ["d unreadable"]]);
  locked = "";
  write("d/deep/a", "2");
  expect(await scan()).toEqual(["~d/deep/a"]);
});

test("beyond its time a look leaves out what lies deepest, and never calls it deleted", async () => {
  let mono = 0;
  const { excluded, scan, write } = project({ budget: 3, clock: { now: () => Date.now(), mono: () => mono++ / 2 } });
  for (const path of ["a", "d/b", "d/e/f/g/c"]) write(path, "1");
  const first = await scan();
  expect(first).toContain("+a");
  expect(first).not.toContain("+d/e/f/g/c");
  expect(excluded.length).toBeGreaterThan(0);
  expect(excluded.every((line) => line.endsWith(" time"))).toBe(true);
  mono = 0;
  expect((await scan()).filter((line) => line.startsWith("-"))).toEqual([]);
});

test("rules are read anew when they change", async () => {
  const { excluded, scan, write } = project();
  write("keep/.gitignore", "");
  for (let i = 0; i < 1_001; i++) write(`keep/cache/${i}`, "");
  await scan();
  expect(excluded).toEqual([]);
  write("keep/.gitignore", "cache/\n");
  await scan();
  expect(await scan()).toEqual([]);
  expect(excluded).toEqual(["keep/cache tree"]);
});
