import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Parses, sanitise, sanitisePiece } from "./sanitise.js";

const fence = "```";

describe("a thinking block before the content", () => {
  test.each(["think", "thinking", "reasoning", "reflection", "analysis"])("<%s>", (tag) => {
    const { text, notes } = sanitise("a.py", `<${tag}>\nLet me see.\n</${tag}>\n\n    x = 1\n`);
    expect(text).toBe("    x = 1\n");
    expect(notes).toEqual([`left out the <${tag}> block before the content`]);
  });

  test.each([
    ["attributes", '<think a="1">\nhm\n</think>\nf();\n'],
    ["attributes over two lines", "<think\n  mode='x'>hm</think>\nf();\n"],
    ["upper case", "<THINK>hm</Think>\nf();\n"],
    ["no content of its own", "<think/>\nf();\n"],
    ["no content, with attributes", '<thinking budget="1" />\r\n\r\nf();\n'],
    ["blank lines before", "\n \r\n  <think>hm</think>\nf();\n"],
    ["a byte order mark before", "\ufeff<think>hm</think>f();\n"],
    ["CRLF", "<think>\r\nhm\r\n</think>\r\n\r\nf();\n"],
    ["blanks in the closing tag", "<think>hm</think >\nf();\n"],
    ["two blocks", "<think>a</think>\n<reasoning>b</reasoning>\nf();\n"],
  ])("with %s", (_, given) => {
    for (const path of ["a.ts", "a.py", "a.css", "a.json"]) expect(sanitise(path, given).text).toBe("f();\n");
  });

  test.each([
    ["markup", "a.html", "<analysis>x</analysis>\n<p>y</p>\n"],
    ["markup", "a.svg", "<think>x</think>\n<svg/>\n"],
    ["JSX", "a.tsx", "<think>x</think>;\nf();\n"],
    ["prose", "a.md", "<think>x</think>\n# y\n"],
    ["prose", "README", "<think>x</think>\ny\n"],
    ["a kind nobody knows", "a.prompt2", "<think>x</think>\ny\n"],
    ["a template", "a.php", "<think>x</think>\n<?php\n"],
    ["an element of the file's own", "a.xml", '<think mode="x">y</think>\n<z/>\n'],
    ["not at the start", "a.py", "y = 1\n<think>x</think>\ny = 1\n"],
    ["not closed", "a.py", "<think>x\ny = 1\n"],
    ["nothing follows", "a.py", "<think>x</think>\n \n"],
    ["another name", "a.ts", "<thinker>x</thinker>\nf();\n"],
    ["a longer name", "a.ts", "<think-box>x</think-box>\nf();\n"],
    ["a tag that has no end", "a.ts", "<think\nf();\n"],
    ["a type", "a.ts", "Promise<analysisResult>\nf<think>();\n"],
  ])("stays: %s", (_, path, text) => {
    expect(sanitise(path, text)).toEqual({ text, notes: [] });
  });
});

describe("a fence around everything", () => {
  test.each([
    ["a.rs", `${fence}rust\nfn main() {}\n${fence}`, "fn main() {}\n"],
    ["a.rs", `${fence}\nfn main() {}\n${fence}\n`, "fn main() {}\n"],
    ["a.rs", `${fence} rust \r\n  fn main() {}\r\n${fence}\r\n\r\n`, "  fn main() {}\r\n"],
    ["a.js", `~~~~js\n${fence}\n~~~\n~~~~`, `${fence}\n~~~\n`],
    ["a.html", `${fence}html\n<p>\n${fence}`, "<p>\n"],
    ["a.ts", `${fence}ts\n<think>\nhm\n</think>\nf();\n${fence}`, "f();\n"],
    ["a.ts", `<think>hm</think>\n${fence}ts\nf();\n${fence}`, "f();\n"],
    ["a.ts", `${fence}ts src/a.ts\nf();\n${fence}`, "f();\n"],
    ["a.ts", `${fence} here it is\nf();\n${fence}`, "f();\n"],
    ["a.py", `${fence}python title="a b.py" {1,3}\r\nx = 1\r\n${fence}\r\n`, "x = 1\r\n"],
    ["a.ts", `${fence}{.ts .numberLines}\nf();\n${fence}`, "f();\n"],
    ["a.ts", `~~~ {.ts}\nf(\`x\`);\n~~~`, "f(`x`);\n"],
    ["a.ts", `~~~ts the \`f\` file\nf();\n~~~`, "f();\n"],
    ["a.ts", `\n  \n${fence}ts\nf();\n${fence}`, "f();\n"],
    ["a.ts", `\ufeff${fence}ts\nf();\n${fence}`, "f();\n"],
    ["Makefile", `${fence}make\nall:\n\ttrue\n${fence}`, "all:\n\ttrue\n"],
  ])("comes off: %s %j", (path, given, text) => {
    const cleaned = sanitise(path, given);
    expect(cleaned.text).toBe(text);
    expect(cleaned.notes.length).toBeGreaterThan(0);
  });

  test.each([
    ["Markdown", "a.md", `${fence}js\nf();\n${fence}\n`],
    ["reStructuredText", "a.rst", `${fence}\nx\n${fence}\n`],
    ["plain text", "a.txt", `${fence}\nx\n${fence}\n`],
    ["two fences", "a.rs", `${fence}\na\n${fence}\n\nb\n\n${fence}\nc\n${fence}\n`],
    ["exactly three backticks", "a.rs", fence],
    ["nothing inside", "a.rs", `${fence}\n\n${fence}`],
    ["nothing at all inside", "a.rs", `${fence}\n${fence}`],
    ["never closed", "a.rs", `${fence}rust\nfn main() {}\n`],
    ["closed longer", "a.rs", `${fence}\nx\n${fence}\`\n`],
    ["closed with a word", "a.rs", `${fence}\nx\n${fence}rust\n`],
    ["not the first line", "a.rs", `x\n${fence}\ny\n${fence}`],
    ["text behind it", "a.rs", `${fence}\ny\n${fence}\nx`],
    ["a backtick behind the opening", "a.rs", `${fence} \`x\`\ny\n${fence}`],
    ["two words in a kind nobody knows", "a.prompt2", `${fence} here it\ny\n${fence}`],
  ])("stays: %s", (_, path, text) => {
    expect(sanitise(path, text)).toEqual({ text, notes: [] });
  });

  test("comes off a later piece too, thinking does not", () => {
    expect(sanitisePiece("a.ts", `${fence}ts\ng();\n${fence}\n`).text).toBe("g();\n");
    const piece = "<think>x</think>\ng();\n";
    expect(sanitisePiece("a.ts", piece)).toEqual({ text: piece, notes: [] });
  });
});

