// Careless content: what a model wraps around a file comes off at the edges, what it leaves out is named, and code is
// not replaced by a comment without a second thought. Cases 31 to 38, through the SDK.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { resultText, stage } from "../support/stage.js";

type Input = Record<string, unknown>;

/** Runs calls one after the other, each in a message of its own; returns their results and the project. */
async function run(
  calls: readonly (readonly [tool: string, input: Input])[],
  options: { project?: Record<string, string>; settings?: object } = {},
) {
  const replies = calls.map(([name, input], i) => ({ calls: [{ id: `c${i}`, name, input }] }));
  const { open, bodies, root } = await stage([...replies, { text: "ok" }]);
  for (const [name, text] of Object.entries(options.project ?? {})) writeFileSync(join(root, name), text);
  const settings = { permissions: { mode: "auto" }, ...options.settings } as const;
  await (await open({ settings })).send("go");
  const at = (name: string) => join(root, name);
  return {
    results: calls.map((_, i) => resultText(bodies().at(-1), `c${i}`)),
    text: (name: string) => readFileSync(at(name), "utf8"),
    exists: (name: string) => existsSync(at(name)),
  };
}

const write = (path: string, content: string) => ["write_file", { path, content }] as const;
const append = (path: string, content: string) => ["append_file", { path, content }] as const;
const fence = "```";

/** Writes every text to its path and expects it there byte for byte, without a note. */
async function asGiven(files: Record<string, string>): Promise<void> {
  const { results, text } = await run(Object.entries(files).map(([path, content]) => write(path, content)));
  for (const [i, [path, content]] of Object.entries(files).entries()) {
    expect(text(path)).toBe(content);
    expect(results[i]).not.toContain("note:");
  }
}

describe("wrappers around the content", () => {
  it("31: a thinking block before code is left out and reported", async () => {
    const { results, text } = await run([
      write("a.py", "<think>\nA list will do.\n</think>\n\nx = []\n"),
      append("b.ts", "<reasoning>hm</reasoning>\nf();\n"),
      append("b.ts", "<think>meant</think>\n"),
    ]);
    expect(text("a.py")).toBe("x = []\n");
    expect(results[0]).toContain("note: left out the <think> block before the content");
    expect(results[0]).toContain("1 line, 7 bytes");
    expect(text("b.ts")).toBe("f();\n<think>meant</think>\n");
  });

  it("32: elements and types with such names stay", async () => {
    await asGiven({
      "a.html": "<analysis>\n  <p>one</p>\n</analysis>\n<p>two</p>\n",
      "a.ts": "const a: Promise<analysisResult> = f<think>();\n",
      "a.xml": "<analysis>x</analysis>\n",
    });
  });

  it("33: one fence around all of a program comes off, one in Markdown stays", async () => {
    const markdown = `${fence}sh\nnpm ci\n${fence}\n\nthen\n\n${fence}sh\nnpm test\n${fence}\n`;
    const { results, text } = await run([
      write("a.rs", `${fence}rust\nfn main() {\n    run();\n}\n${fence}\n`),
      write("a.md", markdown),
      write("b.md", `${fence}\nall of it\n${fence}\n`),
      append("a.rs", `${fence}rust\n\nfn run() {}\n${fence}`),
    ]);
    expect(text("a.rs")).toBe("fn main() {\n    run();\n}\n\nfn run() {}\n");
    expect(results[0]).toContain("note: left out the ```rust fence around the content");
    expect(results[3]).toContain("note: left out the ```rust fence around the content");
    expect(text("a.md")).toBe(markdown);
    expect(text("b.md")).toBe(`${fence}\nall of it\n${fence}\n`);
    expect(results[1]).not.toContain("note:");
  });

  it("34: three backticks and nothing else are a file", async () => {
    await asGiven({ "a.rs": fence, "a.txt": fence, "b.js": `${fence}\n` });
  });

  it("35: final line end, its absence and the first indentation stay", async () => {
    await asGiven({ "a.py": "x = 1", "b.py": "x = 1\n\n", "c.py": "    x = 1\n", "d.ts": "\n\n  f()", "e.js": " \t" });
    const { text } = await run([write("a.js", `${fence}js\n    indented();\n\n${fence}`)]);
    expect(text("a.js")).toBe("    indented();\n\n");
  });

  it("what was asked for and is there already with its wrapper is the same content", async () => {
    const { results, text } = await run(
      [write("a.js", `${fence}\nf();\n${fence}\n`), write("b.js", `${fence}\nf();\n${fence}\n`)],
      { project: { "a.js": `${fence}\nf();\n${fence}\n`, "b.js": "f();\n" } },
    );
    expect(results[0]).toMatch(/^already_exists_same_content/);
    expect(results[1]).toMatch(/^already_exists_same_content/);
    expect(text("a.js")).toContain(fence);
  });

  it("texts of an edit are never touched", async () => {
    const fresh = `<think>a</think>\n${fence}\nb\n${fence}\n`;
    const { text } = await run(
      [
        ["read_file", { path: "a.ts" }],
        ["edit_file", { path: "a.ts", old_string: "old();\n", new_string: fresh }],
      ],
      { project: { "a.ts": "old();\n" } },
    );
    expect(text("a.ts")).toBe(fresh);
  });
});

