import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { header, sessions, texts, user } from "../../test/support/session-log.js";
import { chainHash } from "../lib/jsonl.js";
import type { SessionLog } from "./log.js";

let { dir, create, open } = sessions();

beforeEach(() => {
  ({ dir, create, open } = sessions());
});

/** Writes the bytes as a session, opens it, and hands both to `check`. */
async function reopened(bytes: Uint8Array, check: (log: SessionLog) => void | Promise<void>): Promise<void> {
  const file = join(dir, "copy.jsonl");
  for (const name of readdirSync(dir)) if (name.startsWith("copy.")) rmSync(join(dir, name));
  writeFileSync(file, bytes);
  const log = open(file);
  try {
    await check(log);
  } finally {
    await log.close();
  }
}

async function messages(count: number): Promise<{ bytes: Buffer; ends: number[] }> {
  const log = create();
  for (let i = 0; i < count; i++) log.append("message", user(`m${i}`));
  await log.close();
  const bytes = readFileSync(log.file);
  const ends: number[] = [];
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) ends.push(at + 1);
  return { bytes, ends };
}

describe("damage", () => {
  test("E 131: every prefix of a log opens to a prefix of its entries, and the next entry is whole", async () => {
    const { bytes, ends } = await messages(4);
    for (let cut = ends[0] ?? 0; cut <= bytes.length; cut++) {
      const whole = ends.filter((end) => end <= cut).length - 1;
      await reopened(bytes.subarray(0, cut), (log) => {
        expect(texts(log)).toEqual(["m0", "m1", "m2", "m3"].slice(0, whole));
        expect(log.repairs.map((repair) => repair.kind)).toEqual(ends.includes(cut) ? [] : ["torn"]);
        log.append("message", user("next"));
      });
      await reopened(readFileSync(join(dir, "copy.jsonl")), (log) => {
        expect(log.repairs).toEqual([]);
        expect(texts(log)).toEqual([...["m0", "m1", "m2", "m3"].slice(0, whole), "next"]);
      });
    }
  });

  test("E 110: a torn tail is moved aside and never glued to what comes next", async () => {
    const { bytes } = await messages(2);
    await reopened(Buffer.concat([bytes, Buffer.from('{"v":1,"seq":3')]), async (log) => {
      expect(readFileSync(join(dir, "copy.torn-1"), "utf8")).toBe('{"v":1,"seq":3');
      expect(statSync(join(dir, "copy.torn-1")).mode & 0o777).toBe(0o600);
      expect(log.repairs).toMatchObject([{ kind: "torn", line: 3 }]);
      expect(log.attached("note")).toMatchObject([{ data: { code: "torn" } }]);
      log.append("message", user("next"));
      await log.close();
      appendFileSync(log.file, "again");
      const later = open(log.file);
      expect(readFileSync(join(dir, "copy.torn-2"), "utf8")).toBe("again");
      expect(texts(later)).toEqual(["m0", "m1", "next"]);
      await later.close();
    });
  });

  test("E 111: a block of NULs at the end is the same as a torn tail", async () => {
    const { bytes } = await messages(2);
    await reopened(Buffer.concat([bytes, Buffer.alloc(4096)]), (log) => {
      expect(log.repairs).toMatchObject([{ kind: "nul" }]);
      expect(texts(log)).toEqual(["m0", "m1"]);
    });
  });

  test("E 113: one changed byte anywhere is noticed, and costs nothing before it", async () => {
    const { bytes, ends } = await messages(3);
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
      const line = ends.findIndex((end) => at < end);
      await reopened(changed, (log) => {
        const told = log.repairs.flatMap((repair) => repair.line ?? []);
        expect(told).toEqual([line]);
        const intact = ["m0", "m1", "m2"].slice(0, Math.max(line - 1, 0));
        expect(texts(log).slice(0, intact.length)).toEqual(intact);
        log.append("message", user("next"));
      });
      await reopened(readFileSync(join(dir, "copy.jsonl")), (log) => {
        expect(log.repairs.every((repair) => repair.known)).toBe(true);
        expect(texts(log).at(-1)).toBe("next");
      });
    }
  });

  test("E 112: a bad line in the middle is loud; what does not hang on it stays in the conversation", async () => {
    const log = create();
    log.append("message", user("a"));
    log.append("note", { code: "x", text: "harmless" });
    log.append("message", user("b"));
    log.append("message", user("c"));
    await log.close();
    const lines = readFileSync(log.file, "utf8").split("\n");
    const withBad = (n: number, text: string) => Buffer.from(lines.with(n, text).join("\n"));
    await reopened(withBad(2, (lines[2] ?? "").replace("harmless", "harmful!")), (bad) => {
      expect(texts(bad)).toEqual(["a", "b", "c"]);
      expect(bad.repairs).toMatchObject([{ kind: "line", line: 2, known: false }]);
      expect(bad.repairs[0]?.text).toMatch(/^line 3 \(byte \d+\) of the log does not match its checksum/);
      expect(bad.attached("note")).toMatchObject([{ data: { code: "chain", data: { lines: [2] } } }]);
    });
    // What follows a line that is gone cannot be checked, so it is not believed either.
    await reopened(withBad(2, "garbage"), (bad) => {
      expect(texts(bad)).toEqual(["a"]);
      expect(bad.repairs).toMatchObject([{ line: 2 }, { line: 3 }, { kind: "cut" }]);
      expect(bad.repairs[0]?.text).toMatch(/^line 3 \(byte \d+\) of the log has no checksum/);
    });
    await reopened(withBad(3, (lines[3] ?? "").replace('"b"', '"B"')), (bad) => {
      expect(texts(bad)).toEqual(["a"]);
      expect(bad.repairs.map((repair) => repair.kind)).toEqual(["line", "cut"]);
      expect(bad.repairs[1]?.text).toMatch(/^1 entry hangs on what was lost, from line 5 \(byte \d+\) on/);
    });
    expect(readFileSync(join(dir, "copy.jsonl"), "utf8")).toContain('"B"');
  });

  test("a known damage is noted once, however often the session is opened", async () => {
    const { bytes, ends } = await messages(3);
    bytes[(ends[1] ?? 0) - 30] = 1;
    await reopened(bytes, () => {});
    const once = readFileSync(join(dir, "copy.jsonl"));
    await reopened(once, (log) => expect(log.repairs.every((repair) => repair.known)).toBe(true));
    expect(readFileSync(join(dir, "copy.jsonl")).equals(once)).toBe(true);
  });

  /** `bytes` with more lines behind it that are chained as they should be, whatever they say. */
  function chained(bytes: Buffer, bodies: readonly string[]): Buffer {
    let previous = bytes.toString().slice(-19, -3);
    const lines = bodies.map((body) => {
      previous = chainHash(previous, body);
      return `${body},"h":"${previous}"}\n`;
    });
    return Buffer.concat([bytes, Buffer.from(lines.join(""))]);
  }

  const bodyOf = (seq: number, id: string, parent: string) =>
    `{"v":1,"seq":${seq},"id":"${id}","parent":"${parent}","type":"message","time":1,"data":${JSON.stringify(user(id))}`;

  test.each([
    ["a repeated number", [1], "has the number 1 where 2 was expected"],
    ["a gap", [4], "has the number 4 where 2 was expected"],
    ["out of order", [3, 2], "has the number 2 where 4 was expected"],
  ])("E 115: %s under right checksums is named, and kept", async (_, numbers, text) => {
    const { bytes } = await messages(1);
    const first = /"id":"(\w+)"/.exec(bytes.toString().split("\n")[1] ?? "")?.[1] ?? "";
    const bodies = numbers.map((seq, i) => bodyOf(seq, `more${i}`, i === 0 ? first : `more${i - 1}`));
    await reopened(chained(bytes, bodies), (log) => {
      expect(log.repairs.map((repair) => repair.kind)).toEqual(numbers.map(() => "order"));
      expect(log.repairs.at(-1)?.text).toContain(`of the log ${text}; it was kept`);
      expect(texts(log)).toEqual(["m0", ...numbers.map((_, i) => `more${i}`)]);
    });
  });

  test("E 115: an id that repeats is named, and its line left out", async () => {
    const { bytes } = await messages(1);
    const body = bytes.toString().trimEnd().split("\n").at(-1)?.slice(0, -24) ?? "";
    await reopened(chained(bytes, [body]), (log) => {
      expect(log.repairs.map((repair) => repair.text).join()).toMatch(/has the number 1 where 2 .*repeats the id/);
      expect(texts(log)).toEqual(["m0"]);
    });
  });

  test.each([
    ["empty", "", /is empty/],
    ["torn header", '{"v":1,"seq":0', /middle of its first line/],
    ["not ours", "hello\nworld\n", /not a session log/],
    ["newer, other checksum", '{"v":2,"format":"x"}\n', /newer version of Cinch \(format 2/],
  ])("E 126: a file that is %s is refused, unchanged and unlocked", (_, content, message) => {
    mkdirSync(dir, { recursive: true });
    const file = join(dir, "copy.jsonl");
    writeFileSync(file, content);
    expect(() => open(file)).toThrow(expect.objectContaining({ message: expect.stringMatching(message), exit: 1 }));
    expect(readFileSync(file, "utf8")).toBe(content);
    expect(readdirSync(dir)).toEqual(["copy.jsonl"]);
  });

  test("E 126: an intact line of a newer version is refused; only a header is an empty session", async () => {
    const { bytes } = await messages(0);
    await reopened(bytes, (log) => expect([log.path(), log.head, log.header]).toEqual([[], null, header]));
    const body = bytes.toString().slice(0, -25).replace('"v":1', '"v":7');
    writeFileSync(join(dir, "copy.jsonl"), `${body},"h":"${chainHash("", body)}"}\n`);
    expect(() => open(join(dir, "copy.jsonl"))).toThrow(/newer version of Cinch \(format 7/);
  });

  test("types of a later version are kept and ignored", async () => {
    const { bytes } = await messages(1);
    const body = bytes.toString().trimEnd().split("\n").at(-1)?.slice(0, -24) ?? "";
    const other = body
      .replace('"message"', '"hologram"')
      .replace('"seq":1', '"seq":2')
      .replace(/"id":"...../, '"id":"zzzzz');
    const line = `${other},"h":"${chainHash(bytes.toString().slice(-19, -3), other)}"}\n`;
    await reopened(Buffer.concat([bytes, Buffer.from(line)]), (log) => {
      expect(log.repairs).toEqual([]);
      expect(texts(log)).toEqual(["m0"]);
      expect(log.tree.nodes).toHaveLength(3);
    });
  });
});
