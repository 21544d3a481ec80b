// How a tree is shown: what is folded, what never is, and how little of the screen depth costs.

import { describe, expect, it, test } from "vitest";
import type { SessionTree, TreeEntry } from "../../index.js";
import { treeView } from "./tree.js";

/** `a<b` is the entry b behind a; a leading `>` makes it the model's, `.` a call's result. The last one is the head. */
function treeOf(drawn: readonly string[], changes: Partial<SessionTree> = {}): SessionTree {
  const head = changes.head ?? drawn.at(-1)?.split("<").at(-1)?.replace(/^[>.]/, "") ?? null;
  const entries = drawn.map((pair): TreeEntry => {
    const [parent, name = ""] = pair.includes("<") ? pair.split("<") : [null, pair];
    const role = name.startsWith(">") ? "assistant" : name.startsWith(".") ? "tool" : "user";
    const id = name.replace(/^[>.]/, "");
    const origin = role === "user" ? "user" : null;
    return {
      id,
      parent: parent || null,
      type: "message",
      role,
      origin,
      text: `text of ${id}`,
      label: null,
      active: false,
      time: "",
      usage: null,
    };
  });
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  for (let at = head; at !== null; at = byId.get(at)?.parent ?? null) {
    const entry = byId.get(at);
    if (entry) entry.active = true;
  }
  const facts = { session_id: "s1", label: null, root: "/p", parent_session: null, fork_of: null, damaged: 0, lost: 0 };
  return { ...facts, agents: [], head, entries, ...changes };
}

const chain = (length: number) =>
  Array.from({ length }, (_, i) => `${i === 0 ? "" : `e${i - 1}`}<${i % 2 === 1 ? ">" : ""}e${i}`);

test("a short talk is shown whole, with its head", () => {
  expect(treeView(treeOf(["a", "a<>b", "b<c", "c<>d"]))).toBe(
    [
      "Session s1",
      "* a user      text of a",
      "* b assistant text of b",
      "* c user      text of c",
      "* d assistant text of d  <- here",
    ].join("\n"),
  );
});

test("calls and their results are counted, not shown, unless everything is", () => {
  const tree = treeOf(["a", "a<>b", "b<.c", "c<>d", "d<.e", "e<>f"]);
  expect(treeView(tree).split("\n").slice(1)).toEqual([
    "* a user      text of a",
    "  … 4 entries",
    "* f assistant text of f  <- here",
  ]);
  expect(treeView(tree, { all: true }).split("\n")).toHaveLength(7);
});

test("branches stand where they leave, the active path goes straight on", () => {
  const tree = treeOf(["a", "a<>b", "b<c", "c<>d", "b<x", "x<>y", "x<>z", "d<e"], { head: "e" });
  expect(treeView(tree).split("\n").slice(1)).toEqual([
    "* a user      text of a",
    "* b assistant text of b",
    "  ├─x user      text of x",
    "  │ ├─z assistant text of z",
    "  │ y assistant text of y",
    "* c user      text of c",
    "* d assistant text of d",
    "* e user      text of e  <- here",
  ]);
});

test("labels and the head are never folded", () => {
  const tree = treeOf(chain(200), { head: "e120" });
  const labelled = tree.entries[60];
  if (labelled) labelled.label = "a good place";
  const text = treeView(tree);
  expect(text).toContain("* e60 user      text of e60  [a good place]");
  expect(text).toContain("* e120 user      text of e120  <- here");
  expect(text).toContain("\n  e199 assistant");
});

describe("size costs neither lines nor depth", () => {
  const indent = (text: string) =>
    Math.max(...text.split("\n").map((line) => /^[* ] ([│├─ ]*)/.exec(line)?.[1]?.length ?? 0));

  it.each([1_000, 5_000, 200_000])("a path of %i entries is a few lines", (length) => {
    const text = treeView(treeOf(chain(length)));
    expect(text.split("\n").length).toBeLessThan(14);
    expect(indent(text)).toBe(0);
    expect(text).toContain(`… ${(length - 8).toLocaleString("en-US")} entries`);
  });

  it("a fork at each of 2,500 messages is one step deep", () => {
    const forks = Array.from({ length: 2_500 }, (_, i) => [
      `${i === 0 ? "" : `e${i - 1}`}<e${i}`,
      `e${i}<>x${i}`,
    ]).flat();
    const text = treeView(treeOf(forks, { head: "e2499" }));
    expect(text.split("\n")).toHaveLength(5_001);
    expect(indent(text)).toBe(2);
  });

  it("whatever branches, the depth is at most the logarithm of the size", () => {
    const full = Array.from({ length: 4_095 }, (_, i) => (i === 0 ? "e0" : `e${Math.floor((i - 1) / 2)}<e${i}`));
    expect(indent(treeView(treeOf(full)))).toBeLessThanOrEqual(2 * 13);
  });
});

test("says what is wrong with the file, and that nothing was said", () => {
  expect(treeView(treeOf([], { damaged: 1, lost: 2, parent_session: "0123456789ab", label: "try" }))).toBe(
    [
      'Session s1 "try", forked from 01234567',
      "Nothing has been said in it.",
      "1 line of the file cannot be read: cinch sessions verify s1",
      "2 entries hang on what was lost and are not shown.",
    ].join("\n"),
  );
});

test("agents stand under whoever gave them their task", () => {
  const agent = (session_id: string, above: string) => {
    return { session_id, above, task: `task-${session_id}`, agent: "explore", prompt: `asked ${session_id}` };
  };
  const agents = [agent("s2", "s1"), agent("s3", "s2"), agent("s4", "s1")];
  const view = treeView({ ...treeOf(["a", "a<>b"]), agents });
  expect(view.split("\n").slice(-4)).toEqual([
    "Agents:",
    "  s2 explore   asked s2 (task task-s2)",
    "  │ s3 explore   asked s3 (task task-s3)",
    "  s4 explore   asked s4 (task task-s4)",
  ]);
});
