import { describe, expect, test } from "vitest";
import { diffTexts } from "../../lib/diff.js";
import { addedMarkers, findPlaceholders, mayHoldPlaceholder, replaced } from "./placeholder.js";

const lines = (path: string, text: string) => findPlaceholders(path, text).map(({ line }) => line);

describe("stands for left-out code", () => {
  test.each([
    ["a.js", "// ... rest of the code"],
    ["a.js", "// ...rest of file..."],
    ["a.js", "// … rest of the component unchanged …"],
    ["a.ts", "// rest of the code"],
    ["a.ts", "// Rest of the file remains the same"],
    ["a.ts", "// The rest of the implementation stays unchanged."],
    ["a.ts", "// rest of your existing code here"],
    ["a.ts", "// ... existing code ..."],
    ["a.ts", "/* ... existing imports ... */"],
    ["a.ts", "// [rest of the methods unchanged]"],
    ["a.ts", "// ... other methods"],
    ["a.ts", "// ... (remaining routes stay the same)"],
    ["a.ts", "// ... keep all existing handlers ..."],
    ["a.ts", "// ... same as before"],
    ["a.ts", "// rest same as before"],
    ["a.ts", "// --- existing code unchanged ---"],
    ["a.ts", "// code omitted for brevity"],
    ["a.ts", "// remaining code omitted"],
    ["a.ts", "// Error handling omitted for brevity"],
    ["a.ts", "// previous code unchanged"],
    ["a.ts", "// implementation continues"],
    ["a.ts", "// implementation unchanged"],
    ["a.ts", "// Implementation remains the same"],
    ["a.ts", "// <unchanged>"],
    ["a.ts", "// snip"],
    ["a.ts", "// -- 8< snip >8 --"],
    ["a.go", "/* snip */"],
    ["a.rs", "// ... rest of impl unchanged"],
    ["a.c", "/* ... the rest of the function ... */"],
    ["a.css", "/* ... rest of the styles ... */"],
    ["a.scss", "// ... existing styles"],
    ["a.py", "# ... existing code"],
    ["a.py", "# existing code unchanged"],
    ["a.py", "    # ... (rest of the class is unchanged)"],
    ["a.rb", "# rest of the file unchanged"],
    ["a.sh", "# ... rest of script"],
    ["a.yaml", "# ... existing config"],
    ["Dockerfile", "# ... rest of the file"],
    ["a.sql", "-- rest of the code unchanged"],
    ["a.lua", "--[[ existing code ]]"],
    ["a.clj", ";; ... rest of the code"],
    ["a.erl", "% rest of the module unchanged"],
    ["a.html", "<!-- snip -->"],
    ["a.html", "<!-- ... rest of the page ... -->"],
    ["a.xml", "<!-- existing code unchanged -->"],
    ["a.md", "<!-- rest of the document unchanged -->"],
    ["a.hbs", "{{!-- rest of the template unchanged --}}"],
    ["a.njk", "{# ... rest of the template #}"],
    ["a.erb", "<%# rest of the page unchanged %>"],
    ["a.tsx", "      {/* rest omitted */}"],
    ["a.tsx", "{/* ... existing JSX code ... */}"],
    ["a.strange", "# rest of the code unchanged"],
    ["a.json", "  // ... rest of the config"],
  ])("%s: %s", (path, text) => {
    expect(lines(path, `first\n${text}\nlast\n`)).toEqual([2]);
  });

  test("behind code, in doc comments, in docstrings, in script elements, as the whole of a block", () => {
    expect(lines("a.ts", "start(); // ... rest of the code\n")).toEqual([1]);
    expect(lines("a.py", "start()  # ... rest of the code\n")).toEqual([1]);
    expect(lines("a.ts", "/**\n * ... existing code\n */\nf();\n")).toEqual([2]);
    expect(lines("a.py", 'def f():\n    """Rest of the implementation unchanged."""\n')).toEqual([2]);
    expect(lines("a.py", "def f():\n    '''\n    ... existing code ...\n    '''\n")).toEqual([3]);
    expect(lines("a.html", "<p>x</p>\n<script>\nf();\n// ... rest of the code\n</script>\n")).toEqual([4]);
    expect(lines("a.vue", "<style>\n/* existing styles unchanged */\n</style>\n")).toEqual([2]);
    expect(lines("a.ts", "function f() {\n  // same as before\n}\n")).toEqual([2]);
    expect(lines("a.ts", "class A {\n  f() {\n    // (unchanged)\n  }\n}\n")).toEqual([3]);
    expect(lines("a.py", "def f():\n    # same as before\n\ndef g():\n    pass\n")).toEqual([2]);
  });

  test("every one of them, with CRLF too", () => {
    expect(findPlaceholders("a.ts", "// ... rest of the code\r\nf();\r\n/* snip */\r\n")).toEqual([
      { line: 1, text: "... rest of the code" },
      { line: 3, text: "snip" },
    ]);
  });
});

