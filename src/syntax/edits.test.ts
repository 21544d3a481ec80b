// Breaking and harmless edits by the hundred: how many of the first are found, and that none of the second is blamed.
// Every bracket, quote and colon of a text is taken out once; blanks, comments and numbers are changed everywhere.

import { describe, expect, it } from "vitest";
import { checkChange } from "./verdict.js";

interface Sample {
  path: string;
  text: string;
  /** Characters without which the text is wrong, wherever one of them is taken out. */
  marks: RegExp;
  comment: string;
}

const samples: Sample[] = [
  {
    path: "a.js",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the program's.
    text: "export function f(a, b = [1, 2]) {\n  const x = { a, b: `t${b}` };\n  if (x.a) {\n    return (y) => g(y, 'z');\n  }\n  return x;\n}\n",
    marks: /[{}()[\]'`]/g,
    comment: "// more",
  },
  {
    path: "a.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the program's.
    text: "interface A<T> {\n  b: T[];\n}\nexport const f = (a: A<number>): string => {\n  return a.b.map((x) => `${x}`).join(', ');\n};\n",
    marks: /[{}()[\]'`]/g,
    comment: "// more",
  },
  {
    path: "a.tsx",
    text: 'export const A = ({ x }: { x: number }) => (\n  <div className="a">\n    <B>{x + 1}</B>\n  </div>\n);\n',
    marks: /[{}()"/]/g,
    comment: "// more",
  },
  {
    path: "a.json",
    text: '{\n  "a": [1, {"b": null}],\n  "c": "d"\n}\n',
    marks: /[{}[\]":,]/g,
    comment: "",
  },
  {
    path: "a.yaml",
    text: "a: \"b\"\nc: [1, {d: 2}]\ne:\n  - f: 'g'\n",
    marks: /[{}[\]"']/g,
    comment: "# more",
  },
  { path: "a.toml", text: 'a = "b"\n[c]\nd = [1, { e = 2 }]\n', marks: /[{}[\]"=]/g, comment: "# more" },
  {
    path: "a.py",
    text: "import os\n\n\ndef f(a, b=(1, 2)):\n    if a[0]:\n        return {'x': g(b)}\n    for c in a:\n        print(c)\n    return os\n",
    marks: /[{}()[\]':]/g,
    comment: "# more",
  },
  {
    path: "a.css",
    text: "a:hover {\n  color: rgb(1, 2, 3);\n  margin: 0 1px;\n}\n@media (min-width: 3px) {\n  b { width: calc(1px + 2px); }\n}\n",
    marks: /[{}()]/g,
    comment: "/* more */",
  },
  {
    path: "a.rs",
    text: "pub fn f(a: &[u8]) -> Option<u8> {\n    let x = vec![1, 2];\n    if a.len() > 1 {\n        return Some(x[0]);\n    }\n    None\n}\n",
    marks: /[{}()[\]]/g,
    comment: "// more",
  },
  {
    path: "a.go",
    text: 'package a\n\nfunc f(a []string) (int, error) {\n\tx := map[string]int{"b": 1}\n\tif len(a) > 1 {\n\t\treturn x[a[0]], nil\n\t}\n\treturn 0, nil\n}\n',
    marks: /[{}()"]/g,
    comment: "// more",
  },
  {
    path: "A.java",
    text: 'class A {\n  int f(int[] a) {\n    String s = "b";\n    if (a.length > 1) {\n      return g(a[0], s);\n    }\n    return 0;\n  }\n}\n',
    marks: /[{}()";]/g,
    comment: "// more",
  },
  {
    path: "A.cs",
    text: 'class A {\n  int F(int[] a) {\n    var s = "b";\n    if (a.Length > 1) {\n      return G(a[0], s);\n    }\n    return 0;\n  }\n}\n',
    marks: /[{}()";]/g,
    comment: "// more",
  },
  {
    path: "a.php",
    text: "<?php\nfunction f(array $a) {\n  $x = ['b' => $a[0]];\n  if ($x) {\n    return g($x, 'c');\n  }\n  return 0;\n}\n",
    marks: /[{}()[\]';]/g,
    comment: "// more",
  },
  {
    path: "a.sh",
    text: 'f() {\n  local x="$1"\n  if [ -n "$x" ]; then\n    echo "$(date)"\n  fi\n}\nfor i in 1 2; do\n  f "$i"\ndone\n',
    marks: /["{}]/g,
    comment: "# more",
  },
  {
    path: "a.html",
    text: "<!doctype html>\n<title>x</title>\n<style>\na { color: red; }\n</style>\n<script>\nlet a = [f(1)];\n</script>\n",
    marks: /[{}()[\]]/g,
    comment: "<!-- more -->",
  },
];

async function isBlamed(path: string, before: string, after: string): Promise<boolean> {
  const verdict = await checkChange({ path, before, after, partial: false });
  return verdict?.kind === "error";
}

function without(text: string, at: number): string {
  return text.slice(0, at) + text.slice(at + 1);
}

describe("edits", () => {
  it("that break are found", async () => {
    const missed: string[] = [];
    let tried = 0;
    for (const { path, text, marks } of samples) {
      for (const { index } of text.matchAll(marks)) {
        tried++;
        if (await isBlamed(path, text, without(text, index))) continue;
        missed.push(`${path} at ${index}: ${text.slice(text.lastIndexOf("\n", index - 1) + 1, index)}▮`);
      }
    }
    expect(tried).toBeGreaterThan(200);
    // The first four are right texts again; the grammar of CSS takes the fifth.
    expect(missed).toEqual([
      "a.js at 58:   const x = { a, b: `t$▮",
      "a.ts at 100:   return a.b.map((x) => `$▮",
      "a.yaml at 3: a: ▮",
      "a.yaml at 32:   - f: ▮",
      "a.css at 59: @media ▮",
    ]);
  });

  it("that do no harm are not blamed, not even in a file that is broken elsewhere", async () => {
    const blamed: string[] = [];
    let tried = 0;
    const check = async (path: string, before: string, after: string) => {
      tried++;
      if (await isBlamed(path, before, after)) blamed.push(`${path}:\n${before}=>\n${after}`);
    };
    for (const { path, text, marks, comment } of samples) {
      const lines = text.split("\n");
      const isMarkup = path.endsWith(".html");
      const broken = without(text, [...text.matchAll(marks)].at(-1)?.index ?? 0).split("\n");
      for (let at = 0; at <= lines.length - 1; at++) {
        if (!isMarkup) await check(path, text, lines.toSpliced(at, 0, comment).join("\n"));
        await check(path, text, lines.toSpliced(at, 0, "").join("\n"));
        if (!isMarkup) await check(path, broken.join("\n"), broken.toSpliced(at, 0, comment).join("\n"));
      }
      for (const { index } of text.matchAll(/\d/g)) {
        await check(path, text, `${text.slice(0, index)}7${text.slice(index + 1)}`);
      }
    }
    expect(tried).toBeGreaterThan(200);
    expect(blamed).toEqual([]);
  });
});
