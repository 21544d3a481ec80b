// Servers that are started through something else, and servers that answer before they have read the project: no answer is
// believed because of the name of the program, and what a server leaves out is said.

import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { callsInTurn, lspStage, resultsOf, serverProgram, withServers } from "../support/lsp.js";
import { needs } from "../support/needs.js";
import { root } from "../support/run.js";

// A server's own start takes seconds of a busy machine.
vi.setConfig({ testTimeout: 90_000 });

type Call = { name: string; input: object };

async function ask(command: string[], extension: string, files: Record<string, string>, calls: Call[]) {
  const server = { command, extensions: [extension] };
  const staged = await lspStage(files, { server }, callsInTurn(calls));
  const session = await staged.open({ settings: withServers });
  await session.send("go");
  await session.close();
  return resultsOf(staged, calls.length);
}

const script = {
  "tsconfig.json": '{"compilerOptions": {"strict": true, "module": "nodenext", "target": "es2022"}}\n',
  "one.ts": "export function area(side: number) {\n  return side * side;\n}\n",
  "two.ts": 'import { area } from "./one.js";\n\nexport const four = area(2);\n',
};
const python = {
  "pyproject.toml": "",
  "one.py": "def area(side: int):\n    return side * side\n",
  "two.py": "from one import area\n\nfour = area(2)\n",
};
const c = {
  "compile_flags.txt": "-std=c11\n",
  "one.c": "int area(int side) { return side * side; }\nint four(void) { return area(2); }\n",
  "two.c": "int area(int side);\nint nine(void) { return area(3); }\n",
};

const at = { line: 1, symbol: "area" };
const rename = (path: string): Call => ({ name: "lsp_rename", input: { path, ...at, new_name: "surface" } });
const references = (path: string): Call => ({ name: "lsp_references", input: { path, ...at } });
const hover = (path: string): Call => ({ name: "lsp_hover", input: { path, ...at } });

const own = (path: string) => join(root, "node_modules", path);
const tsls = [own("typescript-language-server/lib/cli.mjs"), "--stdio"];
const shell = (program: string, ...args: string[]) => [
  "sh",
  "-c",
  `exec '${serverProgram(program)}' ${args.join(" ")}`,
];
const spell = (program: string, ...args: string[]) => ["env", "X=1", serverProgram(program), ...args];

const renamed = /^renamed in 2 files\n(?!(.|\n)*by text search)/;
const listed = /^3 references in 2 files\n(?!(.|\n)*By text search)/;

describe("a wrapped server, asked first thing", () => {
  it.each([
    ["node …/cli.mjs", [process.execPath, ...tsls], ".ts", script, rename("one.ts"), renamed],
    [
      "sh -c typescript-language-server",
      shell("typescript-language-server", "--stdio"),
      ".ts",
      script,
      references("one.ts"),
      listed,
    ],
    [
      "env X=1 typescript-language-server",
      spell("typescript-language-server", "--stdio"),
      ".ts",
      script,
      hover("one.ts"),
      /area\(side: number\): number/,
    ],
    ["sh -c tsgo", shell("tsgo", "--lsp", "--stdio"), ".ts", script, rename("one.ts"), renamed],
    ["sh -c pyright", shell("pyright-langserver", "--stdio"), ".py", python, rename("one.py"), renamed],
    [
      "env X=1 pyright",
      spell("pyright-langserver", "--stdio"),
      ".py",
      python,
      hover("one.py"),
      /area\(side: int\) -> int/,
    ],
    [
      "sh -c css",
      shell("vscode-css-language-server", "--stdio"),
      ".css",
      { "a.css": ".area { color: red }\n.area { top: 0 }\n" },
      references("a.css"),
      /^2 references in 1 file\n/,
    ],
    [
      "env X=1 yaml",
      spell("yaml-language-server", "--stdio"),
      ".yaml",
      { "a.yaml": "area:\n  side: 2\n" },
      { name: "lsp_symbols", input: { path: "a.yaml" } },
      /area/,
    ],
    [
      "sh -c json",
      shell("vscode-json-language-server", "--stdio"),
      ".json",
      { "a.json": '{"area": 1}\n' },
      { name: "lsp_symbols", input: { path: "a.json" } },
      /area/,
    ],
    [
      "env X=1 html",
      spell("vscode-html-language-server", "--stdio"),
      ".html",
      { "a.html": "<main>area</main>\n" },
      { name: "lsp_hover", input: { path: "a.html", line: 1, column: 3 } },
      /main/i,
    ],
    [
      "sh -c bash",
      shell("bash-language-server", "start"),
      ".sh",
      { "a.sh": "area() { echo 1; }\narea\n" },
      references("a.sh"),
      /^2 references in 1 file\n/,
    ],
  ] as const)("%s", async (_, command, extension, files, call, answer) => {
    const [result] = await ask([...command], extension, files, [call]);
    expect(result).toMatch(answer);
  });

  needs("clangd")("sh -c clangd", async () => {
    const [result] = await ask(["sh", "-c", "exec clangd --background-index=false"], ".c", c, [references("one.c")]);
    // It knows the files that are open, and no others.
    expect(result).toMatch(
      /^2 references in 1 file\n(.|\n)*By text search area is also in these files(.|\n)*\n {2}two\.c: 1, 2$/,
    );
  });
});