describe("stands for nothing but itself", () => {
  test.each([
    ["a.xml", "<a>...</a>\n<p>the rest of the story</p>\n<!-- the rest of the story -->\n"],
    ["a.txt", "// ... rest of the code\nrest of the code unchanged\n"],
    ["a.md", "Do not write `// ... rest of the code` or <b>existing code unchanged</b>.\n"],
    ["a.md", "# Existing code unchanged\n\n## Rest of the code\n"],
    ["a.md", "```js\n// ... rest of the code\n<!-- snip -->\n```\n\n`<!-- snip -->`\n"],
    ["a.ts", "// TODO: the rest of the code\n// FIXME unchanged\n"],
    ["a.ts", "const { a, ...rest } = b; // ...rest\nf(...rest);\n"],
    ["a.ts", "f(); // same as before\nconst a = 1; // unchanged\n"],
    ["a.ts", "// same as before, but with the other sign\nf();\n// (unchanged)\ng();\n"],
    ["a.ts", "// The rest of the line is skipped by the caller.\n// rest of the arguments\n"],
    ["a.ts", "// Reads a name and hands over the\n// rest of the code\n// to the next parser.\n"],
    ["a.ts", "// Omitted fields keep their value.\nf(/* omitted */);\n"],
    ["a.ts", 'const s = "// ... rest of the code";\nconst t = `\n// ... rest of the code\n`;\n'],
    ["a.ts", "const r = /'/; const u = 'http://x/... rest of the code';\n"],
    ["a.ts", "/**\n * ```ts\n * ... existing code\n * ```\n * @example\n * ... existing code\n */\n"],
    ["a.ts", "/// // ... rest of the code\n"],
    ["a.py", "def f(): ...\n\nclass A:\n    ...\n"],
    ["a.py", 's = """\n# ... rest of the code\n"""\n'],
    ["a.py", 'def f():\n    """Return the rest of the code."""\n'],
    ["a.py", 'def f():\n    """Like::\n\n        # ... existing code\n    """\n'],
    ["a.yaml", "rest: of the code unchanged\n"],
    ["a.css", "a::after { content: '// rest of the code'; }\n"],
    ["a.ts", "// ...\n// etc.\n"],
    ["a.ts", ""],
  ])("%s: %j", (path, text) => {
    expect(findPlaceholders(path, text)).toEqual([]);
  });

  test("a text without the words is not even scanned", () => {
    expect(mayHoldPlaceholder("const a = { ...b };\nf(); // done\n")).toBe(false);
  });
});

describe("code replaced by a marker", () => {
  const body = (n: number) => Array.from({ length: n }, (_, i) => `  step${i}();\n`).join("");
  const losses = async (before: string, after: string, path = "a.ts") => {
    const markers = findPlaceholders(path, after);
    const [found, without, wide] = await Promise.all(
      [1, 0, 3].map(async (context) => replaced(path, before, (await diffTexts(before, after, context)).text, markers)),
    );
    expect(without).toEqual(found);
    expect(wide).toEqual(found);
    return found;
  };

  test("is found with its line and what went", async () => {
    const before = `function f() {\n${body(9)}}\n\nfunction g() {}\n`;
    const after = "function f() {\n  // ... rest of the code\n}\n\nfunction g() {}\n";
    expect(await losses(before, after)).toEqual([{ line: 2, text: "... rest of the code", lost: 9 }]);
  });

  test("counts only code, net, at that spot, and only a new marker", async () => {
    const marker = "  // ... existing code\n";
    expect(await losses(body(5), marker)).toHaveLength(1);
    expect(await losses(body(4), marker)).toEqual([]);
    expect(await losses("// a\n// b\n\n// c\n// d\n// e\n", marker)).toEqual([]);
    expect(await losses(body(6), `${marker}  all();\n  at();\n`)).toEqual([]);
    expect(await losses(`keep();\n${marker}${body(8)}`, `keep();\n${marker}`)).toEqual([]);
    const far = "a();\nb();\nc();\nd();\n";
    expect(await losses(`${body(8)}${far}`, `${far}${marker}`)).toEqual([]);
  });

  test("also where the differ finds a brace to keep", async () => {
    const before = `a {\n${body(3)}}\n\nb {\n${body(4)}}\nend();\n`;
    expect(await losses(before, "a {\n  // rest of the code\n}\nend();\n")).toHaveLength(1);
  });

  test("markers on added lines are told from those that were there", async () => {
    const before = "// snip\na();\nb();\nc();\nd();\n";
    const after = `${before}// snip\n`;
    const { text } = await diffTexts(before, after, 1);
    expect(addedMarkers(text, findPlaceholders("a.ts", after)).map(({ line }) => line)).toEqual([6]);
  });
});
