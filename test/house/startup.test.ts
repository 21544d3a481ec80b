// What happens before the first request, as counts (SPEC 1.23): modules loaded, their bytes, paths opened, never milliseconds.
// A program that loads a schema library or a differ before it needs one fails here, on any machine, every time.
// Node reads every byte that is loaded, needed or not: 100 KB are 2 ms of the 70 that a start takes. Who runs into `bytes` moves
// something behind a dynamic import, and only then raises it.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import buildDist from "../support/build.js";
import { bin, type Outcome, root, runNode, tempDir } from "../support/run.js";
import { shipped, toolsOf } from "./source.js";

const preload = join(root, "test/support/ledger.mjs");
const toolFiles = [...toolsOf(shipped()).values()].map(({ path }) => `src/${path}`);
// One of the openings is the listing of the project's root, which shows what languages are in it.
const limits = { files: 5, filesWithProvider: 13, opens: 11, bytes: 350_000, bytesWithProvider: 654_000 };
/** Folders of what waits for a call, a rule, a hook, trust or a child; of these modules alone every start has need. */
const guards = /^src\/(permission|sandbox|hooks|trust|syntax|files)\//;
const early =
  "files/mode files/seen files/spans permission/profile sandbox/program trust/instruction trust/speakers trust/unused";

interface Ledger extends Outcome {
  /** Files of dist/ that were loaded, relative to it. */
  chunks: string[];
  /** Modules inside those files: `src/…` and `node_modules/…`. */
  modules: string[];
  /** Packages loaded, from inside the bundle or beside it. */
  packages: string[];
  opens: string[];
  /** Of all chunks together. */
  bytes: number;
  /** The address of the first HTTP request, where the rest of the ledger ends. */
  request?: string | undefined;
}

interface Meta {
  outputs: Record<string, { bytes: number; inputs: Record<string, { bytesInOutput: number }> }>;
}

type Note = { load?: string; require?: string; open?: string; request?: string };

/** Runs the program and returns what it did up to its first HTTP request, or in all if it makes none. */
async function ledgerOf(args: string[], env: Record<string, string> = {}): Promise<Ledger> {
  const folder = tempDir();
  const [file, cwd] = [join(folder, "ledger.jsonl"), join(folder, "project")];
  mkdirSync(cwd);
  writeFileSync(join(cwd, "answer.json"), JSON.stringify([{ text: "hello" }]));
  for (const [name, path] of Object.entries({ text: "a.txt", python: "a.py" })) {
    const calls = [{ tool: "write_file", input: { path, content: "a = 1\n" } }];
    writeFileSync(join(cwd, `${name}.json`), JSON.stringify([{ calls }, { text: "done" }]));
  }
  writeFileSync(join(cwd, "read.json"), JSON.stringify([{ calls: [{ tool: "list_files", input: { path: "." } }] }]));
  const outcome = await runNode(["--import", preload, bin, ...args], {
    cwd,
    env: { ...env, CINCH_HOME: join(folder, "home"), CINCH_LEDGER: file },
  });
  const notes = readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Note);
  const end = notes.findIndex(({ request }) => request !== undefined);
  return { ...outcome, ...summary(end < 0 ? notes : notes.slice(0, end)), request: notes[end]?.request };
}

function summary(notes: Note[]): Omit<Ledger, keyof Outcome | "request"> {
  const meta = JSON.parse(readFileSync(join(root, "dist/meta.json"), "utf8")) as Meta;
  const dist = join(root, "dist/");
  const files = notes.flatMap(({ load }) => (load?.startsWith("file:") ? [fileURLToPath(load)] : []));
  const chunks = files.filter((path) => path.startsWith(dist)).map((path) => path.slice(dist.length));
  const modules = chunks.flatMap((chunk) => {
    const inside = Object.entries(meta.outputs[chunk]?.inputs ?? {});
    return inside.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
  });
  const outside = [...files, ...notes.flatMap(({ require }) => require ?? [])];
  const packages = [...modules, ...outside].flatMap((path) => {
    const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];
    return name ? [name] : [];
  });
  const opens = notes.flatMap(({ open }) => open ?? []);
  const bytes = chunks.reduce((sum, chunk) => sum + (meta.outputs[chunk]?.bytes ?? 0), 0);
  return { chunks, modules, packages: [...new Set(packages)].sort(), opens, bytes };
}

beforeAll(buildDist);

test("--version loads the entry and nothing else", async () => {
  const { exit, stdout, chunks, opens, packages } = await ledgerOf(["--version"]);
  expect([exit, stdout.trim()]).toEqual([0, expect.stringMatching(/\d+\.\d+\.\d+/)]);
  expect({ chunks, opens, packages }).toEqual({ chunks: ["cinch.js"], opens: [], packages: [] });
});

