import { createHash } from "node:crypto";
import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { type Fs, nodeFs } from "./fs.js";
import { JsonlError, JsonlWriter } from "./jsonl.js";
import { JsonlScan, readLines, type ScannedLine } from "./jsonl-scan.js";

let dir: string;
let file: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "jsonl-"));
  file = join(dir, "a.jsonl");
});

function written(...objects: string[]): Buffer {
  const writer = JsonlWriter.create(nodeFs, file);
  for (const object of objects) writer.append([object]);
  writer.close();
  return readFileSync(file);
}

function scanned(path = file): { lines: ScannedLine[]; scan: JsonlScan } {
  const fd = nodeFs.openSync(path, "r");
  const scan = new JsonlScan(nodeFs, fd);
  const lines = [...scan];
  nodeFs.closeSync(fd);
  return { lines, scan };
}

const good = (lines: ScannedLine[]) => lines.filter((line) => line.fault === null).map((line) => line.text.slice(0, 7));

describe("the chain", () => {
  test("is sha256 over the checksum before and the line up to its own", () => {
    const [first = "", second = ""] = written('{"a":1}', '{"a":2}').toString().split("\n");
    const h = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 16);
    expect(first).toBe(`{"a":1,"h":"${h('{"a":1')}"}`);
    expect(second).toBe(`{"a":2,"h":"${h(`${h('{"a":1')}{"a":2`)}"}`);
  });

  test("shows a removed, a repeated and a swapped line, and goes on behind it", () => {
    const [a, b, c, d, e] = written('{"a":1}', '{"a":2}', '{"a":3}', '{"a":4}', '{"a":5}').toString().split("\n");
    for (const order of [
      [a, b, d, e],
      [a, b, b, c, d, e],
      [a, c, b, d, e],
    ]) {
      writeFileSync(file, `${order.join("\n")}\n`);
      const { lines } = scanned();
      expect(lines.some((line) => line.fault?.includes("checksum"))).toBe(true);
      expect(good(lines)).toContain('{"a":1,');
      expect(good(lines)).toContain('{"a":5,');
    }
  });

  test("survives damage of two neighbouring lines with nothing else lost", () => {
    const bytes = written('{"a":1}', '{"a":2}', '{"a":3}', '{"a":4}');
    const line = bytes.length / 4;
    bytes[line + 5] = 57;
    bytes[2 * line + line - 5] = bytes[3 * line - 5] === 48 ? 49 : 48;
    writeFileSync(file, bytes);
    expect(good(scanned().lines)).toEqual(['{"a":1,', '{"a":4,']);
  });
});

describe("scanning", () => {
  test("tells a torn tail from a block of NULs, and both from lines", () => {
    const bytes = written('{"a":1}');
    appendFileSync(file, '{"a":2,"h"');
    expect(scanned().scan.tail).toEqual({ kind: "torn", offset: bytes.length, length: 10 });
    writeFileSync(file, Buffer.concat([bytes, Buffer.from('{"a'), Buffer.alloc(5000)]));
    expect(scanned().scan.tail).toEqual({ kind: "nul", offset: bytes.length, length: 5003 });
    expect(scanned().lines).toHaveLength(1);
  });

  test("reads lines longer than its chunk, and names one that is too long to hold", () => {
    const long = `{"a":"${"x".repeat(700_000)}"}`;
    const bytes = written('{"a":1}', long, '{"a":2}');
    expect(scanned().lines.map((line) => line.fault)).toEqual([null, null, null]);
    writeFileSync(file, Buffer.concat([Buffer.alloc(65 * 1024 * 1024, "x"), Buffer.from("\n"), bytes]));
    const { lines, scan } = scanned();
    expect(lines[0]?.fault).toMatch(/longer than/);
    expect(lines.slice(1).map((line) => line.fault)).toEqual([null, null, null]);
    expect(scan.end).toBe(statSync(file).size);
  });

  test("readLines gives the lines at the given places", () => {
    written(...Array.from({ length: 2000 }, (_, i) => `{"a":${i},"x":"${"y".repeat(i % 700)}"}`));
    const spans = scanned().lines.filter((line) => line.line % 7 === 0);
    const fd = nodeFs.openSync(file, "r");
    expect([...readLines(nodeFs, fd, spans)]).toEqual(spans.map((line) => line.text));
    nodeFs.closeSync(fd);
  });
});

