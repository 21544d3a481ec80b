// The package entry "./session", and FORMAT.md: its example is read here by a reader written from the page alone.

import { createHash } from "node:crypto";
import { appendFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { sessions, user } from "../../test/support/session-log.js";
import { pathTypes } from "../core/entry.js";
import { chainHash } from "../lib/jsonl.js";
import { readSession } from "./index.js";

let { base, create } = sessions();

beforeEach(() => {
  ({ base, create } = sessions());
});

const format = readFileSync(join(import.meta.dirname, "FORMAT.md"), "utf8");
const example = /^```jsonl example\n([\s\S]*?)^```$/m.exec(format)?.[1] ?? "";

test("the example of FORMAT.md has the checksums that the page describes, and the ones it quotes", () => {
  let previous = "";
  const lines = example.trimEnd().split("\n");
  expect(lines).toHaveLength(4);
  for (const [i, line] of lines.entries()) {
    const upTo = line.lastIndexOf(',"h"');
    const h = createHash("sha256")
      .update(previous + line.slice(0, upTo))
      .digest("hex")
      .slice(0, 16);
    expect(line.slice(upTo)).toBe(`,"h":"${h}"}`);
    if (i < 2) expect(format).toContain(`begins with \`${h}\``);
    previous = h;
  }
});

test("the example reads as the page says", () => {
  const file = join(base, "example.jsonl");
  writeFileSync(file, example);
  const lines = [...readSession(file)];
  expect(lines.map(({ problem }) => problem)).toEqual([null, null, null, null]);
  const path = lines.flatMap(({ entry }) => (entry && pathTypes.includes(entry.type) ? entry : []));
  expect(format).toContain(`The path of this file is ${path.map(({ id }) => `\`${id}\``).join(", ")};`);
  expect(path[0]?.data).toEqual({ role: "user", parts: [{ type: "text", text: "café?\n" }], origin: "user" });
});

test("every type of entry is in FORMAT.md", () => {
  const source = readFileSync(join(import.meta.dirname, "../core/entry.ts"), "utf8");
  const types = [...source.matchAll(/^ {2}(\w+): (?:\{|Message)/gm)].map(([, type]) => type);
  expect(types.length).toBeGreaterThan(12);
  expect(types.filter((type) => !new RegExp(`^\\| \`${type}\` *\\|`, "m").test(format))).toEqual([]);
});

test("reading goes on beside a writer, verifies, puts long strings back and changes nothing", async () => {
  const log = create();
  const long = log.append("message", user("x".repeat(70_000)));
  log.append("note", { code: "x", text: "bad" });
  const last = log.append("message", user("b"));
  expect([...readSession(log.file)].map(({ entry }) => entry?.id)).toContain(last.id);
  const text = readFileSync(log.file, "utf8").replace('"bad"', '"BAD"');
  const copy = join(base, "sessions", "p", "copy.jsonl");
  writeFileSync(copy, text);
  appendFileSync(copy, "torn");
  const lines = [...readSession(copy)];
  expect(lines.map(({ line, problem }) => [line, problem])).toEqual([
    [0, null],
    [1, null],
    [2, "does not match its checksum, or lines before it are missing"],
    [3, null],
    [4, "is not finished"],
  ]);
  expect([lines[1]?.entry, lines[3]?.entry]).toEqual([long, last]);
  expect(statSync(copy).size).toBe(text.length + 4);
  await log.close();
});

test("a newer version stops the reader", () => {
  const body = example.slice(0, example.indexOf(',"h"')).replace('"v":1', '"v":2');
  const file = join(base, "newer.jsonl");
  writeFileSync(file, `${body},"h":"${chainHash("", body)}"}\n`);
  expect(() => [...readSession(file)]).toThrow(/newer version of Cinch \(format 2/);
});