describe("a server that answers too early", () => {
  const proxied = (part: object) => [
    process.execPath,
    join(root, "test/data/lsp/early-proxy.mjs"),
    JSON.stringify(part),
    ...[serverProgram("tsgo"), "--lsp", "--stdio"],
  ];

  const told = [
    ["announces work", { progress: 400 }],
    ["tells its status", { status: 400 }],
    ["publishes late", { published: 3_000 }],
    ["gives no sign, once", { answers: 1 }],
  ] as const;
  /** Text says that there are more places, and not what a type is. */
  const all = [...told, ["gives no sign, twice", { answers: 2 }]] as const;

  it.each(all)("and %s renames everywhere", async (_, part) => {
    expect((await ask(proxied(part), ".ts", script, [rename("one.ts")]))[0]).toMatch(renamed);
  });

  it.each(all)("and %s lists all references", async (_, part) => {
    expect((await ask(proxied(part), ".ts", script, [references("one.ts")]))[0]).toMatch(listed);
  });

  it.each(told)("and %s shows the type", async (_, part) => {
    expect((await ask(proxied(part), ".ts", script, [hover("one.ts")]))[0]).toMatch(/area\(side: number\): number/);
  });

  it("and never stops: what it left out is named", async () => {
    const [found, done] = await ask(proxied({ answers: 1_000 }), ".ts", script, [
      references("one.ts"),
      rename("one.ts"),
    ]);
    expect(found).toMatch(
      /^1 reference in 1 file\none\.ts\n(.|\n)*By text search area is also in these files(.|\n)*:\n {2}two\.ts: 1, 3$/,
    );
    expect(done).toMatch(
      /^renamed in 1 file\n(.|\n)*area is still in these lines, by text search(.|\n)*:\n {2}two\.ts: 1, 3$/,
    );
  });
});

it("what text search finds of a name is bounded, and leaves out what may not be shown", async () => {
  const many = Object.fromEntries(Array.from({ length: 15 }, (_, i) => [`doc${10 + i}.md`, "area\n".repeat(14)]));
  const files = { ...script, ...many, ".env": "area=1\n", "near.md": "areas my_area area2\n" };
  const [result] = await ask(shell("tsgo", "--lsp", "--stdio"), ".ts", files, [rename("one.ts")]);
  expect(result).toContain("\n  doc10.md: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 2 more lines\n");
  expect(result).toMatch(/\n {2}\(3 more files\)$/);
  expect(result).not.toMatch(/\.env|near\.md/);
});
