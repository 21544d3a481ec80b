import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/run.js";
import { type Fs, nodeFs } from "../../lib/fs.js";
import { sha256 } from "../../lib/hash.js";
import { systemClock } from "../../lib/system.js";
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
    most: 10_000,
    ...options,
  });
  const scan = async () => {
    reads.length = 0;
    return ((await index.scan()) ?? []).map(
      ({ path, before, after }) => `${before ? (after ? "~" : "-") : "+"}${name(path)}`,
    );
  };
  const write = (path: string, content: string) => {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), content);
  };
  return { root, index, reads, excluded, scan, write };
}

/** A disk on which one directory cannot be listed. */
const unlistable = (locked: () => string) =>
  new Proxy(nodeFs, {
    get: (real, name: keyof Fs) =>
      name !== "readdirSync"
        ? real[name]
        : (path: string) => {
            if (path === locked()) throw Object.assign(new Error("EACCES"), { code: "EACCES" });
            return real.readdirSync(path);
          },
  });

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
  const disk = unlistable(() => locked);
  const { root, excluded, scan, write } = project({ disk });
  write("d/deep/a", "1");
  await scan();
  write("d/other", "");
  locked = join(root, "d");
  expect([await scan(), excluded]).toEqual([[], ["d unreadable"]]);
  locked = "";
  write("d/deep/a", "2");
  expect(await scan()).toEqual(["~d/deep/a"]);
});

test("the clock decides nothing: however long everything takes, all of it is found", async () => {
  let mono = 0;
  const { scan, write } = project({ clock: { now: () => Date.now(), mono: () => (mono += 60_000) } });
  for (const path of ["a", "d/b", "d/e/f/g/c"]) write(path, "1");
  expect(await scan()).toEqual(["+a", "+d", "+d/b", "+d/e", "+d/e/f", "+d/e/f/g", "+d/e/f/g/c"]);
  write("d/e/f/g/c", "2");
  expect(await scan()).toEqual(["~d/e/f/g/c"]);
});

test("beyond its limit of entries a look leaves out what lies deepest, the same each time, and never calls it deleted", async () => {
  const { root, excluded, index, scan, write } = project({ most: 4 });
  for (const path of ["a", "d/b", "d/e/f", "d/e/g"]) write(path, "1");
  expect([await scan(), excluded]).toEqual([["+a", "+d", "+d/b"], ["d/e count"]]);
  write("d/e/f", "2");
  expect([await scan(), excluded.length]).toEqual([[], 1]);
  expect(index.spots().map(({ path }) => path)).toEqual([join(root, "d/e")]);
  rmSync(join(root, "d/e"), { recursive: true });
  await scan();
  expect(index.gone().map(({ path }) => path)).toEqual([join(root, "d/e")]);
});

test("a scan that is stopped ends at once; the next one goes on with what it has read", async () => {
  let mono = 0;
  const clock = { now: () => Date.now() + 60_000, mono: () => (mono += 60_000) };
  const { index, reads, scan, write } = project({ clock });
  for (let i = 0; i < 9; i++) write(`${i}`, "1");
  expect(await index.scan(() => reads.length === 3)).toBeNull();
  const first = [...reads];
  await scan();
  expect([...first, ...reads].sort()).toEqual(Array.from({ length: 9 }, (_, i) => `${i}`));
});

test("what comes to be ignored goes on being looked at; what is new in it does not", async () => {
  const { root, excluded, scan, write } = project();
  write("keep/.gitignore", "");
  for (let i = 0; i < 1_001; i++) write(`keep/cache/${i}`, "");
  await scan();
  write("keep/.gitignore", "cache/\n");
  rmSync(join(root, "keep/cache/7"));
  for (let i = 0; i < 1_001; i++) write(`keep/cache/new/${i}`, "");
  write("keep/cache/8", "8");
  const changed = await scan();
  expect(changed.filter((line) => !line.includes("cache/new"))).toEqual([
    "~keep/.gitignore",
    "-keep/cache/7",
    "~keep/cache/8",
  ]);
  expect([await scan(), excluded]).toEqual([[], ["keep/cache tree"]]);
  write("keep/cache/9", "9");
  write("keep/cache/newest", "");
  expect(await scan()).toEqual(["~keep/cache/9"]);
});

test("a large ignored tree is left out, named once, and missed when it goes", async () => {
  const { root, index, excluded, scan, write } = project();
  for (let i = 0; i < 1_100; i++) write(`node_modules/m${i}/index.js`, "");
  write("sub/.git/config", "");
  expect(await scan()).toEqual(["+sub"]);
  expect([excluded, index.gone()]).toEqual([["node_modules tree"], []]);
  renameSync(join(root, "node_modules"), join(root, "elsewhere"));
  renameSync(join(root, "sub/.git"), join(root, "sub/git"));
  mkdirSync(join(root, "sub/.git"));
  await scan();
  expect(index.gone().map(({ path }) => path)).toEqual([join(root, "node_modules"), join(root, "sub/.git")].sort());
  expect(index.gone()).toEqual([]);
});

test("what could not be looked at before was there, as far as is known", async () => {
  let locked = "";
  const disk = unlistable(() => locked);
  const { root, excluded, scan, write } = project({ disk });
  write("d/old", "1");
  locked = join(root, "d");
  expect(await scan()).toEqual(["+d"]);
  locked = "";
  expect([await scan(), excluded]).toEqual([[], ["d unreadable"]]);
  write("d/old", "2");
  expect(await scan()).toEqual(["~d/old"]);
});

test("a name that is not UTF-8 is named, and missed when it goes", async () => {
  const { root, index, excluded, scan, write } = project();
  const odd = Buffer.concat([Buffer.from(`${root}/caf`), Buffer.from([0xe9])]);
  try {
    writeFileSync(odd, "");
  } catch {
    // macOS takes no such name.
    return;
  }
  write("\ufffd", "");
  expect([await scan(), excluded]).toEqual([["+\ufffd"], ["caf\\xe9 name"]]);
  rmSync(odd);
  await scan();
  expect(index.gone().map(({ path }) => path)).toEqual([join(root, "caf\\xe9")]);
});
