import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { faultyDisk } from "../../test/support/faulty-disk.js";
import { tempDir } from "../../test/support/run.js";
import { createFile, replaceFile, sweepTemps, syncDirectory } from "./atomic-file.js";
import { nodeFs } from "./fs.js";
import { thisLife } from "./life.js";
import { isTempName, tempName } from "./temp-name.js";

const directory = () => tempDir("cinch-atomic-");

test("replaces content, gives the mode, leaves nothing behind", async () => {
  const path = join(directory(), "f");
  writeFileSync(path, "old");
  await replaceFile(nodeFs, path, "new", { mode: 0o4750 });
  expect(readFileSync(path, "utf8")).toBe("new");
  expect(statSync(path).mode & 0o7777).toBe(0o750);
  expect(readdirSync(join(path, ".."))).toEqual(["f"]);
  await syncDirectory(nodeFs, join(path, ".."));
});

test("creating fails when the name is taken, also by a link to nothing", async () => {
  const folder = directory();
  writeFileSync(join(folder, "f"), "old");
  symlinkSync("nothing", join(folder, "link"));
  await expect(createFile(nodeFs, join(folder, "f"), "new")).rejects.toMatchObject({ code: "EEXIST" });
  await expect(createFile(nodeFs, join(folder, "link"), "new")).rejects.toMatchObject({ code: "EEXIST" });
  expect(readFileSync(join(folder, "f"), "utf8")).toBe("old");
  expect(readdirSync(folder).sort()).toEqual(["f", "link"]);
});

test("creates where the disk has no hard links", async () => {
  const path = join(directory(), "f");
  const disk = { ...nodeFs, linkSync: () => fail("ENOTSUP") };
  await createFile(disk, path, "new");
  expect(readFileSync(path, "utf8")).toBe("new");
  await expect(createFile(disk, path, "other")).rejects.toMatchObject({ code: "EEXIST" });
  expect(readdirSync(join(path, ".."))).toEqual(["f"]);
});

function fail(code: string): never {
  throw Object.assign(new Error(code), { code });
}

test("verify stops the write at the last moment", async () => {
  const path = join(directory(), "f");
  await expect(replaceFile(nodeFs, path, "x", { verify: () => fail("NO") })).rejects.toMatchObject({ code: "NO" });
  expect(readdirSync(join(path, ".."))).toEqual([]);
});

test.each(["replace", "create"] as const)(
  "%s: a fault at any call leaves old or new, never a part, and no temp file",
  async (how) => {
    const write = how === "replace" ? replaceFile : createFile;
    let at = 0;
    for (let ok = false; !ok; ) {
      const path = join(directory(), "f");
      if (how === "replace") writeFileSync(path, "old");
      const { disk, failed } = faultyDisk({ at: ++at, code: "ENOSPC" });
      ok = await write(disk, path, "the new content").then(
        () => failed() === undefined,
        () => false,
      );
      const names = readdirSync(join(path, ".."));
      const allowed = how === "replace" ? ["old", "the new content"] : [undefined, "the new content"];
      expect(allowed).toContain(names.includes("f") ? readFileSync(path, "utf8") : undefined);
      if (failed() !== "unlinkSync") expect(names.filter(isTempName)).toEqual([]);
    }
    expect(at).toBeGreaterThan(4);
  },
);

test("74: the sweep removes what dead processes left, and nothing else", async () => {
  const at = directory();
  const us = thisLife(nodeFs);
  const child = spawn(process.execPath, ["-e", "0"], { stdio: "ignore" });
  await once(child, "exit");
  const names = {
    dead: tempName({ ...us, pid: child.pid ?? 0 }),
    "a number that another process has by now": tempName({ ...us, start: "1" }),
    "before a restart of the machine": tempName({ ...us, boot: "another" }),
    "of another machine, long ago": tempName({ ...us, host: "another" }),
    "of another container, long ago": tempName({ ...us, space: "another" }),
    ours: tempName(),
    "of another machine": tempName({ ...us, host: "another" }),
    "no name of ours": ".cinch-cache.tmp",
    directory: tempName({ ...us, pid: child.pid ?? 0 }),
  };
  const { directory: inner, ...files } = names;
  for (const name of Object.values(files)) writeFileSync(join(at, name), "half");
  mkdirSync(join(at, inner));
  const link = tempName({ ...us, boot: "another" });
  symlinkSync("nowhere", join(at, link));
  const longAgo = new Date(Date.now() - 25 * 60 * 60 * 1_000);
  for (const [what, name] of Object.entries(files))
    if (/long ago|ours/.test(what)) utimesSync(join(at, name), longAgo, longAgo);
  sweepTemps(nodeFs, at);
  const stay = [names.ours, names["of another machine"], names["no name of ours"], inner];
  // Without start times a living number counts as the process.
  if (us.start === null) stay.push(names["a number that another process has by now"]);
  expect(readdirSync(at).sort()).toEqual(stay.sort());
});
