// Undo beside people: agent, user and commands change the same files in turn, and each keeps what is theirs.

import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { UserError } from "../../src/core/errors.js";
import { prepareUndo } from "../../src/harness/undo/undo.js";
import type { Result } from "../../src/index.js";
import { type Fs, nodeFs } from "../../src/lib/fs.js";
import { systemClock, systemIds } from "../../src/lib/system.js";
import { type Stage, stage } from "../support/stage.js";
import { treeOf } from "../support/tree.js";
import { undo } from "../support/undo.js";
import type { WireReply } from "../support/wire/anthropic.js";

const bash = (command: string, id: string): WireReply => ({ calls: [{ id, name: "run_command", input: { command } }] });
const call = (name: string, input: object, id: string): WireReply => ({ calls: [{ id, name, input: { ...input } }] });
const done: WireReply = { text: "done" };
const ten = Array.from({ length: 10 }, (_, i) => `line ${i + 1}\n`).join("");

/** Runs the prompts one after the other; what a reply function does happens between two calls. */
async function play(
  script: (WireReply | ((at: Stage) => WireReply))[],
  files: Record<string, string>,
  runs = 1,
): Promise<Stage & { result: Result | undefined }> {
  let next = 0;
  const at: Stage = await stage(() => {
    const item = script[next++] ?? done;
    return typeof item === "function" ? item(at) : item;
  });
  for (const [path, content] of Object.entries(files)) write(at, path, content);
  const session = await at.open();
  let result: Result | undefined;
  for (let i = 0; i < runs; i++) result = await session.send(`run ${i + 1}`);
  await session.close();
  return { ...at, result };
}

const write = (at: { root: string }, path: string, content: string) => {
  mkdirSync(join(at.root, path, ".."), { recursive: true });
  writeFileSync(join(at.root, path), content);
};
const read = (at: { root: string }, path: string) => readFileSync(join(at.root, path), "utf8");
const change = (text: string, from: string, to: string) => text.replace(from, to);

describe("what the user changed meanwhile", () => {
  test("between an edit and a command stays; rewind, compare, undo the undo, compare", async () => {
    const script = [
      call("read_file", { path: "a.txt" }, "c0"),
      call("edit_file", { path: "a.txt", old_string: "line 1\n", new_string: "agent 1\n" }, "c1"),
      (stage: Stage) => {
        write(stage, "a.txt", change(read(stage, "a.txt"), "line 5\n", "user 5\n"));
        write(stage, "mine.txt", "mine\n");
        return bash("sed -i 's/line 9/shell 9/' a.txt; echo b >> b.txt; rm c.txt", "c2");
      },
      done,
    ];
    const at = await play(script, { "a.txt": ten, "b.txt": "b\n", "c.txt": "c\n" });
    const after = treeOf(at.root);
    const changed = at.result?.files.map(({ path }) => path.slice(at.root.length + 1));
    expect(changed).toEqual(["a.txt", "b.txt", "c.txt"]);
    const user = change(ten, "line 5\n", "user 5\n");
    const plan = await undo(at);
    expect(plan.items.map(({ action }) => action)).toEqual(["merge", "restore", "restore"]);
    expect([read(at, "a.txt"), read(at, "b.txt"), read(at, "c.txt")]).toEqual([user, "b\n", "c\n"]);
    expect(read(at, "mine.txt")).toBe("mine\n");
    await undo(at);
    expect(treeOf(at.root)).toEqual(after);
  });

  test("after the run stays where it does not overlap", async () => {
    const at = await play([bash("sed -i 's/line 2/shell 2/' a.txt", "c1"), done], { "a.txt": ten });
    write(at, "a.txt", change(read(at, "a.txt"), "line 8\n", "user 8\nuser 8b\n"));
    chmodSync(join(at.root, "a.txt"), 0o600);
    await undo(at);
    expect(read(at, "a.txt")).toBe(change(ten, "line 8\n", "user 8\nuser 8b\n"));
    expect(statSync(join(at.root, "a.txt")).mode & 0o777).toBe(0o600);
  });

  const conflicts: Record<string, [user: (at: Stage) => void, path: string, why: RegExp]> = {
    "the same line": [(at) => write(at, "a.txt", change(ten, "line 2\n", "user 2\n")), "a.txt", /same lines/],
    "a line beside it": [
      (at) => write(at, "a.txt", change(read(at, "a.txt"), "line 3\n", "user 3\n")),
      "a.txt",
      /same lines/,
    ],
    "a created file": [(at) => write(at, "new.txt", "new\nuser\n"), "new.txt", /changed since it was created/],
    "a changed file deleted": [(at) => rmSync(join(at.root, "a.txt")), "a.txt", /deleted since/],
    "a deleted file made anew": [(at) => write(at, "gone.txt", "user\n"), "gone.txt", /made anew/],
    "a file become a link": [
      (at) => {
        rmSync(join(at.root, "a.txt"));
        symlinkSync("other.txt", join(at.root, "a.txt"));
      },
      "a.txt",
      /another kind/,
    ],
    "a file become a directory": [
      (at) => {
        rmSync(join(at.root, "new.txt"));
        mkdirSync(join(at.root, "new.txt"));
      },
      "new.txt",
      /changed since it was created/,
    ],
  };
  for (const [name, [user, path, why]] of Object.entries(conflicts)) {
    test(`overlap: ${name}: nothing is changed and the path is named`, async () => {
      const command = "sed -i 's/line 2/shell 2/' a.txt; echo new > new.txt; rm gone.txt; echo x > other.txt";
      const at = await play([bash(command, "c1"), done], { "a.txt": ten, "gone.txt": "gone\n", "other.txt": "o\n" });
      user(at);
      const now = treeOf(at.root);
      const plan = await undo(at);
      expect(plan.conflicts).toEqual([{ path: join(at.root, path), call: "c1", why: expect.stringMatching(why) }]);
      expect(treeOf(at.root)).toEqual(now);
      await undo(at, { only: "other.txt" });
      expect(read(at, "other.txt")).toBe("o\n");
    });
  }

  test("files of the user in a directory of the agent keep the directory", async () => {
    const at = await play([bash("mkdir made; echo a > made/a", "c1"), done], {});
    write(at, "made/user.txt", "mine\n");
    await undo(at);
    expect(existsSync(join(at.root, "made/a"))).toBe(false);
    expect(read(at, "made/user.txt")).toBe("mine\n");
  });
});

