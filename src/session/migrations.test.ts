// Migrations are played with a format 0 that never was: a "say" entry with a bare text, which format 1 has as a message.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { header, sessions, texts, user } from "../../test/support/session-log.js";
import { nodeFs } from "../lib/fs.js";
import { asciiJson } from "../lib/json.js";
import { chainHash } from "../lib/jsonl.js";
import { readSession } from "./index.js";
import { migrations } from "./migrations.js";

let { base, dir, create, open } = sessions();

beforeEach(() => {
  ({ base, dir, create, open } = sessions());
});

function registerZero(): void {
  migrations.set(0, (line) =>
    line.type === "say" ? { ...line, type: "message", data: user((line.data as { text: string }).text) } : line,
  );
  onTestFinished(() => void migrations.delete(0));
}

/** A file of format 0 that says these texts, the lines in `spoilt` damaged. */
function oldFile(said: readonly string[], spoilt: readonly number[] = []): string {
  const log = create();
  const file = join(dir, "old0.jsonl");
  const entries = [header, ...said.map((text) => ({ text }))];
  let previous = "";
  let lines = "";
  for (const [seq, data] of entries.entries()) {
    const [id, type] = [`entry${seq}`, seq === 0 ? "header" : "say"];
    const parent = seq < 2 ? null : `entry${seq - 1}`;
    const body = asciiJson({ v: 0, seq, id, parent, type, time: seq, data }).slice(0, -1);
    previous = chainHash(previous, body);
    lines += `${spoilt.includes(seq) ? body.replace("text", "TEXT") : body},"h":"${previous}"}\n`;
  }
  writeFileSync(file, lines);
  void log.close();
  return file;
}

test("E 126: an older session is read in memory by a reader, and nothing is changed", () => {
  registerZero();
  const file = oldFile(["one", "caf\u00e9"]);
  const before = readFileSync(file);
  const entries = [...readSession(file)].map(({ entry }) => entry);
  expect(entries.map((entry) => [entry?.v, entry?.type])).toEqual([
    [1, "header"],
    [1, "message"],
    [1, "message"],
  ]);
  expect(entries[2]).toMatchObject({ id: "entry2", parent: "entry1", data: user("caf\u00e9") });
  expect(readFileSync(file).equals(before)).toBe(true);
});

test("E 126: a writer gets a new file of this format, and the old one is kept whole", async () => {
  registerZero();
  const file = oldFile(["one", "two"]);
  const before = readFileSync(file);
  const log = open(file);
  expect(texts(log)).toEqual(["one", "two"]);
  expect(log.repairs).toMatchObject([{ kind: "format", known: false }]);
  expect(log.repairs[0]?.text).toMatch(/was of format 0 and is of format 1 now; the old file is kept as .*old0\.v0$/);
  log.append("message", user("three"));
  await log.close();
  expect(readFileSync(join(dir, "old0.v0")).equals(before)).toBe(true);
  migrations.delete(0);
  const again = open(file);
  expect([texts(again), again.repairs]).toEqual([["one", "two", "three"], []]);
  await again.close();
  expect(
    readdirSync(dir)
      .filter((name) => name.startsWith("old0"))
      .sort(),
  ).toEqual(["old0.jsonl", "old0.v0"]);
});

test("damage in an older session is named, and stays behind in the old file", async () => {
  registerZero();
  const file = oldFile(["one", "two", "three"], [2]);
  const log = open(file);
  expect(texts(log)).toEqual(["one"]);
  expect(log.repairs.map(({ kind }) => kind).sort()).toEqual(["cut", "format", "line", "order"]);
  expect(log.repairs.map(({ text }) => text).join()).toMatch(/line 3 \(byte \d+\) of the log does not match/);
  await log.close();
  expect(readFileSync(join(dir, "old0.v0"), "utf8")).toContain("TEXT");
});

test("without a migration an older session is refused, and stays as it is", () => {
  const file = oldFile(["one"]);
  const before = readFileSync(file);
  expect(() => open(file)).toThrow(expect.objectContaining({ exit: 1, message: expect.stringContaining("format 0") }));
  expect(() => [...readSession(file)]).toThrow(/a session of format 0 cannot be read/);
  expect(readFileSync(file).equals(before)).toBe(true);
});

test("a rewrite that fails half-way leaves the old session in its place", async () => {
  registerZero();
  const file = oldFile(["one"]);
  const before = readFileSync(file);
  const { ports } = sessions();
  const renameSync = () => {
    throw Object.assign(new Error("EIO: on purpose"), { code: "EIO" });
  };
  const { SessionLog } = await import("./log.js");
  expect(() => SessionLog.open({ ...ports, file, disk: { ...nodeFs, renameSync } })).toThrow(/cannot be opened: EIO/);
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(readdirSync(dir).filter((name) => name.endsWith(".new"))).toEqual([]);
  const log = open(file);
  expect(texts(log)).toEqual(["one"]);
  expect(readdirSync(base)).toContain("sessions");
  await log.close();
});
