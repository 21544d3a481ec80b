// Cases of the file tools that have no test of their own elsewhere, through the public face (SEEDS D 1-30).

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { resultText, type Stage, stage } from "../support/stage.js";

const call = (id: string, name: string, input: object) => ({ id, name, input: { ...input } });
const read = (set: Stage, name: string) => readFileSync(join(set.root, name), "utf8");

async function run(calls: ReturnType<typeof call>[], before: (set: Stage) => void = () => {}) {
  const set = await stage([{ calls }, { text: "done" }]);
  before(set);
  await (await set.open()).send("go");
  return { set, text: (id: string) => resultText(set.bodies().at(-1), id) };
}

it("D1-D3: append creates; write and appends are in order, once each", async () => {
  const append = (id: string, content: string) => call(id, "append_file", { path: "b.js", content });
  const { set, text } = await run([
    call("a", "append_file", { path: "a.txt", content: "hello world" }),
    call("w", "write_file", { path: "b.js", content: "// h\n" }),
    append("1", "f()\n"),
    append("2", "g()\n"),
    append("3", "h()\n"),
  ]);
  expect(read(set, "a.txt")).toBe("hello world");
  expect(text("a")).toMatch(/11 bytes.*11 bytes/);
  expect(read(set, "b.js")).toBe("// h\nf()\ng()\nh()\n");
});

it("D6, D7: outside, also through a link, is refused and other calls go on", async () => {
  const { set, text } = await run(
    [
      call("o", "append_file", { path: "../o.txt", content: "x" }),
      call("l", "append_file", { path: "out/l.txt", content: "x" }),
      call("w", "write_file", { path: "w.txt", content: "x" }),
    ],
    (set) => symlinkSync("..", join(set.root, "out")),
  );
  for (const id of ["o", "l"]) expect(text(id)).toContain("outside the project");
  expect([existsSync(join(set.root, "../o.txt")), existsSync(join(set.root, "../l.txt"))]).toEqual([false, false]);
  expect(read(set, "w.txt")).toBe("x");
});

it("D9, D11, D12: a strange name and escapes are taken as they are", async () => {
  const name = `it's "$(touch pwned)" here.js`;
  const content = 'print("a\\nb"); const q = "\\"";\n';
  const { set } = await run([call("w", "write_file", { path: name, content })]);
  expect(read(set, name)).toBe(content);
  expect(existsSync(join(set.root, "pwned"))).toBe(false);
});

it("D17, D19, D20: two writes of one path, a dangling link and a directory", async () => {
  const { set, text } = await run(
    [
      call("1", "write_file", { path: "n.txt", content: "one\n" }),
      call("2", "write_file", { path: "n.txt", content: "two\n" }),
      call("l", "write_file", { path: "link", content: "x" }),
      call("d", "write_file", { path: "dir", content: "x" }),
    ],
    (set) => {
      symlinkSync("nowhere", join(set.root, "link"));
      mkdirSync(join(set.root, "dir"));
    },
  );
  expect(read(set, "n.txt")).toBe("one\n");
  expect(text("2")).toContain("exists already");
  expect(text("l")).toContain("does not exist");
  expect(text("d")).toContain("is a directory");
  expect(existsSync(join(set.root, "nowhere"))).toBe(false);
});

it("D24-D26: several places, none, an empty and an equal text", async () => {
  const edit = (id: string, more: object) => call(id, "edit_file", { path: "a.txt", ...more });
  const { set, text } = await run(
    [
      call("r", "read_file", { path: "a.txt" }),
      edit("two", { old_string: "same", new_string: "x" }),
      edit("none", { old_string: "same  here", new_string: "x" }),
      edit("empty", { old_string: "", new_string: "x" }),
      edit("equal", { old_string: "same", new_string: "same" }),
      edit("all", { old_string: "same", new_string: "x", replace_all: true }),
    ],
    (set) => writeFileSync(join(set.root, "a.txt"), "same here\nsame\n"),
  );
  expect(text("two")).toContain("occurs 2 times (lines 1, 2)");
  expect(text("none")).toContain("line 1");
  expect(text("empty")).toContain("the old text is empty");
  expect(text("equal")).toContain("old and new text are the same");
  expect(text("all")).toContain("2 replacements");
  expect(read(set, "a.txt")).toBe("x here\nx\n");
});

