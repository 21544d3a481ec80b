// Branches in place and by name, and what the model is sent on each (D 81, 82 and 86). The branch that is left stays as it is,
// and a call never stands without its result. Files on a branch are tree-files.test.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createHarness } from "../../src/index.js";
import { fixedClock } from "../../src/lib/fixed.js";
import { activeTexts, sessionsOf, withText } from "../support/session-tree.js";
import { blocks, resultText, type Stage, say, stage } from "../support/stage.js";

describe("D 81: a fork in place", () => {
  it("keeps both branches and marks the active one; the prefix is that of the branch, without a break", async () => {
    const set = await stage([say("one"), say("two"), say("other")]);
    const session = await set.open();
    await session.send("first");
    await session.send("second");
    const { id } = withText(await session.tree(), "one");
    expect(await session.fork(id)).toMatchObject({ session_id: session.id, head: id, name: null });
    await session.send("elsewhere");
    const tree = await session.tree();
    expect(activeTexts(tree)).toEqual(["first", "one", "elsewhere", "other"]);
    expect(withText(tree, "two")).toMatchObject({ active: false, parent: withText(tree, "second").id });
    expect(withText(tree, "second").parent).toBe(withText(tree, "elsewhere").parent);

    const [first, , third] = set.bodies();
    if (!first || !third) throw new Error("three requests were expected");
    expect(third.system.map(({ text }) => text)).toEqual(first.system.map(({ text }) => text));
    expect(blocks(third).slice(0, blocks(first).length)).toEqual(blocks(first));
    expect(set.events.filter(({ type }) => type === "cache.break")).toEqual([]);
  });

  it("reuses the path's context block also a day later, and says what changed behind it", async () => {
    const set = await stage([say("one"), say("two"), say("other")]);
    const session = await set.open({ clock: fixedClock(Date.UTC(2026, 0, 1, 12)) });
    await session.send("first");
    await session.send("second");
    const { id } = withText(await session.tree(), "one");
    await session.close();
    const harness = createHarness({
      cwd: set.root,
      home: set.home,
      model: "anthropic/claude-sonnet-4-5",
      env: { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: set.server.url },
      clock: fixedClock(Date.UTC(2026, 0, 2, 12)),
      settings: { permissions: { mode: "auto" } },
    });
    const branch = await harness.open({ resume: session.id, fork: id });
    await branch.send("elsewhere");
    await harness.close();
    const [first, , third] = set.bodies();
    if (!first || !third) throw new Error("three requests were expected");
    expect(third.system.map(({ text }) => text)).toEqual(first.system.map(({ text }) => text));
    expect(blocks(third).slice(0, blocks(first).length)).toEqual(blocks(first));
    expect(blocks(third).join("\n")).toContain("Date: 2026-01-02");
  });

  it("forgets what was done and seen on the branch that was left", async () => {
    const again = { calls: [{ id: "w1", name: "append_file", input: { path: "a.txt", content: "line\n" } }] };
    const set = await stage([say("ready"), again, say("done"), again, say("done again")]);
    const session = await set.open();
    await session.send("first");
    const { id } = withText(await session.tree(), "ready");
    await session.send("append");
    await session.fork(id);
    await session.send("append here too");
    expect(readFileSync(join(set.root, "a.txt"), "utf8")).toBe("line\nline\n");
  });

  it("has not seen the files that were written on another branch", async () => {
    const write = { calls: [{ id: "w", name: "write_file", input: { path: "a.txt", content: "one\ntwo\n" } }] };
    const input = { path: "a.txt", old_string: "two", new_string: "three" };
    const edit = { calls: [{ id: "e", name: "edit_file", input }] };
    const set = await stage([say("ready"), write, say("done"), edit, say("edited")]);
    const session = await set.open();
    await session.send("first");
    const { id } = withText(await session.tree(), "ready");
    await session.send("write");
    await session.fork(id);
    await session.send("edit");
    expect(resultText(set.bodies().at(-1), "e")).toContain("Nothing was changed");
    expect(readFileSync(join(set.root, "a.txt"), "utf8")).toBe("one\ntwo\n");
  });

  it("is refused during a run, and for what is no entry", async () => {
    const set = await stage([say("one"), { ...say("two") }]);
    const session = await set.open();
    await session.send("first");
    await expect(session.fork("nothing")).rejects.toThrow('There is no entry "nothing"');
    const running = session.send("second");
    await expect(session.fork("one")).rejects.toThrow("A run is under way");
    await running;
  });
});

describe("/rewind", () => {
  it("goes back before the newest message and hands its text over; the branch stays", async () => {
    const set = await stage([say("one"), say("two"), say("three")]);
    const session = await set.open();
    await session.send("first");
    await session.send("second\nwith a line");
    expect(await session.rewind()).toMatchObject({ draft: "second\nwith a line" });
    expect(activeTexts(await session.tree())).toEqual(["first", "one"]);
    await session.send("second, said better");
    const tree = await session.tree();
    expect(activeTexts(tree)).toEqual(["first", "one", "second, said better", "three"]);
    await session.rewind(withText(tree, "first").id);
    expect(activeTexts(await session.tree())).toEqual([]);
    await expect(session.rewind(withText(tree, "one").id)).rejects.toThrow("not a message of yours");
    await expect(session.rewind()).rejects.toThrow("no message of yours to go back before");
  });
});

