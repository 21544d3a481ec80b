import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/run.js";
import { createFiles, type FilesOptions } from "../door.js";

function project(options: Partial<FilesOptions> = {}) {
  const root = tempDir("cinch-hygiene-");
  const files = createFiles({ root, ...options });
  const write = async (path: string, content: string) => {
    const plan = await files.planCreate(path, content);
    await files.commit(plan);
    return { notes: plan.stats.notes, text: fs.readFileSync(join(root, path), "utf8"), plan };
  };
  return { root, files, write };
}

/** Parses a language in which every statement ends with a semicolon and no string stands alone. */
const parses = async (_: string, text: string) => (text.trimEnd().endsWith(";") ? "ok" : "error");

test("a program that came as one JSON string is decoded when that parses better, and the note says so", async () => {
  const { write } = project({ parses });
  const program = 'print("a\\nb");\nend;\n';
  expect(await write("a.x", JSON.stringify(program))).toMatchObject({
    text: program,
    notes: ["decoded the content, which came as one JSON string"],
  });
  const other = JSON.stringify("no program\n");
  expect(await write("b.x", other)).toMatchObject({ text: other, notes: [] });
});

test("without a parser no string is decoded; half a surrogate pair in a decoded one is refused", async () => {
  const literal = JSON.stringify("f();\ng();\n");
  expect((await project().write("a.x", literal)).text).toBe(literal);
  await expect(project({ parses }).write("a.x", '"\\ud800;"')).rejects.toThrow("half of a surrogate pair");
});

test("the digest, the diff and the sizes are those of what is written", async () => {
  const { write } = project();
  const wrapped = await write("a.rs", "```rust\nfn f() {}\n```\n");
  const plain = await write("b/a.rs", "fn f() {}\n");
  expect(wrapped.plan.after).toBe(plain.plan.after);
  expect(wrapped.plan.diff).toBe(plain.plan.diff);
  expect(wrapped.plan.stats).toMatchObject({ totalBytes: 10, totalLines: 1 });
});

test("the door of another call remembers the refusal, as they share it", async () => {
  const refusedOnce = new Set<string>();
  const { root, files } = project({ refusedOnce });
  const body = "f();\n".repeat(8);
  await files.commit(await files.planCreate("a.ts", body));
  const edits = [{ oldText: body, newText: "// ... existing code\n" }];
  await expect(files.planEdit("a.ts", edits)).rejects.toMatchObject({ kind: "placeholder" });
  const again = createFiles({ root, refusedOnce });
  await again.read("a.ts", {});
  expect((await again.planEdit("a.ts", edits)).stats.notes).toEqual([
    'line 1 ("... existing code") came in the place of 8 lines of code',
  ]);
});

test.each([
  ["never closed", "a.py", "<think>\nLet me see.\nx = 1\n"],
  ["never closed, with attributes", "a.ts", '<think budget="1">\nf();\n'],
  ["a tag without an end", "a.py", "<think\nx = 1\n"],
  ["nothing follows", "a.json", "<thinking>hm</thinking>\n"],
  ["below blank lines", "a.py", "\n\n<THINK>\nx = 1\n"],
])("thinking of which the file cannot be told is refused once: %s", async (_, path, content) => {
  const { root, write } = project();
  await expect(write(path, content)).rejects.toMatchObject({ kind: "placeholder" });
  expect(fs.existsSync(join(root, path))).toBe(false);
  expect(await write(path, content)).toMatchObject({
    text: content,
    notes: [expect.stringContaining("begins with <")],
  });
});

test.each(["a.html", "a.svg", "a.xml", "a.md", "a.vue", "notes"])(
  "and never where it may be meant: %s",
  async (path) => {
    const content = "<think>\nLet me see.\n";
    expect(await project().write(path, content)).toMatchObject({ text: content });
  },
);
