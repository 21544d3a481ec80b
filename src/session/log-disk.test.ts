import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { header, sessions, texts, user } from "../../test/support/session-log.js";
import { type Fs, nodeFs } from "../lib/fs.js";
import { SessionLog } from "./log.js";

let { base, dir, ports, create, open } = sessions();

beforeEach(() => {
  ({ base, dir, ports, create, open } = sessions());
});

describe("the disk", () => {
  test("E 119: full: a typed error, nothing half-written, and usable again", async () => {
    let full = false;
    const writeSync = ((fd: number, data: string, ...rest: never[]) => {
      if (full) throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
      return nodeFs.writeSync(fd, data, ...rest);
    }) as Fs["writeSync"];
    const log = create({ disk: { ...nodeFs, writeSync } });
    log.append("message", user("a"));
    const before = readFileSync(log.file);
    full = true;
    const no = expect.objectContaining({
      name: "UserError",
      exit: 1,
      message: expect.stringMatching(/^the session log cannot be written: ENOSPC/),
    });
    expect(() => log.append("message", user("b"))).toThrow(no);
    expect(() => log.append("message", user("b".repeat(70_000)))).toThrow(no);
    expect(readFileSync(log.file).equals(before)).toBe(true);
    expect(readdirSync(ports.spillDir)).toEqual([]);
    full = false;
    log.append("message", user("c"));
    expect(texts(log)).toEqual(["a", "c"]);
    await log.close();
    const again = open(log.file);
    expect([texts(again), again.repairs]).toEqual([["a", "c"], []]);
    await again.close();
  });

  test.each([
    ["deleted", (file: string) => unlinkSync(file)],
    ["cut", (file: string) => truncateSync(file, 40)],
    [
      "replaced",
      (file: string) => {
        renameSync(file, `${file}.away`);
        symlinkSync(`${file}.away`, file);
      },
    ],
  ])("E 121: a log that was %s while in use is an error at the barrier", async (word, harm) => {
    const log = create();
    await log.sync();
    harm(log.file);
    log.append("message", user("a"));
    await expect(log.sync()).rejects.toThrow(new RegExp(`cannot be written: .* was ${word}`));
    expect(() => log.append("message", user("b"))).toThrow(`was ${word}`);
    await log.close();
  });

  test("E 120: after EIO at a barrier nothing more is written; the next opening goes on in a new file", async () => {
    let broken = false;
    const fsync = ((fd: number, done: (error: Error | null) => void) =>
      broken
        ? done(Object.assign(new Error("EIO: i/o error"), { code: "EIO" }))
        : nodeFs.fsync(fd, done)) as Fs["fsync"];
    const log = create({ disk: { ...nodeFs, fsync } });
    log.append("message", user("a"));
    broken = true;
    const no = expect.objectContaining({ exit: 1, fix: expect.stringContaining("written anew") });
    await expect(log.sync()).rejects.toThrow(no);
    expect(() => log.append("message", user("b"))).toThrow(/did not keep/);
    await log.close();
    const before = readFileSync(log.file);
    const inode = statSync(log.file).ino;
    const again = open(log.file);
    expect(texts(again)).toEqual(["a"]);
    expect(again.repairs).toMatchObject([{ kind: "disk", known: false }]);
    expect(again.attached("note")).toMatchObject([{ data: { code: "rewritten" } }]);
    expect(statSync(log.file).ino).not.toBe(inode);
    expect(readFileSync(join(dir, `${log.id}.failed`)).equals(before)).toBe(true);
    again.append("message", user("c"));
    await again.close();
    const third = open(log.file);
    expect([texts(third), third.repairs]).toEqual([["a", "c"], []]);
    await third.close();
    expect(readdirSync(dir).sort()).toEqual([`${log.id}.failed`, `${log.id}.jsonl`]);
  });

  test("E 120: a disk on which not even a mark can be left says so", async () => {
    const fault = () => Object.assign(new Error("EIO: i/o error"), { code: "EIO" });
    let broken = false;
    const fsync = ((fd: number, done: (error: Error | null) => void) =>
      broken ? done(fault()) : nodeFs.fsync(fd, done)) as Fs["fsync"];
    const openSync = ((...all: Parameters<Fs["openSync"]>) => {
      if (broken) throw fault();
      return nodeFs.openSync(...all);
    }) as Fs["openSync"];
    const log = create({ disk: { ...nodeFs, fsync, openSync } });
    log.append("message", user("a"));
    broken = true;
    await expect(log.sync()).rejects.toThrow(/did not keep .*; nothing can be written beside it: EIO/);
    await log.close();
  });

  test("E 129: files are 0600 and directories 0700 under any umask", async () => {
    const before = process.umask(0);
    try {
      const log = create();
      log.append("message", user("x".repeat(70_000)));
      await log.close();
      const mode = (path: string) => statSync(path).mode & 0o777;
      expect([mode(dir), mode(ports.spillDir), mode(log.file)]).toEqual([0o700, 0o700, 0o600]);
      for (const name of readdirSync(ports.spillDir)) expect(mode(join(ports.spillDir, name))).toBe(0o600);
    } finally {
      process.umask(before);
    }
  });

  test("E 122: a directory that cannot be written is one sentence, before anything else", () => {
    writeFileSync(join(base, "sessions"), "in the way");
    expect(() => create()).toThrow(
      expect.objectContaining({ exit: 1, message: expect.stringMatching(/^sessions cannot be kept in /) }),
    );
    rmSync(join(base, "sessions"));
    mkdirSync(dir, { recursive: true });
    chmodSync(dir, 0o500);
    const openSync = (() => {
      throw Object.assign(new Error("EACCES: permission denied"), { code: "EACCES" });
    }) as Fs["openSync"];
    expect(() => create({ disk: { ...nodeFs, openSync } })).toThrow(/cannot be kept in .*: EACCES/);
    chmodSync(dir, 0o700);
    expect(readdirSync(dir)).toEqual([]);
  });

  test("no second session under an id, no hostile id, no link for a log, no file that is not there", async () => {
    const log = create();
    await log.close();
    const again = () => SessionLog.create({ ...ports, dir, header, id: log.id });
    expect(again).toThrow(/there is a session .* already/);
    for (const id of ["../x", "-rf", "a\0b", "", "a/b", "."]) {
      expect(() => SessionLog.create({ ...ports, dir, header, id })).toThrow(/cannot be the id/);
    }
    symlinkSync(log.file, join(dir, "link.jsonl"));
    expect(() => open(join(dir, "link.jsonl"))).toThrow(/is a link/);
    expect(() => open(join(base, "nowhere", "x.jsonl"))).toThrow(/there is no session file/);
    expect(readdirSync(dir).sort()).toEqual([`${log.id}.jsonl`, "link.jsonl"].sort());
  });

  test("in use: the second opener is told by whom and how to go on; after closing it is free", async () => {
    const log = create();
    expect(() => open(log.file)).toThrow(
      expect.objectContaining({
        exit: 1,
        message: expect.stringContaining(`process ${process.pid}`),
        fix: expect.stringContaining("--fork"),
      }),
    );
    await log.close();
    await log.close();
    await open(log.file).close();
    expect(existsSync(log.file.replace(".jsonl", ".lock"))).toBe(false);
  });
});
