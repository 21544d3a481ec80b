// What a change is blamed for: table of texts before and after, and the line of advice that comes of it.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { adviceOf, SyntaxObserver } from "./observer.js";
import { checkChange, parses } from "./verdict.js";

const broken = "def f():\n    return (1\n\n\ndef g():\n    pass\n";

async function advice(path: string, before: string | null, after: string, partial = false): Promise<string | null> {
  const verdict = await checkChange({ path, before, after, partial });
  return verdict && adviceOf(verdict);
}

describe("a change", () => {
  it.each<[name: string, path: string, before: string | null, after: string, advice: string | null]>([
    ["that mends", "a.json", '{"a":}', '{"a": 1}', "syntax: ok"],
    [
      "that breaks",
      "a.json",
      '{"a": 1}',
      '{"a": 1,}',
      "syntax error at 1:9: a property name in double quotes is expected",
    ],
    ["of prose", "a.md", "(", "((", null],
    [
      "elsewhere in a broken file",
      "a.py",
      broken,
      broken.replace("pass", "return 2"),
      "syntax: nothing new; as before, error at 2:12: `(` is not closed",
    ],
    [
      "that moves the old fault",
      "a.py",
      broken,
      `import os\n\n${broken}`,
      "syntax: nothing new; as before, error at 4:12: `(` is not closed",
    ],
    [
      "that repeats the old fault",
      "a.json",
      '{\n"a" 1,\n"b": 2\n}',
      '{\n"a" 1,\n"a" 1,\n"b": 2\n}',
      "syntax error at 3:5: `:` is expected",
    ],
    [
      "that adds a fault to an old one",
      "a.css",
      "a {\n  color red;\n}\n",
      "a {\n  color red;\n  width 1px;\n}\n",
      "syntax error at 3:3: cannot be read (`width`)",
    ],
    [
      "that mends the first of two faults, of which the parser told one",
      "a.js",
      "let a = ;\nlet b;\nlet c = ;\n",
      "let a = 1;\nlet b;\nlet c = ;\n",
      "syntax: nothing new; as before, error at 3:9: Unexpected token",
    ],
    [
      "that mends one fault and makes another",
      "a.js",
      "let a = ;\nlet b;\n",
      "let a = 1;\nlet b = ;\n",
      "syntax error at 2:9: Unexpected token",
    ],
    [
      "with many faults",
      "a.json",
      null,
      '{\n"a" 1,\n"b" 2,\n"c" 3,\n"d" 4,\n"e" 5\n}',
      "syntax error at 2:5: `:` is expected; at 3:5: `:` is expected; at 4:5: `:` is expected; 2 more",
    ],
    [
      "with an odd thing that browsers take",
      "a.html",
      "<p>a</p>\n",
      "<p>a</p>\n<p id=a id=b>\n",
      "syntax: ok; odd at 2:11: an attribute is there twice",
    ],
    ["in Windows line ends", "a.py", "x = 1\r\n", "x = 1\r\nif x:\r\n    pass\r\n", "syntax: ok"],
    ["that no checker can judge", "a.js", "// @flow\n", "// @flow\n(", "syntax: not checked (Flow types)"],
  ])("%s", async (_, path, before, after, wanted) => {
    expect(await advice(path, before, after)).toBe(wanted);
  });

  it("is not blamed for any text it leaves as it was, wherever lines are added", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 6 }), fc.integer({ min: 1, max: 3 }), async (at, lines) => {
        const old = "a = 1\nb = = 2\nc = 3\nd = )\ne = 5\n".split("\n");
        const after = [...old.slice(0, at), ...Array<string>(lines).fill("# more"), ...old.slice(at)].join("\n");
        expect((await checkChange({ path: "a.py", before: old.join("\n"), after, partial: false }))?.kind).toBe("ok");
      }),
    );
  });
});