describe("one cause alone", () => {
  const script = () => [
    bash("echo one > one.txt; echo a >> a.txt", "c1"),
    call("write_file", { path: "deep/new/two.txt", content: "two\n" }, "c2"),
    done,
    bash("echo three > three.txt; sed -i 's/line 1$/shell 1/' a.txt", "c3"),
    done,
  ];
  const files = { "a.txt": ten };

  test("the last run, with the directories a tool made; then everything after an entry", async () => {
    const at = await play(script(), files, 2);
    await undo(at);
    expect([existsSync(join(at.root, "three.txt")), read(at, "a.txt")]).toEqual([false, `${ten}a\n`]);
    expect(read(at, "deep/new/two.txt")).toBe("two\n");
    const session = await at.open({}, true);
    const first = [...session.entries()].find((entry) => entry.type === "message")?.id ?? "";
    await session.close();
    await undo(at, { to: first });
    expect(treeOf(at.root)).toEqual([`a.txt 644 ${Buffer.from(ten).toString("base64")}`]);
  });

  test("a call in the middle of others that changed the same file", async () => {
    const at = await play(script(), files, 2);
    await undo(at, { only: "c1" });
    expect(read(at, "a.txt")).toBe(change(ten, "line 1\n", "shell 1\n"));
    expect([existsSync(join(at.root, "one.txt")), existsSync(join(at.root, "three.txt"))]).toEqual([false, true]);
  });

  test("a path, a turn, a run, an agent", async () => {
    const at = await play(script(), files, 2);
    const session = await at.open({}, true);
    const messages = [...session.entries()].filter((entry) => entry.type === "message");
    await session.close();
    const turn = messages.find(({ data }) => data.parts.some((part) => part.type === "call" && part.id === "c2"));
    await undo(at, { only: turn?.id ?? "" });
    expect([existsSync(join(at.root, "deep")), existsSync(join(at.root, "one.txt"))]).toEqual([false, true]);
    await undo(at, { only: messages[0]?.id ?? "" });
    expect(existsSync(join(at.root, "one.txt"))).toBe(false);
    expect(read(at, "a.txt")).toBe(change(ten, "line 1\n", "shell 1\n"));
    await undo(at, { only: "three.txt", to: messages[0]?.id ?? "" });
    expect(existsSync(join(at.root, "three.txt"))).toBe(false);
    await undo(at, { only: "main", to: messages[0]?.id ?? "" });
    expect(read(at, "a.txt")).toBe(ten);
  });

  test("what fits nothing is said", async () => {
    const at = await play(script(), files, 2);
    await expect(undo(at, { only: "nothing.txt" })).rejects.toThrow(/no call, turn, run or agent/);
    await expect(undo(at, { to: "zzzz" })).rejects.toThrow(/no entry "zzzz"/);
    await expect(undo(at, { session: "zzzz" })).rejects.toThrow(/no session "zzzz"/);
  });
});

