// Real language servers on small real projects, through the tools: definition, references, hover, diagnostics, symbols and
// rename, with aliases, overloads and re-exports. What a server that plays a part can show is in lsp.test.ts.

import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { callsInTurn, lspStage, resultsOf, serverProgram, withServers } from "../support/lsp.js";
import { needs } from "../support/needs.js";

// A server's own start takes seconds of a busy machine.
vi.setConfig({ testTimeout: 60_000 });

type Call = { name: string; input: object };

async function ask(
  server: { command: string[]; extensions: string[] } & object,
  files: Record<string, string>,
  calls: Call[],
) {
  const staged = await lspStage(files, { server }, callsInTurn(calls));
  const session = await staged.open({ settings: withServers });
  await session.send("go");
  await session.close();
  return { ...staged, results: resultsOf(staged, calls.length) };
}

const script = {
  "tsconfig.json":
    '{"compilerOptions": {"strict": true, "module": "nodenext", "target": "es2022"}, "include": ["src"]}\n',
  "src/shape.ts": [
    "/** An area in square metres. */",
    "export function area(side: number): number;",
    "export function area(width: number, height: number): number;",
    "export function area(a: number, b = a): number {",
    "  return a * b;",
    "}",
    "export class Box {",
    "  constructor(readonly side: number) {}",
    "  volume(): number {",
    "    return area(this.side) * this.side;",
    "  }",
    "}",
    "",
  ].join("\n"),
  "src/index.ts": 'export { area as surface, Box } from "./shape.js";\n',
  "src/old.ts": 'export const wrong: number = "old";\nexport const right = 1;\n',
  "src/use.ts": [
    'import { Box, surface } from "./index.js";',
    "",
    "const box: Box = new Box(3);",
    "export const total: number = surface(2, 4) + box.volume();",
    "",
  ].join("\n"),
};

const at = (name: string, input: object): Call => ({ name: `lsp_${name}`, input });

const scriptServers = {
  "typescript-language-server": {
    command: [serverProgram("typescript-language-server"), "--stdio"],
    initializationOptions: { tsserver: { path: join(serverProgram("."), "../typescript/lib/tsserver.js") } },
  },
  "TypeScript 7": { command: [serverProgram("tsgo"), "--lsp", "--stdio"] },
};

const product = { path: "src/use.ts", line: 4, column: 30, end_line: 4, end_column: 43 };

/** By a command of its own, of which the edit alone is taken; not where it would make a file itself. */
function mayRefactor(results: readonly string[], root: string): void {
  expect(results[9]).toContain("- Extract to constant in enclosing scope [refactor.extract.constant]\n");
  expect(results[13]).toMatch(/runs _typescript\.applyRefactoring in the server.*Nothing was changed/);
  expect(readdirSync(join(root, "src")).sort()).toEqual(["index.ts", "old.ts", "shape.ts", "use.ts"]);
  expect(results[14]).toMatch(/^done: Extract to constant in enclosing scope in 1 file\n/);
  const text = readFileSync(join(root, "src/use.ts"), "utf8");
  expect(text).toMatch(/const newLocal = surface\(2, 4\);\n.*newLocal \+ box\.content/);
}

