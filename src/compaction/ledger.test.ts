import { array, assert, nat, property, string } from "fast-check";
import { expect, test } from "vitest";
import { conversationOf } from "../core/conversation.js";
import type { Entry, EntryData, EntryType } from "../core/entry.js";
import type { Message } from "../core/message.js";
import { type Ledger, LedgerFold } from "./ledger.js";
import { asideFile } from "./pinned.js";
import { tokensOf } from "./size.js";
import { ledgerRecord, standIn } from "./stand-in.js";

let seq = 0;
function entry<Type extends EntryType>(type: Type, data: EntryData[Type]): Entry<Type> {
  seq++;
  return { v: 1, seq, id: `e${seq}`, parent: null, type, time: 0, data } as Entry<Type>;
}
const user = (text: string) => entry("message", { role: "user", parts: [{ type: "text", text }], origin: "user" });
const reply = (text: string) => entry("message", { role: "assistant", parts: [{ type: "text", text }] });
const call = (id: string, tool: string, input: object, says: string, isError = false) => [
  entry("message", { role: "assistant", parts: [{ type: "call", id, tool, input: { ...input } }] }),
  entry("message", { role: "tool", parts: [{ type: "result", callId: id, tool, text: says, isError }] } as Message),
];
const outcome = (id: string, status: "ok" | "error" | "denied", files: [string, string | null, string | null][]) =>
  entry("outcome", {
    call: id,
    tool: "t",
    status,
    files: files.map(([path, before, after]) => ({ path, before, after })),
  });

function ledger(
  path: Entry[],
  more: { outcomes?: Entry<"outcome">[]; tasks?: Entry<"task">[]; tail?: number; tokens?: number } = {},
): Ledger {
  const { outcomes = [], tasks = [], tail = 0, tokens = 10_000 } = more;
  const staying = tail === 0 ? [] : conversationOf(path).verbatim.slice(-tail);
  const fold = new LedgerFold("/p");
  // Outcome and result are one write, the outcome first.
  for (const each of [...outcomes, ...tasks, ...path]) {
    if (each.type === "message" || each.type === "outcome" || each.type === "task") fold.take(each);
  }
  return fold.ledger(staying, tokens);
}
const text = (made: Ledger) => standIn(made, { text: "S", earlier: null, aside: "/aside.txt" });

test("files are those that changed, with the hash they have now, in the order of their newest change", () => {
  const outcomes = [
    outcome("a", "ok", [["/p/a.ts", null, "1"]]),
    outcome("b", "ok", [["/p/b.ts", "7", "7"]]),
    outcome("c", "ok", [["/p/c.ts", null, "2"]]),
    outcome("d", "ok", [["/p/a.ts", "1", "3"]]),
    outcome("e", "ok", [["/elsewhere/x", "4", null]]),
  ];
  const { files } = ledger([user("go")], { outcomes });
  expect(files.items).toEqual([
    { path: "c.ts", hash: "2" },
    { path: "a.ts", hash: "3" },
    { path: "/elsewhere/x", hash: null },
  ]);
});

test("many files: the newest are listed and the others counted", () => {
  const outcomes = Array.from({ length: 100 }, (_, i) => outcome(`c${i}`, "ok", [[`/p/f${i}`, null, "1"]]));
  const made = ledger([user("go")], { outcomes });
  expect([made.files.items.length, made.files.more, made.files.items.at(-1)?.path]).toEqual([60, 40, "f99"]);
  expect(text(made)).toContain("40 older ones are not listed");
});

test("a failure counts once, what succeeded later does not count, and a denial is no failure", () => {
  const path = [
    user("go"),
    ...call("1", "run", { command: "make" }, "\nno rule\nmore", true),
    ...call("2", "run", { command: "make" }, "no target", true),
    ...call("3", "run", { command: "test" }, "red", true),
    ...call("4", "run", { command: "test" }, "green"),
    ...call("5", "run", { command: "rm -r ." }, "The user denied this call. They say: never that.", true),
  ];
  const made = ledger(path, { outcomes: [outcome("5", "denied", [])] });
  expect(made.failed.items).toEqual([{ call: 'run {"command":"make"}', says: "no target", times: 2 }]);
  expect(made.denied.items).toEqual([
    { call: 'run {"command":"rm -r ."}', says: "The user denied this call. They say: never that.", times: 1 },
  ]);
});

