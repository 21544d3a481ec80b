import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { sessions, texts, user } from "../../test/support/session-log.js";
import type { Json, JsonObject } from "../core/json.js";
import { type Fs, nodeFs } from "../lib/fs.js";
import { systemClock } from "../lib/system.js";

let { ports, create, open } = sessions();

beforeEach(() => {
  ({ ports, create, open } = sessions());
});

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

  test("E 130: times may jump: order is that of the file", async () => {
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
  test("E 114: gives what was written, whatever it was", async () => {
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
