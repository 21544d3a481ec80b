// The planning of undo as a model: random changes by an agent and a user on a few paths, then everything taken back.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sha256 } from "../../lib/hash.js";
import type { State, Step } from "./history.js";
import { planUndo } from "./undo.js";

type Disk = Map<string, State>;

const contents = new Map<string, Buffer>();
const state = (text: string, mode = 0o100644): State => {
  const hash = sha256(text);
  contents.set(hash, Buffer.from(text));
  return { hash, mode };
};

/** One deed: whose, where, and what is there afterwards (null = nothing). */
const deed = fc.record({
  who: fc.constantFrom("agent", "user"),
  path: fc.constantFrom("/a", "/b"),
  text: fc.option(fc.constantFrom("1\n", "2\n", "1\nx\n2\n", "")),
  mode: fc.constantFrom(0o100644, 0o100755),
});
type Deed = { who: string; path: string; text: string | null; mode: number };

function act(disk: Disk, { path, text, mode }: Deed): { before: State | null; after: State | null } {
  const before = disk.get(path) ?? null;
  const after = text === null ? null : state(text, mode);
  if (after) disk.set(path, after);
  else disk.delete(path);
  return { before, after };
}

function play(deeds: readonly Deed[]): { first: Disk; disk: Disk; steps: Step[] } {
  const first: Disk = new Map([["/a", state("first a\n")]]);
  const disk: Disk = new Map(first);
  const steps: Step[] = [];
  for (const [i, each] of deeds.entries()) {
    const { before, after } = act(disk, each);
    if (each.who === "user") continue;
    const changes = [{ path: each.path, before, after }];
    steps.push({
      call: `c${i}`,
      tool: "t",
      agent: "main",
      entry: `e${i}`,
      turn: null,
      seq: i,
      time: i,
      changes,
      uncovered: [],
    });
  }
  return { first, disk, steps };
}

function plan(disk: Disk, steps: readonly Step[], wanted?: (path: string) => boolean) {
  const present = { at: (path: string) => disk.get(path) ?? null, content: (hash: string) => contents.get(hash) };
  const planned = planUndo(steps, present, wanted ? { wanted } : {});
  const after: Disk = new Map(disk);
  for (const { path, to } of planned.items) {
    if (to) after.set(path, to);
    else after.delete(path);
  }
  for (const [hash, bytes] of planned.merged) contents.set(hash, bytes);
  return { ...planned, after };
}

describe("planUndo", () => {
  test("without a user in between everything is as it was before the first step, modes too", () => {
    fc.assert(
      fc.property(fc.array(deed, { maxLength: 8 }), (deeds) => {
        const { first, disk, steps } = play(deeds.map((each) => ({ ...each, who: "agent" })));
        const { conflicts, after } = plan(disk, steps);
        expect(conflicts).toEqual([]);
        expect(after).toEqual(first);
      }),
    );
  });

  test("what only the user touched is never changed, and a path in conflict has no item", () => {
    fc.assert(
      fc.property(fc.array(deed, { maxLength: 8 }), (deeds) => {
        const { disk, steps } = play(deeds);
        const { items, conflicts } = plan(disk, steps);
        const touched = new Set(steps.flatMap(({ changes }) => changes.map(({ path }) => path)));
        for (const { path } of items) expect(touched.has(path)).toBe(true);
        for (const { path } of conflicts) expect(items.some((item) => item.path === path)).toBe(false);
      }),
    );
  });

  test("an undo taken back as a step of its own gives the state before it", () => {
    fc.assert(
      fc.property(fc.array(deed, { maxLength: 8 }), (deeds) => {
        const { disk, steps } = play(deeds);
        const { items, after } = plan(disk, steps);
        const changes = items.map(({ path, from, to }) => ({ path, before: from, after: to }));
        const undo: Step = { ...(steps[0] as Step), call: "undo", changes };
        const again = plan(after, [undo]);
        expect(again.conflicts).toEqual([]);
        expect(again.after).toEqual(disk);
      }),
    );
  });

  test("the user's last word on a file that nobody can merge is a conflict", () => {
    const { disk, steps } = play([{ who: "agent", path: "/a", text: "agent\n", mode: 0o100644 }]);
    disk.set("/a", state("user\n"));
    expect(plan(disk, steps).conflicts).toMatchObject([{ path: "/a", call: "c0" }]);
    disk.set("/a", { hash: sha256("unknown"), mode: 0o100644 });
    expect(plan(disk, steps).conflicts).toMatchObject([{ why: expect.stringContaining("not kept") }]);
  });

  test("a content that was not kept is not promised", () => {
    const steps: Step[] = [
      {
        ...(play([{ who: "agent", path: "/b", text: "x", mode: 0o100644 }]).steps[0] as Step),
        changes: [{ path: "/b", before: { hash: sha256("lost"), mode: null }, after: null }],
      },
    ];
    expect(plan(new Map(), steps)).toMatchObject({ items: [], conflicts: [{ path: "/b" }] });
  });

  test("unwanted paths are left alone", () => {
    const deeds = ["/a", "/b"].map((path) => ({ who: "agent", path, text: "new\n", mode: 0o100644 }));
    const { disk, steps } = play(deeds);
    expect(plan(disk, steps, (path) => path === "/b").items.map(({ path }) => path)).toEqual(["/b"]);
  });
});