describe("a disk that refuses", () => {
  /** The system's disk, on which opening a file may fail. */
  const failing = (fails: (path: string, flags: unknown) => string | null): Fs => ({
    ...nodeFs,
    openSync: (path, flags, mode) => {
      const code = fails(String(path), flags);
      if (code) throw Object.assign(new Error(`${code}: refused`), { code });
      return nodeFs.openSync(path, flags, mode);
    },
  });
  const planned = (at: Stage, disk: Fs) =>
    prepareUndo({ root: at.root, cwd: at.root, state: at.home, disk, clock: systemClock, ids: systemIds }, {});

  test("the state directory is full: nothing is changed, and the disk is named", async () => {
    const at = await play([bash("sed -i 's/line 2/shell 2/' a.txt", "c1"), done], { "a.txt": ten });
    const mine = change(read(at, "a.txt"), "line 8\n", "user 8\n");
    write(at, "a.txt", mine);
    const objects = join(at.home, "checkpoints");
    const undoing = await planned(
      at,
      failing((path, flags) => (path.startsWith(objects) && flags === "wx" ? "ENOSPC" : null)),
    );
    const failed = undoing.apply();
    await expect(failed).rejects.toThrow(UserError);
    await expect(failed).rejects.toThrow(`could not be kept in ${at.home}`);
    await undoing.close();
    expect(read(at, "a.txt")).toBe(mine);
  });

  test("what cannot be looked at is a conflict", async () => {
    const at = await play([bash("echo 2 | tee a.txt b.txt", "c1"), done], { "a.txt": "1\n", "b.txt": "1\n" });
    const undoing = await planned(
      at,
      failing((path) => (path === join(at.root, "a.txt") ? "EACCES" : null)),
    );
    await undoing.close();
    expect(undoing.plan.conflicts).toEqual([
      { path: join(at.root, "a.txt"), call: "c1", why: "cannot be looked at (permission denied)" },
    ]);
  });

  test("a name that is too long leaves none of the directories that were made for it", async () => {
    const at = await play([call("write_file", { path: `q/r/${"n".repeat(300)}`, content: "n" }, "c1"), done], {});
    expect(treeOf(at.root)).toEqual([]);
  });
});

describe("the session", () => {
  test("is held: in use by another, undo is refused", async () => {
    const at = await stage([bash("echo x > x", "c1"), done]);
    const session = await at.open();
    await session.send("go");
    await expect(undo(at)).rejects.toThrow(/in use/);
  });

  test("the model is told on the next run, and must look again before it edits", async () => {
    const at = await stage([
      call("write_file", { path: "a.txt", content: "one\ntwo\n" }, "c1"),
      bash("sed -i s/two/2/ b.txt", "c2"),
      done,
      call("edit_file", { path: "b.txt", old_string: "two", new_string: "three" }, "c3"),
      done,
    ]);
    write(at, "b.txt", "two\n");
    const session = await at.open();
    await session.send("go");
    await session.close();
    await undo(at);
    const again = await at.open({}, true);
    await again.send("go on");
    const texts = JSON.stringify(at.bodies().at(-1)?.messages);
    expect(texts).toContain("The user took back the run");
    expect(texts).toContain("Changed on disk: a.txt, b.txt.");
    expect(at.events.find((event) => event.type === "call.end" && event.call === "c3")).toMatchObject({
      status: "error",
    });
  });
});