it.each(Object.entries(scriptServers))(
  "%s sees through imports, aliases, re-exports and overloads, and tells what a change broke",
  async (name, entry) => {
    const server = { ...entry, extensions: [".ts"] };
    const { results, root, bodies } = await ask(server, script, [
      at("definition", { path: "src/use.ts", line: 4, symbol: "surface" }),
      at("definition", { path: "src/use.ts", line: 4, column: 50 }),
      at("references", { path: "src/shape.ts", line: 9, symbol: "volume" }),
      at("hover", { path: "src/shape.ts", line: 10, symbol: "area" }),
      at("diagnostics", { path: "src/use.ts" }),
      at("symbols", { path: "src/shape.ts" }),
      at("workspace_symbols", { query: "Box" }),
      at("rename", { path: "src/shape.ts", line: 9, symbol: "volume", new_name: "content" }),
      at("diagnostics", { path: "src/use.ts" }),
      at("code_action", product),
      { name: "read_file", input: { path: "src/old.ts" } },
      {
        name: "edit_file",
        input: { path: "src/old.ts", old_string: "right = 1", new_string: 'right: number = "new"' },
      },
      at("diagnostics", { path: "src/old.ts" }),
      at("code_action", { ...product, title: "Move to a new file" }),
      at("code_action", { ...product, title: "Extract to constant in enclosing scope" }),
    ]);
    // The first question there is: no project is loaded yet, and the line that imports the name would be an early answer.
    expect(results[0]).toMatch(/definitions? in 1 file\nsrc\/shape\.ts\n( {2}\d+:17: export function area.*\n?)+$/);
    expect(results[1]).toBe("1 definition in 1 file\nsrc/shape.ts\n  9:3: volume(): number {");
    expect(results[2]).toContain("src/shape.ts\n  9:3: volume(): number {\nsrc/use.ts\n  4:50:");
    expect(results[3]).toMatch(/area\((side|width)/);
    expect(results[3]).toContain("An area in square metres.");
    expect(results[4]).toBe("No problems in 1 file");
    expect(results[5]).toMatch(/\d+:14 class Box\n(.*\n)* {2}9:3 method volume/);
    expect(results[6]).toContain("class Box");
    expect(results[7]).toMatch(/^renamed in 2 files\n/);
    expect(readFileSync(join(root, "src/use.ts"), "utf8")).toContain(" + box.content();");
    expect(results[8], name).toBe("No problems in 1 file");
    if (name === "TypeScript 7") expect(results[9]).toBe("Nothing is offered at src/use.ts:4:30.");
    else mayRefactor(results, root);
    const said = JSON.stringify(bodies().at(-1)?.messages);
    const told = /New problems after these changes: 1 error\.\\nsrc\/old\.ts \(server\)\\n {2}2:14 error ts 2322/;
    expect(told.test(said) || /pending/.test(said), said).toBe(true);
    expect(said.match(/1:14 error ts 2322/g)).toHaveLength(1);
  },
);

it.each([
  [
    "TypeScript 7",
    scriptServers["TypeScript 7"],
    ".ts",
    ["export const ", " = 1;\n", 'import { it } from "./a.js";\n\nit;\n'],
  ],
  [
    "pyright",
    { command: [serverProgram("pyright-langserver"), "--stdio"] },
    ".py",
    ["", " = 1\n", "from a import it\n\nit\n"],
  ],
] as const)("%s hears of a change of the user's to a file that is not open", async (_, entry, extension, text) => {
  const [before, after, use] = text;
  const files = { "tsconfig.json": "{}\n", [`a${extension}`]: `${before}it${after}`, [`use${extension}`]: use };
  const question = at("definition", { path: `use${extension}`, line: 3 });
  const script = [0, 1].flatMap((n) => [{ calls: [{ id: `toolu_${n}`, ...question }] }, { text: "done" }]);
  const staged = await lspStage(files, { server: { ...entry, extensions: [extension] } }, script);
  const session = await staged.open({ settings: withServers });
  await session.send("go");
  writeFileSync(join(staged.root, `a${extension}`), `\n\n${before}it${after}`);
  await session.send("again");
  await session.close();
  const column = before.length + 1;
  expect(resultsOf(staged, 2)).toEqual([1, 3].map((line) => expect.stringContaining(`\n  ${line}:${column}: `)));
});

it("typescript-language-server's early answer, a line inside an import, is not believed", async () => {
  const files = {
    "tsconfig.json": "{}\n",
    "shape.ts": "export function area(side: number) {\n  return side;\n}\n",
    "use.ts": 'import {\n  area,\n} from "./shape.js";\n\nexport const x = area(2);\n',
  };
  const server = { ...scriptServers["typescript-language-server"], extensions: [".ts"] };
  const { results } = await ask(server, files, [at("definition", { path: "use.ts", line: 5, symbol: "area" })]);
  expect(results[0]).toBe("1 definition in 1 file\nshape.ts\n  1:17: export function area(side: number) {");
});

describe("pyright", () => {
  it("sees through imports and classes", async () => {
    const files = {
      "shapes.py":
        "class Box:\n    def volume(self) -> int:\n        return 1\n\n\ndef make() -> Box:\n    return Box()\n",
      "use.py": "from shapes import make as build\n\nbox = build()\nprint(box.volume())\nwrong: str = box.volume()\n",
    };
    const server = { command: [serverProgram("pyright-langserver"), "--stdio"], extensions: [".py"] };
    const { results } = await ask(server, files, [
      at("definition", { path: "use.py", line: 3, symbol: "build" }),
      at("references", { path: "shapes.py", symbol: "volume" }),
      at("hover", { path: "use.py", line: 4, symbol: "volume" }),
      at("diagnostics", { path: "use.py" }),
      at("symbols", { path: "shapes.py" }),
      at("rename", { path: "shapes.py", symbol: "volume", new_name: "content" }),
    ]);
    expect(results[0]).toBe("1 definition in 1 file\nshapes.py\n  6:5: def make() -> Box:");
    expect(results[1]).toContain("3 references in 2 files");
    expect(results[2]).toContain("-> int");
    expect(results[3]).toContain("5:14 error Pyright reportAssignmentType");
    expect(results[4]).toContain("  2:9 method volume");
    expect(results[5]).toMatch(/^renamed in 2 files/);
  });
});

describe("servers of data and markup", () => {
  const server = (program: string, extensions: string[], more: object = {}) => ({
    command: [serverProgram(program), "--stdio"],
    extensions,
    ...more,
  });

  it("json: problems and outline, and no schema is fetched", async () => {
    const text = '{"$schema": "http://127.0.0.1:9/schema.json", "name": "x", "name": "y"}\n';
    const entry = server("vscode-json-language-server", [".json"]);
    const { results } = await ask(entry, { "a.json": text }, [
      at("diagnostics", { path: "a.json" }),
      at("symbols", { path: "a.json" }),
    ]);
    expect(results[0]).toContain("Duplicate object key");
    expect(results[1]).toContain("name");
  });

  it("css and html: problems, outline, hover", async () => {
    const css = await ask(server("vscode-css-language-server", [".css"]), { "a.css": "a { colr: red;\n  color: }\n" }, [
      at("diagnostics", { path: "a.css" }),
      at("symbols", { path: "a.css" }),
    ]);
    expect(css.results[0]).toMatch(/2:10 error css/);
    expect(css.results[1]).toContain("class a");
    const html = await ask(server("vscode-html-language-server", [".html"]), { "a.html": "<main><p>x</p></main>\n" }, [
      at("hover", { path: "a.html", line: 1, column: 2 }),
      at("symbols", { path: "a.html" }),
    ]);
    expect(html.results[0]).toContain("main");
    expect(html.results[1]).toContain("main");
  });

  it("yaml: problems", async () => {
    const entry = server("yaml-language-server", [".yaml"]);
    const { results } = await ask(entry, { "a.yaml": "a: 1\na: 2\n" }, [at("diagnostics", { path: "a.yaml" })]);
    expect(results[0]).toContain("Map keys must be unique");
  });

  it("yaml: no schema is fetched that a file names", async () => {
    const asked: string[] = [];
    const web = createServer(({ url = "" }, answer) => {
      asked.push(url);
      answer.end('{"type": "object", "required": ["missing"]}');
    });
    web.listen(0, "127.0.0.1");
    await once(web, "listening");
    const { port } = web.address() as AddressInfo;
    const files = {
      "a.yaml": `# yaml-language-server: $schema=http://127.0.0.1:${port}/a\na: 1\n`,
      "b.yaml": `$schema: http://127.0.0.1:${port}/b\na: 1\n`,
    };
    const calls = Object.keys(files).map((path) => at("diagnostics", { path }));
    const { results } = await ask(server("yaml-language-server", [".yaml"]), files, calls);
    web.close();
    expect(asked).toEqual([]);
    for (const each of results) expect(each).toMatch(/Unable to load schema|No problems/);
  });

  it("bash: definition, references, rename", async () => {
    const entry = {
      ...server("bash-language-server", [".sh"]),
      command: [serverProgram("bash-language-server"), "start"],
    };
    const { results } = await ask(entry, { "a.sh": "greet() {\n  echo hi\n}\ngreet\n" }, [
      at("definition", { path: "a.sh", line: 4 }),
      at("references", { path: "a.sh", symbol: "greet" }),
      at("symbols", { path: "a.sh" }),
      at("rename", { path: "a.sh", symbol: "greet", new_name: "hail" }),
    ]);
    expect(results[0]).toBe("1 definition in 1 file\na.sh\n  1:1: greet() {");
    expect(results[1]).toContain("2 references");
    expect(results[2]).toContain("function greet");
    expect(results[3]).toMatch(/^renamed in 1 file/);
  });
});

needs("clangd")("clangd: definition across files, problems of the present text, rename", async () => {
  const files = {
    "compile_flags.txt": "-std=c11\n",
    "shape.h": "int area(int side);\n",
    "main.c": '#include "shape.h"\n\nint twice(int n) { return 2 * n; }\nint main(void) { return twice(area(2)); }\n',
  };
  const { results } = await ask({ command: ["clangd", "--log=error"], extensions: [".c", ".h"] }, files, [
    at("definition", { path: "main.c", line: 4, symbol: "area" }),
    at("references", { path: "main.c", symbol: "twice" }),
    at("hover", { path: "main.c", line: 4, symbol: "area" }),
    at("rename", { path: "main.c", symbol: "twice", new_name: "double_of" }),
    { name: "read_file", input: { path: "main.c" } },
    { name: "edit_file", input: { path: "main.c", old_string: "return 2 * n;", new_string: "return 2 * m;" } },
    at("diagnostics", { path: "main.c" }),
  ]);
  expect(results[0]).toBe("1 definition in 1 file\nshape.h\n  1:5: int area(int side);");
  expect(results[1]).toContain("2 references");
  expect(results[2]).toContain("int side");
  expect(results[3]).toMatch(/^renamed in 1 file/);
  expect(results[6]).toMatch(/3:\d+ error clang.*undeclared/);
});
