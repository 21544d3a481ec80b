import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import type { EntryData } from "../core/entry.js";
import type { Json, JsonObject } from "../core/json.js";
import { type Fs, nodeFs } from "../lib/fs.js";
import { chainHash } from "../lib/jsonl.js";
import { systemClock, systemIds } from "../lib/system.js";
import { SessionLog, type SessionPorts } from "./log.js";

const header: EntryData["header"] = {
  format: "cinch-session",
  project: "p-00000000",
  root: "/p",
  created: "2026-01-01",
};
let base: string;
let dir: string;
let ports: SessionPorts;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "session-"));
  dir = join(base, "sessions", "p");
  ports = { spillDir: join(base, "spill"), disk: nodeFs, clock: systemClock, ids: systemIds };
});

const create = (changes: Partial<SessionPorts> = {}) => SessionLog.create({ ...ports, ...changes, dir, header });
const open = (file: string, changes: Partial<SessionPorts> = {}) => SessionLog.open({ ...ports, ...changes, file });
const user = (text: string): EntryData["message"] => ({ role: "user", parts: [{ type: "text", text }] });
const texts = (log: SessionLog) =>
  log
    .path()
    .map((entry) => (entry.type === "message" && entry.data.parts[0]?.type === "text" ? entry.data.parts[0].text : ""));

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

describe("appending", () => {
  test("path types move the head, others hang on it", async () => {
    const log = create();
    const first = log.append("message", user("a"));
    const note = log.append("note", { code: "x", text: "y" });
    const second = log.append("message", user("b"));
    expect([first.parent, note.parent, second.parent]).toEqual([null, first.id, first.id]);
    expect(log.head).toBe(second.id);
    expect(log.path()).toEqual([first, second]);
    expect(log.attached("note")).toEqual([note]);
    await log.close();
  });

  test("several in one write: each hangs on the head that the ones before made", async () => {
    let writes = 0;
    const writeSync = ((...all: Parameters<Fs["writeSync"]>) => {
      writes++;
      return nodeFs.writeSync(...all);
    }) as Fs["writeSync"];
    const log = create({ disk: { ...nodeFs, writeSync } });
    const asked = log.append("message", user("a"));
    writes = 0;
    const [outcome, result] = log.appendAll([
      { type: "outcome", data: { call: "c", tool: "t", status: "ok", files: [] } },
      { type: "message", data: { role: "tool", parts: [] } },
    ]);
    expect(writes).toBe(1);
    expect([outcome?.parent, result?.parent]).toEqual([asked.id, asked.id]);
    await log.close();
  });

  test("the path is one growing array until the head moves elsewhere", async () => {
    const log = create();
    const path = log.path();
    const a = log.append("message", user("a"));
    const b = log.append("message", user("b"));
    expect(log.path()).toBe(path);
    expect(path).toEqual([a, b]);
    log.append("head", { target: a.id });
    expect(log.path()).toEqual([a]);
    const c = log.append("message", user("c"));
    expect(c.parent).toBe(a.id);
    const d = log.append("message", user("d"), b.id);
    expect(log.path()).toEqual([a, b, d]);
    log.append("head", { target: null });
    expect([log.path(), log.head]).toEqual([[], null]);
    log.append("head", { target: c.id });
    await log.close();
    const again = open(log.file);
    expect(again.path()).toEqual([a, c]);
    expect(again.entry(d.id)).toEqual(d);
    expect(again.tree.head?.id).toBe(c.id);
    await again.close();
  });

  test("what hangs on another branch is not attached to this one", async () => {
    const log = create();
    const a = log.append("message", user("a"));
    const b = log.append("message", user("b"));
    const intent = { call: "1", tool: "t", input: {}, digest: "", paths: [], effect: "write" } as const;
    const begun = log.append("intent", { ...intent, paths: [] });
    log.append("outcome", { call: "1", tool: "t", status: "ok", files: [] }, begun.id);
    expect([log.attached("intent").length, log.attached("outcome").length]).toEqual([1, 1]);
    log.append("head", { target: a.id });
    expect([log.attached("intent").length, log.attached("outcome").length]).toEqual([0, 0]);
    log.append("head", { target: b.id });
    expect([log.attached("intent").length, log.attached("outcome").length]).toEqual([1, 1]);
    await log.close();
  });

  test("an unknown parent or target is a bug, and nothing is written", async () => {
    const log = create();
    const size = statSync(log.file).size;
    expect(() => log.append("message", user("a"), "nobody")).toThrow(/no entry nobody/);
    expect(() => log.append("head", { target: "nobody" })).toThrow(/no entry nobody/);
    expect(() => log.append("note", { code: "x", text: "y", data: { n: 1n as unknown as Json } })).toThrow(TypeError);
    expect(statSync(log.file).size).toBe(size);
    await log.close();
  });

  test("an id prefix finds its entry; an ambiguous one lists the candidates", async () => {
    let n = 0;
    const log = create({ ids: { next: () => `aaaa0000000${n++}` } });
    const a = log.append("message", user("a"));
    expect(log.entry("aaaa00000002")).toBe(a);
    expect(log.entry("zzzz")).toBeUndefined();
    expect(() => log.entry("aaaa")).toThrow(/aaaa00000001 \(header\), aaaa00000002 \(message\)/);
    await log.close();
  });

  test("times may jump: order is that of the file", async () => {
    const times = [5, 4, 9e12, -1, 3];
    const log = create({ clock: { ...systemClock, now: () => times.shift() ?? 0 } });
    for (const text of "abcd") log.append("message", user(text));
    await log.close();
    const again = open(log.file);
    expect(texts(again)).toEqual([..."abcd"]);
    await again.close();
  });
});

