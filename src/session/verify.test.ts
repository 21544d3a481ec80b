import {
  appendFileSync,
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { sessions, user } from "../../test/support/session-log.js";
import { nodeFs } from "../lib/fs.js";
import { verifySession } from "./verify.js";

let { dir, ports, create, open } = sessions();

beforeEach(() => {
  ({ dir, ports, create, open } = sessions());
});

const verify = (file: string) => verifySession(nodeFs, file, ports.spillDir);

async function talk(...said: string[]): Promise<string> {
  const log = create();
  for (const text of said) log.append("message", user(text));
  await log.close();
  return log.file;
}

test("a session that is well is counted, and nothing is changed", async () => {
  const long = "x".repeat(70_000);
  const file = await talk("a", long, long);
  const before = [readdirSync(dir), statSync(file).mtimeMs];
  expect(verify(file)).toMatchObject({ lines: 4, entries: 4, cut: 0, path: 3, spills: 1, inUse: null, problems: [] });
  expect([readdirSync(dir), statSync(file).mtimeMs]).toEqual(before);
});

test("damage has its line, its byte, and a way on", async () => {
  const file = await talk("a", "b", "c");
  const text = readFileSync(file, "utf8");
  const offset = text.indexOf("\n", text.indexOf('"a"')) + 1;
  writeFileSync(file, text.replace('"b"', '"B"'));
  const { problems, cut, path, entries } = verify(file);
  expect(problems).toMatchObject([
    { kind: "line", line: 2, offset, text: expect.stringContaining(`line 3 (byte ${offset})`) },
    { kind: "cut", fix: expect.stringContaining("goes on from the last entry before the damage") },
  ]);
  expect({ cut, path, entries }).toEqual({ cut: 1, path: 1, entries: 3 });
  expect(readFileSync(file, "utf8")).toContain('"B"');
});

test("a tail is named when nobody writes, and is no fault while somebody does", async () => {
  const file = await talk("a");
  const bytes = statSync(file).size;
  appendFileSync(file, '{"v":1');
  expect(verify(file).problems).toMatchObject([{ kind: "torn", line: 2, offset: bytes }]);
  appendFileSync(file, Buffer.alloc(9));
  expect(verify(file).problems).toMatchObject([{ kind: "nul" }]);
  const log = open(file);
  appendFileSync(file, '{"v":1');
  expect(verify(file)).toMatchObject({
    problems: [],
    inUse: { pid: process.pid },
    aside: [expect.stringMatching(/torn-1$/)],
  });
  await log.close();
});

test("long texts that are missing or changed are named with the line that needs them", async () => {
  const file = await talk("x".repeat(70_000), "y".repeat(70_000), "x".repeat(70_000));
  const [one = "", two = ""] = readdirSync(ports.spillDir).map((name) => join(ports.spillDir, name));
  rmSync(one);
  writeFileSync(two, "changed");
  const { problems, spills } = verify(file);
  expect(spills).toBe(2);
  expect(problems.map(({ kind, line }) => [kind, line])).toEqual([1, 2, 3].map((line) => ["spill", line]));
  expect(problems.map(({ text }) => text).join()).toMatch(/is missing/);
  expect(problems.map(({ text }) => text).join()).toMatch(/has been changed/);
});

test("data that only looks like a reference is none", async () => {
  const log = create();
  const fake = { spill: `sha256:${"0".repeat(64)}`, bytes: 1, head: "" };
  log.append("note", { code: "x", text: `"spill":"sha256:${"0".repeat(64)}"`, data: fake });
  await log.close();
  expect(verify(log.file)).toMatchObject({ spills: 0, problems: [] });
});

test("readable by others, once not synced, empty, a link, not ours: each is a sentence", async () => {
  const file = await talk("a");
  chmodSync(file, 0o644);
  writeFileSync(file.replace(".jsonl", ".unsynced"), "");
  const { problems } = verify(file);
  expect(problems.map(({ kind }) => kind)).toEqual(["disk", "mode"]);
  expect(problems[1]?.fix).toBe(`Make it private: chmod 600 ${file}`);
  const other = join(dir, "other.jsonl");
  for (const [content, text] of [
    ["", "is empty"],
    ["hello\n", "is not a session log"],
    ['{"v":1,"seq":0', "ends in the middle of its first line"],
    ['{"v":9,"x":"y"}\n', "newer version"],
  ] as const) {
    writeFileSync(other, content, { mode: 0o600 });
    expect(verify(other).problems, content).toMatchObject([{ kind: "file", text: expect.stringContaining(text) }]);
  }
  rmSync(other);
  symlinkSync(file, other);
  expect(verify(other).problems).toMatchObject([{ kind: "file", text: expect.stringContaining("ELOOP") }]);
  expect(existsSync(file.replace(".jsonl", ".unsynced"))).toBe(true);
});