it("D14: line ends, mark and mode of a file stay, for an append and for an edit", async () => {
  const { set } = await run(
    [
      call("a", "append_file", { path: "a.txt", content: "three\nfour\n" }),
      call("r", "read_file", { path: "a.txt" }),
      call("e", "edit_file", { path: "a.txt", old_string: "one\ntwo", new_string: "1\n2" }),
    ],
    (set) => {
      writeFileSync(join(set.root, "a.txt"), "\ufeffone\r\ntwo\r\n");
      chmodSync(join(set.root, "a.txt"), 0o751);
    },
  );
  expect(read(set, "a.txt")).toBe("\ufeff1\r\n2\r\nthree\r\nfour\r\n");
  expect(statSync(join(set.root, "a.txt")).mode & 0o777).toBe(0o751);
});

it("D15, D16: other content is refused with the ways on, the same content writes nothing", async () => {
  const long = new Date(2001, 1, 1);
  const { set, text } = await run(
    [
      call("o", "write_file", { path: "a.txt", content: "other\n" }),
      call("s", "write_file", { path: "a.txt", content: "mine\n" }),
    ],
    (set) => {
      writeFileSync(join(set.root, "a.txt"), "mine\n");
      utimesSync(join(set.root, "a.txt"), long, long);
    },
  );
  for (const way of ["edit_file", "append_file", "delete_file, then write_file"]) expect(text("o")).toContain(way);
  expect(text("s")).toContain("already_exists_same_content");
  expect([read(set, "a.txt"), statSync(join(set.root, "a.txt")).mtimeMs]).toEqual(["mine\n", long.getTime()]);
});

it("D18: a file that appears between the plan and the write is not overwritten", async () => {
  const set = await stage([{ calls: [call("w", "write_file", { path: "a.txt", content: "x\n" })] }, { text: "done" }]);
  const ask = async () => {
    writeFileSync(join(set.root, "a.txt"), "theirs\n");
    return { decision: "allow" } as const;
  };
  await (await set.open({ settings: {}, ask })).send("go");
  expect(resultText(set.bodies().at(-1), "w")).toContain("created by somebody else");
  expect(read(set, "a.txt")).toBe("theirs\n");
});

it("D21, D23: an edit of what was not read, or changed since, is refused with what is there, and then succeeds", async () => {
  const edit = (id: string, old_string: string) => ({
    calls: [call(id, "edit_file", { path: "a.txt", old_string, new_string: "y" })],
  });
  const set = await stage((_, index) => {
    if (index === 2) writeFileSync(join(set.root, "a.txt"), "uno\ndos\ntres\n");
    return (
      [edit("unread", "one"), edit("then", "one"), edit("stale", "two"), edit("again", "dos")][index] ?? {
        text: "done",
      }
    );
  });
  writeFileSync(join(set.root, "a.txt"), "one\ntwo\n");
  await (await set.open()).send("go");
  const text = (id: string) => resultText(set.bodies().at(-1), id);
  expect(text("unread")).toContain("was not read before");
  expect(text("then")).toContain("edited a.txt");
  expect(text("stale")).toContain("changed on disk since you last saw it");
  expect(text("again")).toContain("edited a.txt");
  expect(read(set, "a.txt")).toBe("uno\ny\ntres\n");
});

it("D30: a malformed call beside a good one: both get a result, and the good one runs", async () => {
  const bad = { id: "bad", name: "write_file", raw: '{"path": "b.txt", "content": "x' };
  const set = await stage([
    { calls: [bad, call("good", "write_file", { path: "a.txt", content: "x\n" })] },
    { text: "done" },
  ]);
  await (await set.open()).send("go");
  expect(resultText(set.bodies().at(-1), "bad")).toContain("Not run");
  expect(resultText(set.bodies().at(-1), "good")).toContain("created a.txt");
  expect([existsSync(join(set.root, "b.txt")), read(set, "a.txt")]).toEqual([false, "x\n"]);
});