describe("comments that stand for left-out code", () => {
  it("36: are named with their lines, and the file is written", async () => {
    const files = {
      "a.js": "f();\n// ... rest of the code\n",
      "a.py": "f()\n# existing code unchanged\n",
      "a.html": "<p>\n<!-- snip -->\n",
      "a.ts": "/**\n * ... existing code\n */\nf();\n",
      "a.tsx": "<div>\n  {/* rest omitted */}\n</div>\n",
    };
    const { results, text } = await run(Object.entries(files).map(([path, content]) => write(path, content)));
    for (const [i, [path, content]] of Object.entries(files).entries()) {
      expect(results[i]).toContain(`created ${path}`);
      expect(results[i]).toContain("\nnote: line 2 (");
      expect(text(path)).toBe(content);
    }
    expect(results[0]).toContain(
      'note: line 2 ("... rest of the code") seems to stand for left-out code; the file must hold all of it',
    );
  });

  it("36: appended ones are named with the lines of the file, each once", async () => {
    const { results } = await run([
      write("a.js", "// ... existing code\nf();\n"),
      append("a.js", "g();\n// rest of the code\n"),
      append("a.js", "h();\n"),
    ]);
    expect(results[1]).toContain('line 4 ("rest of the code")');
    expect(results[1]).not.toContain("line 1");
    expect(results[2]).not.toContain("note:");
  });

  it("37: prose, quotations, TODO and dots are none", async () => {
    await asGiven({
      "a.xml": "<a>\n  ...\n  <!-- the rest of the story -->\n  the rest of the story\n</a>\n",
      "a.md": "# Rest of the code\n\nNever write `// ... rest of the code` or say existing code unchanged.\n",
      "a.ts": "f(...rest); // TODO: handle the rest of the arguments\n",
      "a.py": "def f(x: int) -> int: ...  # FIXME\n",
    });
  });
});

