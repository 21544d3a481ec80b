// What counts as seen, and what a session that is resumed still knows of it.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { resultText, type Stage, stage } from "../support/stage.js";

const long = `${Array.from({ length: 400 }, (_, i) => `line ${i + 1}`).join("\n")}\n`;
const done = { text: "done" };
const call = (id: string, name: string, input: object) => ({ calls: [{ id, name, input: { ...input } }] });
const edit = (id: string, old_string: string, new_string: string) =>
  call(id, "edit_file", { path: "a.txt", old_string, new_string });

async function project(script: Parameters<typeof stage>[0]): Promise<Stage> {
  const set = await stage(script);
  writeFileSync(join(set.root, "a.txt"), long);
  return set;
}
const content = (set: Stage) => readFileSync(join(set.root, "a.txt"), "utf8");

describe("lines shown by other means than a read can be edited, and no others", () => {
  const looks = [
    call("s", "search_text", { pattern: "line 12$" }),
    call("s", "run_command", { command: "sed -n '12p' a.txt" }),
    call("s", "run_command", { command: "head -n 12 ./a.txt" }),
    call("s", "run_command", { command: "grep -n 'line 12$' a.txt" }),
    call("s", "read_file", { path: "a.txt", offset: 12, limit: 1 }),
  ];
  it.each(looks.map((look) => [JSON.stringify(look.calls[0]?.input), look] as const))("%s", async (_, look) => {
    const set = await project([look, edit("e", "line 12\n", "twelve\n"), edit("f", "line 13\n", "x\n"), done]);
    await (await set.open()).send("go");
    expect(resultText(set.bodies().at(-1), "e")).toContain("edited a.txt");
    expect(resultText(set.bodies().at(-1), "f")).toContain("not read before");
    expect(content(set)).toBe(long.replace("line 12\n", "twelve\n"));
  });

  it("not when the line has changed since", async () => {
    let turn = 0;
    const set = await project(() => {
      if (turn++ === 0) return call("s", "search_text", { pattern: "line 12$" });
      if (turn > 2) return done;
      writeFileSync(join(set.root, "a.txt"), long.replace("line 12\n", "line 12 theirs\n"));
      return edit("e", "line 12", "twelve");
    });
    await (await set.open()).send("go");
    expect(resultText(set.bodies().at(-1), "e")).toMatch(/occurs|not read/);
    expect(content(set)).toContain("line 12 theirs");
  });
});

describe("after a resume", () => {
  it("the lines of a read in part, of a refusal and of an edit are known, the others are not", async () => {
    const set = await project([
      call("r", "read_file", { path: "a.txt", offset: 10, limit: 5 }),
      edit("u", "line 200\n", "two hundred\n"),
      edit("u2", "line 200\n", "two\nhundred\n"),
      done,
      edit("e", "line 12\n", "twelve\n"),
      edit("f", "line 205\n", "205\n"),
      edit("g", "line 300\n", "300\n"),
      done,
    ]);
    const session = await set.open();
    await session.send("one");
    await session.close();
    await (await set.open({}, true)).send("two");
    const body = set.bodies().at(-1);
    expect(resultText(body, "u")).toContain("not read before");
    for (const id of ["u2", "e", "f"]) expect(resultText(body, id)).toContain("edited a.txt");
    expect(resultText(body, "g")).toContain("not read before");
  });

  it("what a refused write showed may be edited at once", async () => {
    const set = await stage([
      call("w", "write_file", { path: "a.txt", content: "other\n" }),
      done,
      edit("e", "short", "brief"),
      done,
    ]);
    writeFileSync(join(set.root, "a.txt"), "short\n");
    const session = await set.open();
    await session.send("one");
    await session.close();
    await (await set.open({}, true)).send("two");
    expect(content(set)).toBe("brief\n");
  });
});

describe("files.overwrite", () => {
  const write = call("w", "write_file", { path: "a.txt", content: "new\n" });

  it("is refused by default, also for a file that was read", async () => {
    const set = await project([call("r", "read_file", { path: "a.txt" }), write, done]);
    await (await set.open()).send("go");
    expect(resultText(set.bodies().at(-1), "w")).toContain("exists already");
    expect(content(set)).toBe(long);
  });

  it('with "seen" replaces what was seen as a whole, and nothing else', async () => {
    const settings = { permissions: { mode: "auto" }, files: { overwrite: "seen" } } as const;
    const part = await project([call("r", "read_file", { path: "a.txt", limit: 10 }), write, done]);
    await (await part.open({ settings })).send("go");
    expect(content(part)).toBe(long);
    const set = await project([call("r", "read_file", { path: "a.txt" }), write, done]);
    const result = await (await set.open({ settings })).send("go");
    expect(resultText(set.bodies().at(-1), "w")).toContain("rewrote a.txt");
    expect(content(set)).toBe("new\n");
    expect(result.files).toMatchObject([{ before: expect.any(String), after: expect.any(String) }]);
  });
});

it("an append is applied once per call id, also in a session that is resumed", async () => {
  const append = call("p", "append_file", { path: "a.txt", content: "more\n" });
  const set = await project([append, done, append, done]);
  const session = await set.open();
  await session.send("one");
  await session.close();
  await (await set.open({}, true)).send("two");
  expect(content(set)).toBe(`${long}more\n`);
});