const hostile = [
  "",
  "\n",
  "\r\n",
  "\u2028\u2029",
  "\ud800",
  "a\udc00b",
  "\0",
  "\u007f",
  "é😀",
  '"},"h":"0"}',
  'spill":',
];
const hostileText = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom(...hostile));
const hostileJson = fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    hostileText,
    fc.double(),
    fc.constantFrom(-0, true, null),
    fc.array(tie("value"), { maxLength: 4 }),
    tie("object"),
  ),
  object: fc
    .array(
      fc.tuple(fc.oneof(hostileText, fc.constantFrom("__proto__", "spill", "~spill", "h", "data")), tie("value")),
      {
        maxLength: 5,
      },
    )
    .map((members) => Object.fromEntries(members) as JsonObject),
})).object;

describe("reading back", () => {
  test("gives what was written, whatever it was", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(hostileJson, { maxLength: 5 }), async (items) => {
        const log = create();
        const notes = items.map((data) => log.append("note", { code: "x", text: "\ud800\n", data }));
        await log.close();
        const bytes = readFileSync(log.file, "latin1");
        expect(bytes).toMatch(/^[\n\x20-\x7e]*$/);
        const again = open(log.file);
        expect(again.repairs).toEqual([]);
        expect(again.attached("note")).toEqual(JSON.parse(JSON.stringify(notes)));
        await again.close();
      }),
      { numRuns: 60 },
    );
  });

  test("long strings live in files of their own and come back whole", async () => {
    const values = ["x".repeat(70_000), "é".repeat(40_000), `${"😀".repeat(30_000)}\ud800`, "y".repeat(65_536)];
    const data = { values, fake: { spill: `sha256:${"0".repeat(64)}`, bytes: 1, head: "" } };
    const log = create();
    log.append("note", { code: "x", text: "", data });
    log.append("message", user(values[0] ?? ""));
    await log.close();
    expect(readdirSync(ports.spillDir)).toHaveLength(3);
    expect(statSync(log.file).size).toBeLessThan(80_000);
    const again = open(log.file);
    expect(again.attached("note")[0]?.data.data).toEqual(data);
    expect(texts(again)).toEqual([values[0]]);
    await again.close();
    for (const name of readdirSync(ports.spillDir)) writeFileSync(join(ports.spillDir, name), "changed");
    const third = open(log.file);
    expect(texts(third)[0]).toMatch(/^x{200}\n\[the rest of this text is lost: its file has been changed\]$/);
    expect(third.repairs).toMatchObject([{ kind: "spill" }]);
    await third.close();
  });

  test("a spilled string is on the disk before the line that refers to it", async () => {
    const order: string[] = [];
    const disk: Fs = {
      ...nodeFs,
      fsyncSync: (fd) => {
        order.push("synced");
        nodeFs.fsyncSync(fd);
      },
      writeSync: ((...all: Parameters<Fs["writeSync"]>) => {
        if (String(all[1]).includes("sha256:")) order.push("line");
        return nodeFs.writeSync(...all);
      }) as Fs["writeSync"],
    };
    const log = create({ disk });
    log.append("message", user("x".repeat(70_000)));
    expect(order).toEqual(["synced", "synced", "line"]);
    await log.close();
  });
});

