import { expect, test } from "vitest";
import type { Entry, EntryData } from "../core/entry.js";
import { addNode, advance, type EntryTree, emptyTree, openCalls, pathTo, resolveId } from "./tree.js";

/** Rows of [id, parent, type, target?]. */
function treeOf(...rows: [id: string, parent: string | null, type: string, target?: string | null][]): EntryTree {
  const tree = emptyTree();
  for (const [seq, [id, parent, type, target]] of rows.entries()) {
    advance(tree, addNode(tree, { v: 1, seq, id, parent, type }, { offset: seq * 100, length: 100 }), target);
  }
  return tree;
}

const ids = (nodes: readonly { id: string }[]) => nodes.map((node) => node.id).join(" ");

test("the path goes over path entries only, whatever they hang on", () => {
  const tree = treeOf(["h", null, "header"], ["p", null, "prompt"], ["i", "p", "intent"], ["m", "i", "message"]);
  expect(ids(pathTo(tree.head))).toBe("p m");
  expect(ids(pathTo(tree.byId.get("i") ?? null))).toBe("p");
  expect(pathTo(null)).toEqual([]);
});

test.each<[string, Parameters<typeof treeOf>, string | null]>([
  [
    "newest path entry",
    [
      ["a", null, "message"],
      ["b", "a", "message"],
      ["n", "b", "note"],
    ],
    "b",
  ],
  [
    "target of a head entry",
    [
      ["a", null, "message"],
      ["b", "a", "message"],
      ["x", "b", "head", "a"],
    ],
    "a",
  ],
  [
    "what a target hangs on",
    [
      ["a", null, "message"],
      ["n", "a", "note"],
      ["b", "a", "message"],
      ["x", "b", "head", "n"],
    ],
    "a",
  ],
  [
    "nothing",
    [
      ["a", null, "message"],
      ["x", "a", "head", null],
    ],
    null,
  ],
  [
    "unknown target: stays",
    [
      ["a", null, "message"],
      ["x", "a", "head", "zz"],
    ],
    "a",
  ],
  [
    "a lost parent: stays",
    [
      ["a", null, "message"],
      ["c", "b", "message"],
      ["d", "c", "message"],
    ],
    "a",
  ],
  [
    "target on a lost branch: stays",
    [
      ["a", null, "message"],
      ["c", "b", "message"],
      ["x", "a", "head", "c"],
    ],
    "a",
  ],
])("the head is %s", (_, rows, head) => {
  expect(treeOf(...rows).head?.id ?? null).toBe(head);
});

test("an id resolves by unique prefix, else to its candidates", () => {
  const tree = treeOf(["abc1", null, "message"], ["abd2", null, "message"], ["abd", null, "message"]);
  expect(resolveId(tree, "abc").found?.id).toBe("abc1");
  expect(resolveId(tree, "abd").found?.id).toBe("abd");
  expect(resolveId(tree, "ab").candidates?.map((node) => node.id)).toEqual(["abc1", "abd2", "abd"]);
  expect(resolveId(tree, "x")).toEqual({ found: null, candidates: [] });
  expect(resolveId(tree, "")).toEqual({ found: null, candidates: [] });
});

test("a chain of 100,000 entries needs no recursion", () => {
  const tree = emptyTree();
  for (let i = 0; i < 100_000; i++) {
    const head = { v: 1, seq: i, id: `e${i}`, parent: i > 0 ? `e${i - 1}` : null, type: "message" };
    advance(tree, addNode(tree, head, { offset: i, length: 1 }));
  }
  expect(pathTo(tree.head)).toHaveLength(100_000);
});

function entry<T extends "message" | "intent" | "outcome">(type: T, id: string, data: EntryData[T]): Entry<T> {
  return { v: 1, seq: 0, id, parent: null, type, time: 0, data } as unknown as Entry<T>;
}

test("open calls: not run, unknown or ran, by what was written before the end", () => {
  const call = (id: string) => ({ type: "call" as const, id, tool: `t-${id}`, input: {} });
  const path = [
    entry("message", "m1", { role: "assistant", parts: [call("done"), call("late")] }),
    entry("message", "m2", {
      role: "tool",
      parts: [{ type: "result", callId: "done", tool: "t", text: "", isError: false }],
    }),
    entry("message", "m3", { role: "assistant", parts: [{ type: "text", text: "x" }, call("begun"), call("new")] }),
  ];
  const intent = (id: string) =>
    entry("intent", `i-${id}`, { call: id, tool: "t", input: {}, digest: "", paths: [], effect: "write" });
  const late = entry("outcome", "o-late", { call: "late", tool: "t", status: "ok", files: [] });
  expect(openCalls(path, { intents: ["done", "late", "begun"].map(intent), outcomes: [late] })).toEqual([
    { call: "late", tool: "t-late", message: "m1", state: "ran", outcome: late },
    { call: "begun", tool: "t-begun", message: "m3", state: "unknown" },
    { call: "new", tool: "t-new", message: "m3", state: "not_run" },
  ]);
  expect(openCalls(path.slice(1, 2), { intents: [], outcomes: [] })).toEqual([]);
});