test("a run without tools loads no package at all, and no tool", async () => {
  const run = await ledgerOf(["-p", "say hello", "-m", "scripted/answer.json"], { PATH: "/usr/bin:/bin" });
  expect([run.exit, run.stdout, run.stderr]).toEqual([0, "hello\n", expect.any(String)]);
  expect(run.packages).toEqual([]);
  expect(run.modules.filter((path) => toolFiles.includes(path))).toEqual([]);
  expect(run.modules.filter((path) => guards.test(path)).sort()).toEqual(
    early.split(" ").map((name) => `src/${name}.ts`),
  );
  expect(run.modules.filter((path) => path.startsWith("src/cli/tui/"))).toEqual([]);
  // Of language servers the list of their signs, and nothing else.
  expect(run.modules.filter((path) => path.startsWith("src/lsp/"))).toEqual(["src/lsp/signs.ts"]);
  expect(run.chunks.length, run.chunks.join(" ")).toBeLessThanOrEqual(limits.files);
  expect(run.bytes).toBeLessThanOrEqual(limits.bytes);
});

test("settings in plain JSON are read without a parser of their own; with comments they take one", async () => {
  const loaded = async (text: string) => {
    const file = join(tempDir(), "settings.json");
    writeFileSync(file, text);
    const run = await ledgerOf(["-p", "say hello", "-m", "scripted/answer.json", "--settings", file]);
    expect(run.exit, run.stderr).toBe(0);
    return run.packages;
  };
  expect(await loaded('{\n  "context": { "maxBytes": 1000 }\n}\n')).toEqual([]);
  expect(await loaded('{ "context": { "maxBytes": 1000 } } // small\n')).toEqual(["jsonc-parser"]);
});

test("what is left out is loaded when it is needed", async () => {
  const run = await ledgerOf(["-p", "list", "-m", "scripted/read.json"]);
  expect(run.exit, run.stderr).toBe(0);
  expect(run.modules.filter((path) => toolFiles.includes(path))).toEqual(["src/tools/list-files.ts"]);
  expect(run.packages).toContain("zod");
});

test("a written text loads a parser only if its language has one, and no other", async () => {
  const parsers = ["oxc-parser", "web-tree-sitter", "yaml", "smol-toml", "parse5", "jsonc-parser"];
  const loaded = async (script: string) => {
    const run = await ledgerOf(["-p", "write", "-m", `scripted/${script}`, "--permission-mode", "auto"]);
    expect(run.exit, run.stderr).toBe(0);
    return run.packages.filter((name) => parsers.includes(name));
  };
  expect(await loaded("text.json")).toEqual([]);
  expect(await loaded("python.json")).toEqual(["web-tree-sitter"]);
});

test("before its first request a provider loads its own package and few files are opened", async () => {
  const server = createServer((_, response) =>
    response.writeHead(401, { "content-type": "application/json" }).end("{}"),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { ANTHROPIC_API_KEY: "not-a-key", ANTHROPIC_BASE_URL: url };
  const run = await ledgerOf(["-p", "say hello", "-m", "anthropic/claude-sonnet-5"], env);
  expect([run.exit, run.request], run.stderr).toEqual([3, expect.stringContaining(url)]);
  expect(run.packages).toContain("@ai-sdk/anthropic");
  const idle = ["ajv", "diff", "jsonc-parser", "ignore", "@vscode/ripgrep", "@ai-sdk/openai", "@ai-sdk/google"];
  expect(run.packages.filter((name) => idle.includes(name))).toEqual([]);
  expect(run.chunks.length, run.chunks.join(" ")).toBeLessThanOrEqual(limits.filesWithProvider);
  expect(run.bytes).toBeLessThanOrEqual(limits.bytesWithProvider);
  expect(run.modules.filter((path) => guards.test(path)).sort()).toEqual(
    early.split(" ").map((name) => `src/${name}.ts`),
  );
  expect(run.opens.length, run.opens.join(" ")).toBeLessThanOrEqual(limits.opens);
});

test("the ledger sees modules, packages, openings and requests", async () => {
  const folder = tempDir();
  const [file, program] = [join(folder, "ledger.jsonl"), join(folder, "program.mjs")];
  writeFileSync(
    program,
    `import { readFileSync } from "node:fs";
     import ${JSON.stringify(join(root, "node_modules/jsonc-parser/lib/umd/main.js"))};
     readFileSync(import.meta.filename, "utf8");
     await fetch("http://127.0.0.1:1/").catch(() => {});`,
  );
  await runNode(["--import", preload, program], { cwd: folder, env: { CINCH_LEDGER: file } });
  const notes = readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Note);
  expect(summary(notes).packages).toEqual(["jsonc-parser"]);
  expect(summary(notes).opens).toContain(program);
  expect(notes.at(-1)).toEqual({ request: "http://127.0.0.1:1/" });
});