describe("38: code replaced by a comment", () => {
  const body = Array.from({ length: 100 }, (_, i) => `  step${i}();\n`).join("");
  const old = `export function run() {\n${body}}\n`;
  const short = "export function run() {\n  // ... rest of the code\n}\n";
  const rewrite = [["delete_file", { path: "a.ts" }] as const, write("a.ts", short)] as const;
  const edit = ["edit_file", { path: "a.ts", old_string: body, new_string: "  // ... existing steps\n" }] as const;
  const read = ["read_file", { path: "a.ts" }] as const;

  it("by a rewrite is refused; the same call again goes through with a warning", async () => {
    const { results, text } = await run([...rewrite, write("a.ts", short)], { project: { "a.ts": old } });
    expect(results[1]).toContain(
      'a.ts: in the new text line 2 ("... rest of the code") would stand for 100 lines of code. Nothing was changed. Send the code itself',
    );
    expect(results[2]).toContain('note: line 2 ("... rest of the code") came in the place of 100 lines of code');
    expect(text("a.ts")).toBe(short);
  });

  it("by an edit is refused, and the file stays; whole code is taken at once", async () => {
    const whole = { ...edit[1], new_string: "  all();\n" };
    const { results, text } = await run([read, edit, ["edit_file", whole]], { project: { "a.ts": old } });
    expect(results[1]).toContain("would stand for 100 lines of code. Nothing was changed.");
    expect(results[2]).toMatch(/^edited a\.ts/);
    expect(text("a.ts")).toBe("export function run() {\n  all();\n}\n");
  });

  it("by an edit among several changes nothing at all", async () => {
    const edits = [
      { old_string: "export ", new_string: "" },
      { old_string: body, new_string: "  // ... existing steps\n" },
    ];
    const { results, text } = await run([read, ["edit_file", { path: "a.ts", edits }]], { project: { "a.ts": old } });
    expect(results[1]).toContain("Nothing was changed.");
    expect(text("a.ts")).toBe(old);
  });

  it("is remembered for that call only", async () => {
    const other = { ...edit[1], new_string: "  // ... rest of the steps\n" };
    const { results, text } = await run([read, edit, ["edit_file", other], edit], { project: { "a.ts": old } });
    expect(results[2]).toContain("Nothing was changed.");
    expect(results[3]).toContain("came in the place of 100 lines of code");
    expect(text("a.ts")).toContain("existing steps");
  });

  it("is only warned about by setting, and when fewer than five lines go", async () => {
    const warn = { files: { placeholder: "warn" } };
    const warned = await run([read, edit], { project: { "a.ts": old }, settings: warn });
    expect(warned.results[1]).toContain("came in the place of 100 lines of code");
    const few = { path: "a.ts", old_string: "  step1();\n  step2();\n", new_string: "  // ... existing steps\n" };
    const small = await run([read, ["edit_file", few]], { project: { "a.ts": old } });
    expect(small.results[1]).toContain('note: line 3 ("... existing steps") seems to stand for left-out code');
  });

  it("is no matter when the comment was there before", async () => {
    const before = `// ... existing code\n${old}`;
    const gone = { path: "a.ts", old_string: body, new_string: "" };
    const { results } = await run([read, ["edit_file", gone]], { project: { "a.ts": before } });
    expect(results[1]).toMatch(/^edited a\.ts/);
    expect(results[1]).not.toContain("note:");
  });
});

describe("a mark where a secret was", () => {
  const token = `ghp_${"a1B2".repeat(9)}`;
  const old = `name = "n"\ntoken = "${token}"\n`;
  const shown = old.replace(token, "[redacted:github token]");
  const read = ["read_file", { path: "a.toml" }] as const;
  const edit = (old_string: string, new_string: string) =>
    ["edit_file", { path: "a.toml", old_string, new_string }] as const;

  it("is refused where it would come into a file, and the secret stays", async () => {
    const { results, text, exists } = await run(
      [
        read,
        edit('name = "n"\n', `${shown}# both\n`),
        ["delete_file", { path: "a.toml" }],
        write("a.toml", shown.replace('"n"', '"m"')),
        write("b.toml", shown),
        append("c.toml", shown),
      ],
      { project: { "a.toml": old } },
    );
    expect(results[0]).toContain("[redacted:github token]");
    for (const n of [1, 3, 4, 5]) expect(results[n]).toMatch(/holds \[redacted:github token\].*Nothing was changed/);
    expect([text("a.toml"), exists("b.toml"), exists("c.toml")]).toEqual([old, false, false]);
  });

  it("does not hinder a change of other lines, nor a file that speaks of it", async () => {
    const page = "A secret is shown as `[redacted:github token]`.\n";
    const { results, text } = await run(
      [read, edit('"n"', '"m"'), write("p.md", page), write("p.md", page), append("p.md", "More.\n")],
      {
        project: { "a.toml": old },
      },
    );
    expect(text("a.toml")).toBe(old.replace('"n"', '"m"'));
    expect(results[2]).toContain("make the same call again");
    expect(results[3]).toContain("note: [redacted:github token] was written as it is");
    expect(text("p.md")).toBe(`${page}More.\n`);
  });
});

describe("stubs", () => {
  it("are named when they are most of what was written, with the lines of the file", async () => {
    const empty = (name: string) => `export function ${name}() {}\n`;
    const { results } = await run([
      write("a.ts", `${empty("a")}${empty("b")}`),
      append("a.ts", `${empty("c")}${empty("d")}${empty("e")}${empty("f")}`),
      write("b.ts", `${empty("a")}export function b() {\n  return 1;\n}\n`),
    ]);
    expect(results[0]).toContain("note: INCOMPLETE? line 1 (a is empty), line 2 (b is empty)");
    expect(results[1]).toContain(
      "INCOMPLETE? line 3 (c is empty), line 4 (d is empty), line 5 (e is empty) and 1 more",
    );
    expect(results[2]).not.toContain("INCOMPLETE");
  });
});