describe("D 82: a named fork", () => {
  const started = async () => {
    const set = await stage([say("one"), say("two"), say("three"), say("other"), say("more")]);
    const session = await set.open();
    await session.send("first");
    await session.send("second");
    const tree = await session.tree();
    await session.label(withText(tree, "one").id, "here");
    await session.label(withText(tree, "two").id, "not copied");
    return { set, session, sessions: sessionsOf(set) };
  };

  it("is a new file with only the path, new ids and the labels; the source stays where it is", async () => {
    const { session, sessions } = await started();
    const before = await session.tree();
    const fork = await sessions.fork("here", { name: "second try", session: session.id });
    expect(fork).toMatchObject({ name: "second try", files: [] });
    const tree = await sessions.tree("second try");
    expect(tree).toMatchObject({
      session_id: fork.session_id,
      label: "second try",
      parent_session: session.id,
      fork_of: withText(before, "one").id,
    });
    expect(activeTexts(tree)).toEqual(["first", "one"]);
    expect(tree.entries.filter(({ label }) => label !== null).map(({ text, label }) => [text, label])).toEqual([
      ["one", "here"],
    ]);
    const old = new Set(before.entries.map(({ id }) => id));
    expect(tree.entries.filter(({ id }) => old.has(id))).toEqual([]);
    expect(await session.tree()).toEqual(before);
  });

  it("goes on under its name; a context block that differs is a break with the cause fork", async () => {
    const { set, session, sessions } = await started();
    await sessions.fork("here", { name: "same", session: session.id });
    const same = await set.open({}, "same");
    await same.send("third");
    await same.close();
    expect(set.events.filter(({ type }) => type === "cache.break")).toEqual([]);
    await sessions.fork("here", { name: "later", session: session.id });
    const later = await set.open({ clock: fixedClock(Date.UTC(2030, 0, 1)) }, "later");
    await later.send("third");
    await later.close();
    expect(set.events.filter(({ type }) => type === "cache.break")).toMatchObject([{ cause: "fork" }]);
    const prompts = (await sessions.tree("later")).entries.filter(({ type }) => type === "prompt");
    expect(prompts.map(({ text }) => text)).toEqual(["fork"]);
  });

  it("refuses a name that is taken, and one that is a path or an option", async () => {
    const { set, session, sessions } = await started();
    await sessions.fork("here", { name: "taken", session: session.id });
    const count = readdirSync(join(set.home, "sessions"), { recursive: true }).length;
    const fork = (name: string) => sessions.fork("here", { name, session: session.id });
    await expect(fork("taken")).rejects.toThrow('There is a session "taken" already');
    await expect(fork(session.id)).rejects.toThrow("already");
    for (const name of ["../x", "..", "a/b", "a\\b", "", "-c", "a\nb", "x\u0000", "x".repeat(65), "\u202ex"]) {
      await expect(fork(name), JSON.stringify(name)).rejects.toThrow("cannot be the name");
    }
    expect(readdirSync(join(set.home, "sessions"), { recursive: true })).toHaveLength(count);
  });
});

describe("D 86: a fork between a call and its result", () => {
  const twoCalls = {
    calls: [
      { id: "c1", name: "write_file", input: { path: "a.txt", content: "a\n" } },
      { id: "c2", name: "write_file", input: { path: "b.txt", content: "b\n" } },
    ],
  };
  const started = async () => {
    const set = await stage([twoCalls, say("done"), say("other"), say("third")]);
    const session = await set.open();
    await session.send("write");
    return { set, session, tree: await session.tree() };
  };
  const dangling = (set: Stage) => {
    const content =
      set
        .bodies()
        .at(-1)
        ?.messages.flatMap((message) => message.content) ?? [];
    const asked = content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
    const answered = content.flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : []));
    expect(answered).toEqual(asked);
    expect(asked.length).toBeGreaterThan(0);
  };

  it("gives the calls a result that says what is known", async () => {
    const { set, session, tree } = await started();
    const asking = tree.entries.find(({ role }) => role === "assistant");
    await session.fork(asking?.id ?? "");
    await session.send("go on");
    dangling(set);
    expect(resultText(set.bodies().at(-1), "c1")).toMatch(/^Not run on this branch/);
  });

  it("keeps the results that are on the path", async () => {
    const { set, session, tree } = await started();
    const first = tree.entries.find(({ role }) => role === "tool");
    await session.fork(first?.id ?? "");
    await session.send("go on");
    dangling(set);
    const sent = set.bodies().at(-1);
    expect(resultText(sent, "c1")).toMatch(/a\.txt/);
    expect(resultText(sent, "c2")).toMatch(/^Not run on this branch/);
  });

  it("is repaired in a named fork before anybody resumes it", async () => {
    const { set, session, tree } = await started();
    const asking = tree.entries.find(({ role }) => role === "assistant");
    const sessions = sessionsOf(set);
    await sessions.fork(asking?.id ?? "", { name: "copy", session: session.id });
    const roles = (await sessions.tree("copy")).entries.map(({ role }) => role);
    expect(roles.filter((role) => role === "tool")).toHaveLength(2);
    const copy = await set.open({}, "copy");
    await copy.send("go on");
    dangling(set);
  });
});
