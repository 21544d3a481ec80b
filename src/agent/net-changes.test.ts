import { describe, expect, test } from "vitest";
import { NetChanges } from "./net-changes.js";

type Row = [agent: string, before: string | null, after: string | null, byCommand?: boolean];

function netOf(rows: readonly Row[]) {
  const net = new NetChanges();
  for (const [agent, before, after, byCommand = false] of rows)
    net.add({ path: "/f", before, after }, { agent, byCommand });
  const [change] = net.files();
  return change && [change.before, change.after, change.agents ?? [], change.unsure ?? false];
}

describe("two agents at one file", () => {
  const cases: Record<string, { rows: Row[]; net: unknown }> = {
    "one after the other": {
      rows: [
        ["a", "0", "1"],
        ["b", "1", "2"],
      ],
      net: ["0", "2", ["a", "b"], false],
    },
    "the later change was told first": {
      rows: [
        ["b", "1", "2", true],
        ["a", "0", "1"],
      ],
      net: ["0", "2", ["b", "a"], false],
    },
    "a command found what a tool had done": {
      rows: [
        ["a", "0", "1"],
        ["a", "1", "2"],
        ["b", "0", "2", true],
      ],
      net: ["0", "2", ["a"], false],
    },
    "a command found that and more": {
      rows: [
        ["a", "0", "1"],
        ["b", "0", "2", true],
      ],
      net: ["0", "2", ["a", "b"], true],
    },
    "two commands found the same": {
      rows: [
        ["a", "0", "1", true],
        ["b", "0", "1", true],
      ],
      net: ["0", "1", ["a", "b"], true],
    },
    "taken back by the other": {
      rows: [
        ["a", "0", "1"],
        ["b", "1", "0"],
      ],
      net: undefined,
    },
    "the session itself alone": {
      rows: [
        ["main", "0", "1"],
        ["main", "5", "2"],
      ],
      net: ["0", "2", [], false],
    },
  };
  for (const [name, { rows, net }] of Object.entries(cases)) test(name, () => expect(netOf(rows)).toEqual(net));
});

test("what is there now is believed, and a difference is unsure", () => {
  const net = new NetChanges();
  net.add({ path: "/f", before: "0", after: "1" }, { agent: "a" });
  net.add({ path: "/g", before: null, after: "1" });
  expect(net.shared("main")).toEqual(["/f"]);
  const before = net.revision;
  net.found("/f", "2");
  expect(net.files()).toEqual([
    { path: "/f", before: "0", after: "2", unsure: true, agents: ["a"] },
    { path: "/g", before: null, after: "1" },
  ]);
  expect(net.revision).not.toBe(before);
});
