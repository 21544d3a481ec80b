// A branch with its files: hopping between branches restores each one's tree, byte for byte, in either direction, and what
// the user did meanwhile stays.

import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Session } from "../../src/index.js";
import { sessionsOf } from "../support/session-tree.js";
import { type Stage, say, stage } from "../support/stage.js";
import { treeOf } from "../support/tree.js";
import { undo } from "../support/undo.js";

const run = (command: string) => ({ calls: [{ id: "", name: "run_command", input: { command } }] });
const write = (path: string, content: string) => ({
  calls: [{ id: "", name: "write_file", input: { path, content } }],
});
const remove = (path: string) => ({ calls: [{ id: "", name: "delete_file", input: { path } }] });

const hashOf = (root: string) => createHash("sha256").update(treeOf(root).join("\n")).digest("hex");
const put = (set: Stage, path: string, text: string) => writeFileSync(join(set.root, path), text);
const textAt = (set: Stage, path: string) => readFileSync(join(set.root, path), "utf8");

/** The id of the newest entry that says this. */
async function idOf(session: Session, text: string): Promise<string> {
  const { entries } = await session.tree();
  return entries.findLast((entry) => entry.text === text)?.id ?? `no entry says ${text}`;
}

/** A base and three branches that leave different trees: by tools, by commands, with deletions and modes. */
async function threeBranches() {
  const set = await stage([
    write("a.txt", "one\ntwo\nthree\n"),
    run("mkdir -p src && printf 'x\\n' > src/x.txt && chmod 700 src/x.txt"),
    say("base"),
    write("left.txt", "left\n"),
    run("printf 'left\\n' >> a.txt; rm -r src"),
    say("left done"),
    run("printf 'middle\\n' > middle.bin; sed -i 's/two/TWO/' a.txt; ln -s a.txt link"),
    remove("src/x.txt"),
    say("middle done"),
    run("mv src lib; chmod 600 a.txt"),
    write("right.txt", "right\n"),
    say("right done"),
    run("printf 'new\\n' > after.txt"),
  ]);
  put(set, "mine.txt", "never touched by anybody else\n");
  const session = await set.open();
  const trees: Record<string, string> = {};
  const ids: Record<string, string> = {};
  await session.send("make the base");
  ids["base"] = await idOf(session, "base");
  trees["base"] = hashOf(set.root);
  for (const name of ["left", "middle", "right"]) {
    await session.fork(ids["base"], { what: "both" });
    expect(hashOf(set.root), `base before ${name}`).toBe(trees["base"]);
    await session.send(`go ${name}`);
    ids[name] = await idOf(session, `${name} done`);
    trees[name] = hashOf(set.root);
  }
  expect(new Set(Object.values(trees)).size).toBe(4);
  return { set, session, ids, trees };
}