describe("damage", () => {
  test("every prefix of a log opens to a prefix of its entries, and the next entry is whole", async () => {
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

  test("a torn tail is moved aside and never glued to what comes next", async () => {
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

  test("a block of NULs at the end is the same as a torn tail", async () => {
    const { bytes } = await messages(2);
    await reopened(Buffer.concat([bytes, Buffer.alloc(4096)]), (log) => {
      expect(log.repairs).toMatchObject([{ kind: "nul" }]);
      expect(texts(log)).toEqual(["m0", "m1"]);
    });
  });

  test("one changed byte anywhere is noticed, and costs nothing before it", async () => {
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

  test("a bad line in the middle is loud; what does not hang on it stays in the conversation", async () => {
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
      expect(bad.repairs[0]?.text).toMatch(/^line 3 of the log does not match its checksum/);
      expect(bad.attached("note")).toMatchObject([{ data: { code: "chain", data: { lines: [2] } } }]);
    });
    // What follows a line that is gone cannot be checked, so it is not believed either.
    await reopened(withBad(2, "garbage"), (bad) => {
      expect(texts(bad)).toEqual(["a"]);
      expect(bad.repairs).toMatchObject([{ line: 2 }, { line: 3 }, { kind: "cut" }]);
      expect(bad.repairs[0]?.text).toMatch(/^line 3 of the log has no checksum/);
    });
    await reopened(withBad(3, (lines[3] ?? "").replace('"b"', '"B"')), (bad) => {
      expect(texts(bad)).toEqual(["a"]);
      expect(bad.repairs.map((repair) => repair.kind)).toEqual(["line", "cut"]);
      expect(bad.repairs[1]?.text).toMatch(/^1 entries hang/);
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

  test("an id or number that repeats under a right checksum is named", async () => {
    const { bytes } = await messages(1);
    const last = bytes.toString().trimEnd().split("\n").at(-1) ?? "";
    const body = last.slice(0, -24);
    const line = `${body},"h":"${chainHash(last.slice(-18, -2), body)}"}\n`;
    await reopened(Buffer.concat([bytes, Buffer.from(line)]), (log) => {
      expect(log.repairs.map((repair) => repair.text).join()).toMatch(/has the number 1 where 2 .*repeats the id/);
    });
  });

  test.each([
    ["empty", "", /is empty/],
    ["torn header", '{"v":1,"seq":0', /middle of its first line/],
    ["not ours", "hello\nworld\n", /not a session log/],
    ["newer, other checksum", '{"v":2,"format":"x"}\n', /newer version of Cinch \(format 2/],
  ])("a file that is %s is refused, unchanged and unlocked", (_, content, message) => {
    mkdirSync(dir, { recursive: true });
    const file = join(dir, "copy.jsonl");
    writeFileSync(file, content);
    expect(() => open(file)).toThrow(expect.objectContaining({ message: expect.stringMatching(message), exit: 1 }));
    expect(readFileSync(file, "utf8")).toBe(content);
    expect(readdirSync(dir)).toEqual(["copy.jsonl"]);
  });

  test("an intact line of a newer version is refused; only a header is an empty session", async () => {
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