describe("a piece of a file", () => {
  it.each<[name: string, path: string, text: string, advice: string]>([
    [
      "is only told what is open",
      "a.js",
      "function f() {\n",
      "syntax so far (partial): error at 2:1: Expected `}` but found `EOF` (opened at 1:14)",
    ],
    ["in a call", "a.py", "x = f(1,\n", "syntax so far (partial): error at 1:6: `(` is not closed"],
    [
      "in a string of many lines",
      "a.py",
      'def f():\n    """Some words.\n',
      'syntax so far (partial): error at 2:5: cannot be read (`"""Some words.`)',
    ],
    ["in a body", "a.java", "class A {\n  void f() {\n", "syntax so far (partial): error at 2:12: `{` is not closed"],
    ["in a list", "a.json", "[1,\n2,\n", "syntax so far (partial): error at 3:1: a value is expected"],
    [
      "in a page",
      "a.html",
      "<html>\n<head>\n<title>x</title>\n",
      "syntax so far (partial): open at 1:1: `<html>` is not closed; at 2:1: `<head>` is not closed",
    ],
    [
      "in a script of a page",
      "a.html",
      "<p>x</p>\n<script>\nlet a;\n",
      "syntax so far (partial): error at 2:1: `<script>` is not closed",
    ],
    ["that is whole", "a.go", "package a\n", "syntax: ok"],
    ["with a fault that no more text can mend", "a.py", "def f(:\n    pass\n", "syntax error at 1:7: `)` is missing"],
    [
      "with such a fault before the open end",
      "a.js",
      "let a = ;\nfunction f() {\n",
      "syntax error at 1:9: Unexpected token",
    ],
  ])("%s", async (_, path, text, wanted) => {
    expect(await advice(path, null, text, true)).toBe(wanted);
  });
});

describe("parses", () => {
  it("answers for what has a checker", async () => {
    expect(await parses("a.py", "print('a')\n")).toBe("ok");
    expect(await parses("a.py", '"print(1)\\nprint(')).toBe("error");
    expect(await parses("a.html", "<p>a</span>")).toBe("ok");
    expect(await parses("a.txt", "(")).toBe("unknown");
    expect(await parses("a.py", "#".repeat(1_000_001))).toBe("unknown");
  });
});

describe("a run", () => {
  const change = (path: string, before: string | null, after: string, partial = false) => ({
    path,
    shown: path,
    before,
    after,
    partial,
  });

  it("keeps what it broke, and forgets what it mended or what is gone", async () => {
    const now: Record<string, string> = { "a.js": "let a = ;\n", "b.js": "let b = 1;\n", "d.js": "let d = [\n" };
    const observer = new SyntaxObserver((path) => now[path] ?? null);
    for (const path of ["a.js", "b.js", "c.js"]) await observer.observe(change(path, null, "let a = ;\n"));
    await observer.observe(change("d.js", null, "let d = [\n", true));
    await observer.observe(change("e.js", "let e = ;\n", "let e = ;\nlet f;\n"));
    expect(await observer.broken()).toBe("a.js (1:9: Unexpected token); d.js (2:1: Expected `]` but found `EOF`)");
  });

  it("is not blamed at its end for what a file had wrong before, nor for what others broke meanwhile", async () => {
    const [old, theirs] = ["let a = ;\n", "let b = ;\n"];
    const observer = new SyntaxObserver((path) => (path === "a.js" ? `${old}let c = 1;\n` : `${theirs}let c = 1;\n`));
    await observer.observe(change("a.js", old, `${old}let c;\n`));
    await observer.observe(change("a.js", `${old}let c;\n`, `${old}let c = 1;\n`));
    await observer.observe(change("b.js", null, "let b = 1;\n"));
    expect(await observer.observe(change("b.js", theirs, `${theirs}let c = 1;\n`))).toContain("nothing new");
    expect(await observer.broken()).toBeNull();
  });

  it("hears of its own fault until it is mended", async () => {
    const observer = new SyntaxObserver(() => null);
    const [one, two] = ["let a = ;\n", "let a = ;\nlet b;\n"];
    expect(await observer.observe(change("a.js", null, one))).toContain("syntax error at 1:9");
    expect(await observer.observe(change("a.js", one, two))).toContain("syntax error at 1:9");
    expect(await observer.observe(change("a.js", two, "let a;\n"))).toBe("syntax: ok");
  });
});
