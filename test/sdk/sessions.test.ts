// Sessions as files: two at one of them (D 88), the list that a picker shows, deleting, and a directory that cannot be
// written. What is in a session is tree.test.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createHarness } from "../../src/index.js";
import { type Fs, nodeFs } from "../../src/lib/fs.js";
import { activeTexts, fileOf, sessionsOf, withText } from "../support/session-tree.js";
import { say, stage } from "../support/stage.js";

describe("D 88: two at one session", () => {
  it("the second is refused, may look, and may branch off to a session of its own", async () => {
    const set = await stage([say("one"), say("other"), say("two")]);
    const session = await set.open();
    await session.send("first");
    const { id } = withText(await session.tree(), "one");
    await expect(set.open({}, session.id)).rejects.toThrow(/is in use by process \d+/);
    const sessions = sessionsOf(set);
    await expect(sessions.label(id, "x")).rejects.toThrow("is in use");
    await expect(sessions.delete(session.id)).rejects.toThrow("is in use");
    expect(activeTexts(await sessions.tree(session.id))).toEqual(["first", "one"]);

    const harness = createHarness({
      cwd: set.root,
      home: set.home,
      model: "anthropic/claude-sonnet-4-5",
      env: { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: set.server.url },
    });
    const branch = await harness.open({ resume: session.id, fork: id });
    expect(branch.id).not.toBe(session.id);
    expect(branch.init.notices.join()).toContain("is in use; this branch is a session of its own");
    await Promise.all([branch.send("elsewhere"), session.send("second")]);
    await Promise.all([harness.close(), session.close()]);
    const trees = await Promise.all([branch.id, session.id].map((one) => sessions.tree(one)));
    expect(trees.map(({ damaged, lost }) => [damaged, lost])).toEqual([
      [0, 0],
      [0, 0],
    ]);
    expect(trees.map((tree) => activeTexts(tree).slice(0, 3))).toEqual([
      ["first", "one", "elsewhere"],
      ["first", "one", "second"],
    ]);
  });
});

describe("sessions as files", () => {
  it("a list shows what a picker needs, newest first, and what is broken", async () => {
    const set = await stage([say("one"), say("two")]);
    const session = await set.open();
    await session.send("Make a timer\nwith a ring");
    await session.close();
    const sessions = sessionsOf(set);
    await sessions.fork(withText(await sessions.tree(), "one").id, { name: "copy" });
    writeFileSync(join(await fileOf(set), "..", "brokenbroken.jsonl"), "no session\n");
    const list = await sessions.list();
    expect(list).toHaveLength(3);
    const [own, copy, broken] = ["own", "copy", "broken"].map((which) =>
      list.find(({ id, label }) =>
        which === "own" ? id === session.id : which === "copy" ? label === "copy" : id === "brokenbroken",
      ),
    );
    const lines = readFileSync(own?.file ?? "", "utf8")
      .trimEnd()
      .split("\n").length;
    expect(own).toMatchObject({ prompt: "Make a timer with a ring", label: null, entries: lines, problem: null });
    expect(own?.root).toBe(set.root);
    expect(copy).toMatchObject({ prompt: "Make a timer with a ring", label: "copy" });
    expect(broken).toMatchObject({ prompt: null, problem: "does not begin with a session header" });
    expect((await sessions.list({ all: true })).map(({ id }) => id).sort()).toEqual(list.map(({ id }) => id).sort());
  });

  it("deleting removes the file and what belongs to it alone, and says so", async () => {
    const set = await stage([say("one"), say("two")]);
    for (const text of ["first", "second"]) {
      const session = await set.open();
      await session.send(text);
      await session.close();
    }
    const sessions = sessionsOf(set);
    const [newest, older] = await sessions.list();
    writeFileSync(`${newest?.file.replace(/\.jsonl$/, "")}.torn-1`, "x");
    const { session_id, removed } = await sessions.delete(newest?.id ?? "");
    expect(session_id).toBe(newest?.id);
    expect(removed).toHaveLength(2);
    expect((await sessions.list()).map(({ id }) => id)).toEqual([older?.id]);
    expect(readdirSync(join(older?.file ?? "", "..")).filter((name) => name.startsWith(session_id))).toEqual([]);
    await expect(sessions.delete("../x")).rejects.toThrow("is not a session id");
  });

  it("a directory that cannot be written is a sentence with a way on, and nothing is lost", async () => {
    const set = await stage([say("one")]);
    const session = await set.open();
    await session.send("first");
    await session.close();
    const denied = (): never => {
      throw Object.assign(new Error("EACCES: permission denied"), { code: "EACCES" });
    };
    const onDisk = (fs: Partial<Fs>) =>
      createHarness({ cwd: set.root, home: set.home, fs: { ...nodeFs, ...fs } }).sessions;
    const sentence = { name: "UserError", exit: 1, fix: expect.stringContaining("can be written") };
    const [{ openSync, rmSync }, file] = [nodeFs, await fileOf(set)];
    const readOnly = onDisk({
      openSync: ((path, flags, mode) => (flags === "r" ? openSync(path, flags, mode) : denied())) as Fs["openSync"],
    });
    const head = (await readOnly.tree()).head ?? "";
    await expect(readOnly.label(head, "end")).rejects.toMatchObject(sentence);
    await expect(readOnly.delete(session.id)).rejects.toMatchObject(sentence);
    const stuck = onDisk({
      rmSync: ((path, options) => (path === file ? denied() : rmSync(path, options))) as Fs["rmSync"],
    });
    await expect(stuck.delete(session.id)).rejects.toMatchObject(sentence);
    await sessionsOf(set).label(head, "end");
  });
});
