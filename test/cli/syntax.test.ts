// The syntax verdict in the program as it is shipped: a bundler can lose a parser that every test on the sources finds.

import { expect, test } from "vitest";
import { cliStage, jsonLines } from "../support/cli.js";

const broken: Readonly<Record<string, string>> = {
  "a.js": "let a = ;\n",
  "a.ts": "const a: = 1;\n",
  "a.tsx": "const A = () => <div>\n  <span>\n</div>;\n",
  "a.json": '{"a": 1,}\n',
  "a.yaml": 'a: [1, 2\nb: "c\n',
  "a.toml": "a = \n",
  "a.py": "def f(:\n  pass\n",
  "a.html": "<style>a { color red; }</style>\n",
  "a.css": "a { color: red;; } }\n",
  "a.rs": "fn main( {\n}\n",
  "a.go": "package main\nfunc main( {\n}\n",
  "a.java": "class A { void f( { } }\n",
  "a.sh": "if true; then\necho x\n",
};

test("every language is judged", async () => {
  const calls = Object.entries(broken).map(([path, content]) => ({ tool: "write_file", input: { path, content } }));
  const stage = cliStage([{ calls }, { text: "done" }]);
  const args = ["-p", "go", "--permission-mode", "auto", "--output-format", "events"];
  const { stdout, stderr } = await stage.run(args);
  const ends = jsonLines(stdout).filter((line) => line.type === "call.end");
  const verdicts = ends.map((end) => String(end["text"]));
  expect([stderr, verdicts.length]).toEqual([expect.any(String), calls.length]);
  for (const [at, name] of Object.keys(broken).entries())
    expect(verdicts[at]).toMatch(new RegExp(`${name}[^]*\\d+:\\d+`));
});
