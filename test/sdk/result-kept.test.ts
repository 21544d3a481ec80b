// The last answer is paid for: whatever the disk does from then on, the run ends with it and with its exit code, and what
// could not be saved is a notice. Before that, nothing with an effect runs that is not in the log.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Fs } from "../../src/lib/fs.js";
import { type Fault, faultyDisk } from "../support/faulty-disk.js";
import { resultText, type Stage, stage } from "../support/stage.js";
import type { WireReply } from "../support/wire/anthropic.js";

const answer = { text: "the answer" };
const write = { id: "w", name: "write_file", input: { path: "a.txt", content: "a\n" } };
const remove = { id: "d", name: "delete_file", input: { path: "old.txt" } };
const run = { id: "c", name: "run_command", input: { command: "echo b > b.txt" } };

interface Tried {
  set: Stage;
  /** Calls of the file system after the last answer had come. */
  after: number;
  failed: string | undefined;
}

/** A run whose disk fails at the n-th call after its last answer has come; closing may fail, but not the run. */
async function attempt(at: number, how: Pick<Fault, "code" | "forever">): Promise<Tried> {
  const fault: Fault = { at: 0, ...how };
  const { disk, calls, failed } = faultyDisk(fault);
  const script: WireReply[] = [{ calls: [write] }, { calls: [run] }, { calls: [remove] }, answer];
  let from = 0;
  const set: Stage = await stage(() => {
    const turn = set.server.requests.length;
    if (turn === script.length) {
      from = calls();
      fault.at = at === 0 ? 0 : from + at;
    }
    return script[turn - 1] ?? answer;
  });
  writeFileSync(join(set.root, "old.txt"), "old\n");
  const session = await set.open({ fs: disk });
  const result = await session.send("go");
  expect(result, `call ${at}, ${failed()}`).toMatchObject({
    subtype: "success",
    exit_code: 0,
    result: "the answer",
    num_turns: 4,
  });
  await session.close().catch((error: unknown) => expect(String(error)).toContain(how.code));
  const seen = { set, after: calls() - from, failed: failed() };
  fault.at = 0;
  return seen;
}

describe("after the last answer", () => {
  it.each([
    ["ENOSPC", true],
    ["EROFS", true],
    ["EIO", false],
  ])("%s, from any call on: the result is the answer (for good: %s)", { timeout: 240_000 }, async (code, forever) => {
    const { after } = await attempt(0, { code, forever });
    expect(after).toBeGreaterThan(10);
    for (let at = 1; at <= after; at += forever ? 3 : 1) await attempt(at, { code, forever });
  });

  it("what could not be saved is a notice that says why and what to do", async () => {
    const { set } = await attempt(1, { code: "ENOSPC", forever: true });
    const notices = set.events.flatMap((event) => (event.type === "notice" ? [event.text] : []));
    expect(notices.join("\n")).toMatch(/The result is complete, but not everything could be saved: .*ENOSPC/);
  });
});

describe("before the last answer", () => {
  /** A disk on which nothing can be written as long as `full.is`. */
  function fillable(): { disk: Fs; full: { is: boolean } } {
    const full = { is: false };
    const writes = new Set(["writeSync", "mkdirSync"]);
    const { disk: real } = faultyDisk({ at: 0, code: "" });
    const disk = new Proxy(real, {
      get(target, name: keyof Fs) {
        if (!full.is || !writes.has(name)) return target[name];
        return () => {
          throw Object.assign(new Error(`ENOSPC: no space left on device, ${name}`), { code: "ENOSPC" });
        };
      },
    });
    return { disk, full };
  }

  it.each([
    ["a command", run, "b.txt"],
    ["a write", write, "a.txt"],
  ])("on a full disk %s does not run, and the result says why", async (_, call, file) => {
    const { disk, full } = fillable();
    const set: Stage = await stage(() => {
      const turn = set.server.requests.length;
      full.is = turn === 1;
      return turn === 1 ? { calls: [call] } : answer;
    });
    const session = await set.open({ fs: disk });
    const result = await session.send("go");
    expect(existsSync(join(set.root, file))).toBe(false);
    expect(result).toMatchObject({ subtype: "error_during_execution", exit_code: 1 });
    expect(result.detail).toMatch(/ENOSPC.*Free some space/);
  });

  it("what could not be opened on a full disk is opened once there is room again", async () => {
    const { disk, full } = fillable();
    const again = { ...run, id: "again" };
    const set: Stage = await stage(
      () => [{ calls: [run] }, { calls: [again] }][set.server.requests.length - 1] ?? answer,
    );
    const session = await set.open({
      fs: new Proxy(disk, {
        get(target, name: keyof Fs) {
          // Directories of running harnesses, of journals: whatever is made for the first command.
          if (name !== "mkdirSync") return target[name];
          return (path: string, options: object) => {
            if (set.server.requests.length === 1) full.is = true;
            try {
              return target.mkdirSync(path, options);
            } finally {
              full.is = false;
            }
          };
        },
      }),
    });
    expect(await session.send("go")).toMatchObject({ subtype: "success", exit_code: 0 });
    expect(resultText(set.bodies()[1], "c")).toMatch(/was not run: no space left on the disk/);
    expect(readFileSync(join(set.root, "b.txt"), "utf8")).toBe("b\n");
  });

  it("a command whose project cannot be kept first is not run, and the model reads that", async () => {
    const set: Stage = await stage([{ calls: [run] }, answer]);
    const objects = join(set.home, "checkpoints");
    const { disk: real } = faultyDisk({ at: 0, code: "" });
    const disk = new Proxy(real, {
      get(target, name: keyof Fs) {
        if (name !== "openSync") return target[name];
        return (path: string, ...rest: unknown[]) => {
          if (path.startsWith(objects) && rest[0] !== "r") {
            throw Object.assign(new Error("ENOSPC: no space left on device, open"), { code: "ENOSPC" });
          }
          return (target.openSync as (...args: unknown[]) => number)(path, ...rest);
        };
      },
    });
    writeFileSync(join(set.root, "old.txt"), "old\n");
    const result = await (await set.open({ fs: disk })).send("go");
    expect(resultText(set.bodies()[1], "c")).toMatch(
      /was not run: no space left on the disk \(ENOSPC\). Nothing was done/,
    );
    expect(existsSync(join(set.root, "b.txt"))).toBe(false);
    expect(result).toMatchObject({ subtype: "success", result: "the answer" });
    expect(readFileSync(join(set.root, "old.txt"), "utf8")).toBe("old\n");
  });
});