describe("hopping between three branches", () => {
  it("restores each branch's tree, in whatever order, in a running session", async () => {
    const { set, session, ids, trees } = await threeBranches();
    const hops = "left right middle left middle right base middle right left base right".split(" ");
    for (const [i, name] of hops.entries()) {
      const fork = await session.fork(ids[name] ?? "", { what: "both" });
      expect(hashOf(set.root), `hop ${i}, to ${name}`).toBe(trees[name]);
      expect(fork.files.length, `hop ${i}`).toBeGreaterThan(0);
    }
    expect(set.events.filter(({ type }) => type === "cache.break")).toEqual([]);
  });

  it("restores them from outside too, and undo takes a hop back", async () => {
    const { set, session, ids, trees } = await threeBranches();
    await session.close();
    const sessions = sessionsOf(set);
    for (const name of ["left", "middle", "right", "left"]) {
      await sessions.fork(ids[name] ?? "", { what: "both" });
      expect(hashOf(set.root), name).toBe(trees[name]);
    }
    await undo(set);
    expect(hashOf(set.root)).toBe(trees["right"]);
    await undo(set);
    expect(hashOf(set.root)).toBe(trees["left"]);
  });

  it("files alone leave the conversation where it is and tell the model", async () => {
    const { set, session, ids, trees } = await threeBranches();
    const { head } = await session.tree();
    await session.fork(ids["left"] ?? "", { what: "files" });
    expect(hashOf(set.root)).toBe(trees["left"]);
    const tree = await session.tree();
    const told = tree.entries.find(({ id }) => id === tree.head);
    expect(told).toMatchObject({ parent: head, origin: "harness", role: "user" });
    expect(told?.text).toMatch(/^The user put the files back to how they were at the entry \w{8}\. Changed on disk:/);
  });

  it("the conversation alone leaves the files where they are", async () => {
    const { set, session, ids, trees } = await threeBranches();
    expect((await session.fork(ids["left"] ?? "")).files).toEqual([]);
    expect(hashOf(set.root)).toBe(trees["right"]);
  });

  it("a named fork with files moves them, and the copy is on that branch", async () => {
    const { set, session, ids, trees } = await threeBranches();
    await session.close();
    const fork = await sessionsOf(set).fork(ids["middle"] ?? "", { name: "middle again", what: "both" });
    expect(hashOf(set.root)).toBe(trees["middle"]);
    const tree = await sessionsOf(set).tree("middle again");
    expect(tree).toMatchObject({ session_id: fork.session_id });
    expect(tree.entries.at(-1)?.text).toBe("middle done");
  });

  it("/rewind with files is the state before that message", async () => {
    const { set, session, ids, trees } = await threeBranches();
    const { draft, head } = await session.rewind(undefined, { what: "both" });
    expect([draft, head]).toEqual(["go right", ids["base"]]);
    expect(hashOf(set.root)).toBe(trees["base"]);
  });
});

describe("what the user did meanwhile", () => {
  it("stays where it does not overlap, through every hop", async () => {
    const { set, session, ids } = await threeBranches();
    put(set, "mine.txt", "changed by me\n");
    put(set, "new.txt", "mine as well\n");
    await session.fork(ids["left"] ?? "", { what: "both" });
    put(set, "a.txt", `zero\n${textAt(set, "a.txt")}`);
    const hop = await session.fork(ids["middle"] ?? "", { what: "both" });
    expect(hop.files.find(({ path }) => path.endsWith("a.txt"))).toMatchObject({ action: "merge" });
    expect(textAt(set, "a.txt")).toBe("zero\none\nTWO\nthree\n");
    expect([textAt(set, "mine.txt"), textAt(set, "new.txt")]).toEqual(["changed by me\n", "mine as well\n"]);
  });

  it("where it overlaps nothing is moved, neither files nor conversation", async () => {
    const { set, session, ids } = await threeBranches();
    put(set, "right.txt", "mine now\n");
    const [before, tree] = [hashOf(set.root), await session.tree()];
    const refusal = session.fork(ids["left"] ?? "", { what: "both" });
    await expect(refusal).rejects.toThrow(/cannot be put back; nothing was changed: right\.txt/);
    expect(hashOf(set.root)).toBe(before);
    expect(await session.tree()).toEqual(tree);
  });
});

it("a deletion that was held back to the end of its run is part of that run's end", async () => {
  const set = await stage([write("a.txt", "a\n"), say("base"), remove("a.txt"), say("gone"), say("later")]);
  const session = await set.open();
  await session.send("make");
  const base = await idOf(session, "base");
  await session.send("delete");
  expect(existsSync(join(set.root, "a.txt"))).toBe(false);
  const gone = await idOf(session, "gone");
  await session.fork(base, { what: "both" });
  expect(textAt(set, "a.txt")).toBe("a\n");
  await session.fork(gone, { what: "both" });
  expect(existsSync(join(set.root, "a.txt"))).toBe(false);
});

it("a command after a hop is not blamed for what the hop changed", async () => {
  const { set, session, ids } = await threeBranches();
  await session.fork(ids["left"] ?? "", { what: "both" });
  const { files } = await session.send("go on");
  expect(files.map(({ path }) => path)).toEqual([join(set.root, "after.txt")]);
});

it("is refused by a session that is in use", async () => {
  const { set, ids } = await threeBranches();
  await expect(sessionsOf(set).fork(ids["left"] ?? "", { what: "both" })).rejects.toThrow("is in use");
});