describe("one JSON string literal", () => {
  /** Braces must balance; a literal alone is a program here, except in languages that have no such thing. */
  const parses: Parses = (path, text) => {
    if (path.endsWith(".md")) return "unknown";
    const alone = /^"(?:[^"\\\n]|\\.)*"\s*$/.test(text);
    if (alone && path.endsWith(".go")) return "error";
    return text.split("{").length === text.split("}").length ? "ok" : "error";
  };

  test.each([
    ["a.go", 'package main\n\nvar s = "a\\"b"\n'],
    ["a.go", "package main"],
    ["a.js", 'f("x");\ng();\n'],
  ])("is decoded when that parses better: %s", (path, program) => {
    // JSON needs an escape to be worth decoding; a program without one is its own literal's inside.
    const literal = JSON.stringify(program).replace("package", "\\u0070ackage");
    expect(sanitise(path, literal, parses)).toEqual({
      text: program,
      notes: ["decoded the content, which came as one JSON string"],
    });
  });

  test.each([
    ["without a parser", "a.go", JSON.stringify("f();\ng();\n"), undefined],
    ["where JSON is the language", "a.json", JSON.stringify("a\nb"), parses],
    ["where strings are data", "a.yaml", JSON.stringify("a\nb"), parses],
    ["one line in a language that allows it", "a.js", JSON.stringify('say "hi"'), parses],
    ["decoded it is broken", "a.go", JSON.stringify("f() {\ng();\n"), parses],
    ["the parser does not know", "a.md", JSON.stringify("a\nb"), parses],
    ["not one literal", "a.js", '"a\\n" + "b\\n"', parses],
    ["a quoted word inside", "a.js", 'print("a\\nb")', parses],
    ["a backslash and quotes", "a.js", 'const s = "\\"";\n', parses],
  ])("stays: %s", (_, path, text, port) => {
    expect(sanitise(path, text, port)).toEqual({ text, notes: [] });
  });
});

describe("any text", () => {
  const part = fc.constantFrom(
    ...[fence, `${fence}ts`, "````", "~~~", "<think>", "</think>", "<analysis>", "</analysis>"],
    ...["\n", "\r\n", "  ", "f();", '"', "\\n", "<p>", "…"],
  );
  const text = fc.array(part, { maxLength: 14 }).map((parts) => parts.join(""));
  const path = fc.constantFrom("a.ts", "a.py", "a.rs", "a.html", "a.md", "a.json", "a.unknown", "Makefile");
  const always: Parses = (_, candidate) => (candidate.startsWith('"') ? "error" : "ok");

  test("sanitised twice is sanitised once; without a note nothing changed; what is left is a piece of what came", () => {
    fc.assert(
      fc.property(path, text, (at, given) => {
        const once = sanitise(at, given);
        expect(sanitise(at, once.text)).toEqual({ text: once.text, notes: [] });
        expect(given).toContain(once.text);
        expect(once.notes.length === 0).toBe(once.text === given);
      }),
      { numRuns: 3_000 },
    );
  });

  test("also with decoding, where it is a piece of the decoded value", () => {
    fc.assert(
      fc.property(
        text.filter((given) => !given.startsWith('"')),
        fc.boolean(),
        (given, encode) => {
          const value = encode ? JSON.stringify(given) : given;
          const once = sanitise("a.go", value, always);
          expect(sanitise("a.go", once.text, always).text).toBe(once.text);
          expect(value.includes(once.text) || given.includes(once.text)).toBe(true);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test("that begins with none of the wrappers stays as it is", () => {
    const free = fc.string().filter((given) => !/^(?:```|~~~|<(?:think|reasoning|reflection|analysis)|")/.test(given));
    fc.assert(
      fc.property(path, free, (at, given) => {
        expect(sanitise(at, given, always)).toEqual({ text: given, notes: [] });
      }),
    );
  });
});