test("open is a task that has not ended, and a message without an answer", () => {
  const tasks = [
    entry("task", { id: "t1", change: { state: "running", command: "npm test" } }),
    entry("task", { id: "t2", change: { state: "running", prompt: "look" } }),
    entry("task", { id: "t2", change: { state: "succeeded" } }),
  ];
  expect(ledger([user("go"), reply("done")], { tasks }).open).toEqual(["task t1 (running): npm test"]);
  expect(ledger([user("go"), ...call("1", "look", {}, "x")]).open).toEqual([
    "The user's newest message has no answer yet: go on with it.",
  ]);
});

test("texts of the user outlive any number of compactions; those in the tail are not repeated", () => {
  const first = user("first");
  const path = [
    first,
    reply("1"),
    user("second"),
    reply("2"),
    entry("compaction", { from: first.id, to: first.id, ledger: {}, summary: "old" }),
    user("third"),
    reply("3"),
  ];
  const made = ledger(path, { tail: 2 });
  expect(made.said.repeated.map((each) => each.text)).toEqual(["first", "second"]);
  expect(text(made)).not.toContain("third");
});

test("what the harness or a hook said is not the user's", () => {
  const note = entry("message", { role: "user", parts: [{ type: "text", text: "reminder" }], origin: "harness" });
  expect(ledger([user("go"), note]).said.repeated.map((each) => each.text)).toEqual(["go"]);
});

test("a pasted book is put aside whole, before anything short is", () => {
  const book = "word ".repeat(20_000);
  const path = [user(`goal: ${book}`), user("use tabs"), user("no new packages"), user("go on")];
  const made = ledger(path, { tokens: 100 });
  expect(made.said.repeated.map((each) => each.text)).toEqual(["use tabs", "no new packages", "go on"]);
  expect(made.said.aside.map(({ number }) => number)).toEqual([1]);
  expect(asideFile(made.said.aside)).toContain(`goal: ${book}`);
  expect(text(made)).toContain("Too long to repeat here: message 1. Word for word in /aside.txt");
  expect(text(made)).toContain("message 1 begins: goal: word word");
});

test("property: every text of the user is repeated unit for unit or is in the file, and the repeated ones fit", () => {
  const says = array(string({ unit: "binary", maxLength: 400 }), { minLength: 1, maxLength: 30 });
  assert(
    property(says, nat(400), (texts, tokens) => {
      const made = ledger(texts.map(user), { tokens });
      const { repeated, aside } = made.said;
      const all = [...repeated, ...aside].sort((a, b) => a.number - b.number);
      expect(all.map((each) => each.text)).toEqual(texts);
      expect(repeated.reduce((sum, each) => sum + tokensOf(each.text), 0)).toBeLessThanOrEqual(tokens);
      const whole = text(made);
      for (const each of repeated) expect(whole).toContain(`<user-message number="${each.number}">\n${each.text}\n<`);
      const file = asideFile(aside);
      for (const each of aside) expect(file).toContain(each.text);
    }),
  );
});

test("the record names the user's texts by entry and keeps the model's own text", () => {
  const path = [user("go"), reply("done")];
  const made = ledger(path);
  expect(ledgerRecord(made, { text: "S", earlier: null, aside: null })).toEqual({
    said: [path[0]?.id],
    aside: [],
    files: {},
    denied: [],
    failed: [],
    open: [],
    model: "S",
  });
});

test("without a model's summary the text says so, and the one before is carried on", () => {
  const made = ledger([user("go"), reply("done")]);
  const whole = standIn(made, { text: null, earlier: "what was", aside: null });
  expect(whole).toContain("# Summary of an earlier part\nwhat was");
  expect(whole).toContain("No model has summarised");
  expect(ledgerRecord(made, { text: null, earlier: "what was", aside: null })["model"]).toBe("what was");
});
