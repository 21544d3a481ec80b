import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
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
  test("full: a typed error, nothing half-written, and usable again", async () => {
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

  test("a log that was deleted while in use is an error at the barrier", async () => {
    const log = create();
    await log.sync();
    unlinkSync(log.file);
    log.append("message", user("a"));
    await expect(log.sync()).rejects.toThrow(/cannot be written: .* was deleted/);
    expect(() => log.append("message", user("b"))).toThrow(/was deleted/);
    await log.close();
  });

  test("files are 0600 and directories 0700 under any umask", async () => {
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

  test("a directory that cannot be written is one sentence, before anything else", () => {
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
