// Properties 1 to 4 of the log over random sessions: what is written comes back; any prefix is a prefix of the entries; any
// changed byte is noticed and costs nothing before it; what is appended after a repair is there the next time.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sessions, user } from "../../test/support/session-log.js";
import type { Entry } from "../core/entry.js";
import { readSession } from "./index.js";
import type { SessionLog } from "./log.js";

const { dir, create, open } = sessions();

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("say" as const), text: fc.string({ unit: "binary" }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("note" as const), text: fc.string({ unit: "binary" }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("back" as const), text: fc.constant("") }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("long" as const), text: fc.string({ minLength: 1 }) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function play(log: SessionLog, steps: readonly Step[]): Entry[] {
  return steps.map((step): Entry => {
    if (step.do === "say") return log.append("message", user(step.text));
    if (step.do === "note") return log.append("note", { code: "x", text: step.text });
    if (step.do === "back") return log.append("head", { target: log.path()[log.path().length >> 1]?.id ?? null });
    return log.append("message", user(step.text.repeat(70_000)));
  });
}

async function written(steps: readonly Step[]): Promise<{ bytes: Buffer; entries: Entry[]; ends: number[] }> {
  const log = create();
  const entries = play(log, steps);
  const head = log.head;
  await log.close();
  const again = open(log.file);
  expect(again.head).toBe(head);
  expect(again.repairs).toEqual([]);
  await again.close();
  const bytes = readFileSync(log.file);
  const ends = [...bytes.keys()].filter((at) => bytes[at] === 10).map((at) => at + 1);
  return {
    bytes,
    entries: [...readSession(log.file)]
      .slice(0, 1)
      .flatMap(({ entry }) => entry ?? [])
      .concat(entries),
    ends,
  };
}

function read(bytes: Uint8Array): { entries: Entry[]; problems: number[] } {
  const file = join(dir, "read.jsonl");
  writeFileSync(file, bytes);
  const lines = [...readSession(file)];
  return {
    entries: lines.flatMap(({ entry }) => entry ?? []),
    problems: lines.flatMap(({ line, problem }) => (problem === null ? [] : line)),
  };
}

/** Opens the bytes for writing, says one thing more, and expects it to be there, and nothing new to be wrong, the next time. */
async function goesOn(bytes: Uint8Array): Promise<void> {
  const file = join(dir, "open.jsonl");
  writeFileSync(file, bytes);
  const log = open(file);
  const more = log.append("message", user("more"));
  const path = structuredClone(log.path());
  await log.close();
  const again = open(file);
  expect(again.repairs.filter(({ known }) => !known)).toEqual([]);
  expect(again.path()).toEqual(path);
  expect(again.head).toBe(more.id);
  await again.close();
}

const steps = fc.array(step, { minLength: 1, maxLength: 6 });

test("1: what is written is read back, whatever it is", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (steps) => {
      const { bytes, entries } = await written(steps);
      expect(read(bytes)).toEqual({ entries: JSON.parse(JSON.stringify(entries)), problems: [] });
    }),
    { numRuns: 40 },
  );
});

test("2, 4: any prefix of the bytes is a prefix of the entries, and the log goes on from it", async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.double({ min: 0, max: 1, noNaN: true }), async (steps, where) => {
      const { bytes, entries, ends } = await written(steps);
      const [first = 0] = ends;
      const cut = first + Math.floor(where * (bytes.length - first));
      const whole = ends.filter((end) => end <= cut).length;
      expect(read(bytes.subarray(0, cut)).entries).toEqual(JSON.parse(JSON.stringify(entries.slice(0, whole))));
      await goesOn(bytes.subarray(0, cut));
    }),
    { numRuns: 60 },
  );
});

test("3, 4: any changed byte is noticed, costs nothing before it, and the log goes on", async () => {
  await fc.assert(
    fc.asyncProperty(
      steps,
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.integer({ min: 1, max: 255 }),
      async (steps, where, by) => {
        const { bytes, entries, ends } = await written(steps);
        const at = Math.min(Math.floor(where * bytes.length), bytes.length - 1);
        bytes[at] = (bytes[at] ?? 0) ^ by;
        const line = ends.findIndex((end) => at < end);
        const found = read(bytes);
        expect(found.problems.length).toBeGreaterThan(0);
        expect(found.problems[0]).toBe(line);
        expect(found.entries.slice(0, line)).toEqual(JSON.parse(JSON.stringify(entries.slice(0, line))));
        await goesOn(bytes);
      },
    ),
    { numRuns: 60 },
  );
});
