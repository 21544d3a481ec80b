// What a verdict costs for a file of 2,000 lines in each language, as a table on the terminal. Only the verdicts are
// asserted; how long they take is for people to read (docs/syntax.md).

import { hrtime } from "node:process";
import { expect, it } from "vitest";
import { checkChange } from "../../src/syntax/index.js";

const units: Record<string, [head: string, unit: (i: number) => string, tail: string]> = {
  "a.js": [
    "",
    (i) => `export function f${i}(a, b = ${i}) {\n  const x = [a, b];\n  return x.map((y) => y * 2);\n}\n`,
    "",
  ],
  "a.ts": [
    "",
    (i) => `export function f${i}<T>(a: T): T[] {\n  const x: T[] = [a];\n  return x.map((y) => y);\n}\n`,
    "",
  ],
  "a.tsx": ["", (i) => `export const A${i} = (p: P) => (\n  <b id="${i}">\n    {p.x + ${i}}\n  </b>\n);\n`, ""],
  "a.json": ["[\n", (i) => `{"a": ${i},\n "b": ["text", null, true]},\n`, "1]\n"],
  "a.yaml": ["", (i) => `item${i}:\n  name: "value ${i}"\n  list:\n    - one: ${i}\n    - two\n`, ""],
  "a.toml": ["", (i) => `[t${i}]\nname = "value"\nlist = [1, 2, ${i}]\n`, ""],
  "a.py": [
    "",
    (i) =>
      `def f${i}(a, b=${i}):\n    x = [a, {"c": "text"}]\n    if len(x) > b:\n        return x\n    return f"{b}"\n`,
    "",
  ],
  "a.html": [
    "",
    (i) => `<section id="s${i}">\n  <h2>Title</h2>\n  <p>Text <b>${i}</b> <a href="#x">link</a>.</p>\n</section>\n`,
    "",
  ],
  "a.css": ["", (i) => `.c${i} > a:hover {\n  color: rgb(1, 2, 3);\n  margin: 0 auto 1px;\n}\n`, ""],
  "a.rs": [
    "",
    (i) =>
      `pub fn f${i}(a: &str) -> Option<String> {\n    let x = vec![a, "text"];\n    Some(format!("{}", x[0]))\n}\n`,
    "",
  ],
  "a.go": [
    "package a\n",
    (i) => `func f${i}(a string) (string, error) {\n\tx := []string{a, "text"}\n\treturn x[0], nil\n}\n`,
    "",
  ],
  "A.java": [
    "class A {\n",
    (i) => `  String f${i}(String a) {\n    var x = List.of(a, "text");\n    return a + x;\n  }\n`,
    "}\n",
  ],
  "a.sh": ["", (i) => `f${i}() {\n  if [ -n "$1" ]; then\n    echo "$(date) ${i}"\n  fi\n}\n`, ""],
};

it("costs", async () => {
  const rows: string[] = [];
  for (const [path, [head, unit, tail]] of Object.entries(units)) {
    let text = head;
    for (let i = 0, lines = 0; lines < 2_000; i++) {
      text += unit(i);
      lines = text.split("\n").length;
    }
    text += tail;
    const first = await timed(() => checkChange({ path, before: null, after: "", partial: false }));
    const times: number[] = [];
    for (let i = 0; i < 15; i++) {
      const { ms, verdict } = await timed(() => checkChange({ path, before: null, after: text, partial: false }));
      expect(verdict?.kind, path).toBe("ok");
      times.push(ms);
    }
    times.sort((a, b) => a - b);
    rows.push(
      [path, `load ${first.ms.toFixed(0)} ms`, `min ${times[0]?.toFixed(1)}`, `median ${times[7]?.toFixed(1)} ms`].join(
        "\t",
      ),
    );
  }
  console.log(rows.join("\n"));
});

async function timed<Value>(act: () => Promise<Value>): Promise<{ ms: number; verdict: Value }> {
  const start = hrtime.bigint();
  const verdict = await act();
  return { ms: Number(hrtime.bigint() - start) / 1e6, verdict };
}
