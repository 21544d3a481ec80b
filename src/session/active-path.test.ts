// What an open log holds of its path, over random sessions: enough for everything that is asked of it, the same after a
// resume, and no more than a compaction leaves.

import fc from "fast-check";
import { expect, test } from "vitest";
import { sessions, user } from "../../test/support/session-log.js";
import { conversationOf } from "../core/conversation.js";
import { type Entry, type EntryData, lastOf } from "../core/entry.js";
import type { SessionLog } from "./log.js";
import { pathTo } from "./tree.js";

const { create, open } = sessions();

const reply: EntryData["message"] = {
  role: "assistant",
  parts: [{ type: "text", text: "r" }],
  request: { blocks: 1, digest: "d" },
};
const prompt: EntryData["prompt"] = { stable: "", context: "", tools: [], facts: {}, cause: "create" };

const step = fc.record({
  do: fc.constantFrom("say", "say", "reply", "reply", "compact", "prompt", "model", "note", "back"),
  /** Which entry of the path a compaction or a move is about; beyond it: none. */
  at: fc.nat(12),
});

function play(log: SessionLog, steps: readonly { do: string; at: number }[]): void {
  for (const step of steps) {
    const target = pathTo(log.tree.head)[step.at]?.id;
    if (step.do === "say") log.append("message", user(`said ${step.at}`));
    if (step.do === "reply") log.append("message", reply);
    if (step.do === "prompt") log.append("prompt", prompt);
    if (step.do === "model") log.append("model", { id: `m/${step.at}`, params: { maxOutput: 1 } });
    if (step.do === "note") log.append("note", { code: "x", text: "y" });
    if (step.do === "back") log.append("head", { target: target ?? null });
    if (step.do === "compact") {
      log.append("compaction", { from: "nobody", to: target ?? "nobody", ledger: {}, summary: "so far" });
    }
  }
}

function asked(path: readonly Entry[]) {
  const newest = path.findLast((entry) => entry.type === "message" && entry.data.request !== undefined);
  return { said: conversationOf(path), prompt: lastOf(path, "prompt"), model: lastOf(path, "model"), newest };
}

test("what is held answers like the whole path, whole is whole, and a resume holds the same", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const log = create();
      play(log, steps);
      const whole = [...log.whole()];
      expect(whole).toEqual(pathTo(log.tree.head).map(({ id }) => log.entry(id)));
      expect(asked(log.path())).toEqual(asked(whole));
      await log.close();
      const again = open(log.file);
      expect(again.path()).toEqual(log.path());
      expect([...again.whole()]).toEqual(whole);
      await again.close();
    }),
    { numRuns: 150 },
  );
});

test("what a compaction stands for leaves memory, and comes back when the head moves to it", async () => {
  const log = create();
  const said = Array.from({ length: 20 }, (_, i) => log.append("message", user(`${i}`)));
  const [from = "", to = ""] = [said[0]?.id, said[17]?.id];
  log.append("compaction", { from, to, ledger: {}, summary: "so far" });
  expect(log.path().map(({ id }) => id)).toEqual([...said.slice(17).map(({ id }) => id), log.head]);
  expect(log.attached("note")).toEqual([]);
  const note = log.append("note", { code: "x", text: "on what is not held" }, from);
  expect(log.attached("note")).toEqual([note]);
  log.append("head", { target: to });
  expect(log.path()).toEqual(said.slice(0, 18));
  await log.close();
});

test("the whole path can be read while the log goes on, and when it is closed", async () => {
  const log = create();
  const said = Array.from({ length: 5 }, (_, i) => log.append("message", user(`${i}`)));
  log.append("compaction", { from: said[0]?.id ?? "", to: said[3]?.id ?? "", ledger: {}, summary: "so far" });
  const reading = log.whole()[Symbol.iterator]();
  expect(reading.next().value).toEqual(said[0]);
  log.append("head", { target: null });
  await log.close();
  expect(reading.next().value).toEqual(said[1]);
  expect([...log.whole()]).toEqual([]);
});

test("since: what was added behind a place, of the types asked for", async () => {
  const log = create();
  log.append("message", user("a"));
  const { length } = log;
  const b = log.append("message", user("b"));
  const note = log.append("note", { code: "x", text: "y" });
  log.append("model", { id: "m/1", params: { maxOutput: 1 } });
  expect([...log.since(length, ["message", "note"])]).toEqual([b, note]);
  await log.close();
});