describe("appending", () => {
  test("is one write per call, and refuses to go on behind a torn tail until that is moved away", () => {
    const bytes = written('{"a":1}');
    appendFileSync(file, "torn");
    const { writer, scan } = JsonlWriter.open(nodeFs, file, () => {});
    expect(scan.tail?.length).toBe(4);
    expect(() => writer.append(['{"a":2}'])).toThrow(JsonlError);
    writer.cutTail(join(dir, "aside"));
    expect(readFileSync(join(dir, "aside"), "utf8")).toBe("torn");
    expect(readFileSync(file).equals(bytes)).toBe(true);
    writer.append(['{"a":2}', '{"a":3}']);
    writer.close();
    expect(good(scanned().lines)).toEqual(['{"a":1,', '{"a":2,', '{"a":3,']);
  });

  test("a short write is taken back, and the next one is whole", () => {
    let short = false;
    const disk = faulty({
      writeSync: ((fd: number, data: string, ...rest: never[]) =>
        short ? nodeFs.writeSync(fd, data.slice(0, 9)) : nodeFs.writeSync(fd, data, ...rest)) as Fs["writeSync"],
    });
    const writer = JsonlWriter.create(disk, file);
    writer.append(['{"a":1}']);
    const before = readFileSync(file);
    short = true;
    expect(() => writer.append(['{"a":2}'])).toThrow(expect.objectContaining({ kind: "full" }));
    expect(readFileSync(file).equals(before)).toBe(true);
    short = false;
    writer.append(['{"a":3}']);
    writer.close();
    expect(good(scanned().lines)).toEqual(['{"a":1,', '{"a":3,']);
  });

  test("when even taking back fails, nothing is appended any more", () => {
    const disk = faulty({
      writeSync: ((fd: number, data: string) => nodeFs.writeSync(fd, data.slice(0, 9))) as Fs["writeSync"],
      ftruncateSync: () => fail("EIO"),
    });
    const writer = JsonlWriter.create(disk, file);
    expect(() => writer.append(['{"a":1}'])).toThrow(JsonlError);
    expect(() => writer.append(['{"a":2}'])).toThrow(/taken back/);
    expect(statSync(file).size).toBe(9);
  });
});

describe("syncing", () => {
  function counting() {
    const calls: number[] = [];
    const disk = faulty({
      fsync: ((fd: number, done: (error: Error | null) => void) => {
        calls.push(fd);
        nodeFs.fsync(fd, done);
      }) as Fs["fsync"],
    });
    return { calls, disk };
  }

  test("syncs the file, the directory of a new file once, and nothing when nothing was written", async () => {
    const { calls, disk } = counting();
    const writer = JsonlWriter.create(disk, file);
    writer.append(['{"a":1}']);
    await writer.sync();
    expect(calls).toHaveLength(3);
    await writer.sync();
    expect(calls).toHaveLength(3);
    writer.append(['{"a":2}']);
    await Promise.all([writer.sync(), writer.sync()]);
    expect(calls).toHaveLength(4);
    writer.close();
  });

  test("after EIO it refuses everything, for good", async () => {
    let broken = true;
    const disk = faulty({
      fsync: ((fd: number, done: (error: Error | null) => void) =>
        broken ? done(errorOf("EIO")) : nodeFs.fsync(fd, done)) as Fs["fsync"],
    });
    const writer = JsonlWriter.create(disk, file);
    writer.append(['{"a":1}']);
    await expect(writer.sync()).rejects.toThrow(/did not keep/);
    broken = false;
    expect(() => writer.append(['{"a":2}'])).toThrow(/did not keep/);
    await expect(writer.sync()).rejects.toThrow(/did not keep/);
    expect(good(scanned().lines)).toEqual(['{"a":1,']);
  });

  test.each([
    ["deleted", () => unlinkSync(file)],
    [
      "replaced",
      () => {
        renameSync(file, `${file}.old`);
        writeFileSync(file, readFileSync(`${file}.old`));
      },
    ],
    ["cut", () => truncateSync(file, 5)],
    ["written to", () => appendFileSync(file, "x")],
  ])("a file that was %s meanwhile is an error at the barrier", async (word, harm) => {
    const writer = JsonlWriter.create(nodeFs, file);
    writer.append(['{"a":1}']);
    await writer.sync();
    harm();
    writer.append(['{"a":2}']);
    await expect(writer.sync()).rejects.toThrow(word);
    expect(() => writer.append(['{"a":3}'])).toThrow(expect.objectContaining({ kind: "changed" }));
  });
});

function faulty(changes: Partial<Fs>): Fs {
  return { ...nodeFs, ...changes };
}

function errorOf(code: string): Error {
  return Object.assign(new Error(`${code}: injected`), { code });
}

function fail(code: string): never {
  throw errorOf(code);
}
