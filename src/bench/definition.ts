// The first definition in a TypeScript project: from the end of one call of the built program to the end of the next, which
// asks a language server that does not run yet; beside a bare client that starts the same server and takes the same steps.
// Invariant: a pair counts only if both were told the same place. Without a TypeScript server on PATH or in this package
// there is no figure.

import { pathToFileURL } from "node:url";
import type { Json } from "../core/json.js";
import { startCompanion } from "../lib/companion.js";
import { nodeFs } from "../lib/fs.js";
import { exitOf, startGroup } from "../lib/process.js";
import { put } from "./put.js";

export interface DefinitionOptions {
  files: number;
  pairs: number;
  /** An empty directory. */
  folder: string;
  /** The built program. */
  cinch: string;
  /** How the server is started, its program absolute. */
  server: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
}

/** Milliseconds. */
export interface DefinitionPair {
  cinch: number;
  floor: number;
}

/** A server for TypeScript that is on PATH or in this package; null when there is none. */
export function typescriptServer(packageRoot: string, path: string): string[] | null {
  const directories = [`${packageRoot}/node_modules/.bin`, ...path.split(":").filter((each) => each.startsWith("/"))];
  const programs = directories.map((directory) => `${directory}/tsgo`);
  const found = programs.find((program) => nodeFs.existsSync(program));
  return found === undefined ? null : [found, "--lsp", "--stdio"];
}

export async function firstDefinitions(options: DefinitionOptions): Promise<DefinitionPair[]> {
  const project = `${options.folder}/project`;
  furnish(project, options.files);
  const pairs: DefinitionPair[] = [];
  // The first pair fills the caches of the disk and is thrown away.
  for (let pair = -1; pair < options.pairs; pair++) {
    const cinch = await byCinch(options, project, `${options.folder}/home-${pair + 1}`);
    const floor = await byBareClient(options, project);
    if (pair >= 0) pairs.push({ cinch, floor });
  }
  return pairs;
}

// --- the project -----------------------------------------------------------------------------------------------------

const used = "src/use.ts";
const line = "export const last = total(2) + new Shape().area;";
/** Of `total` there, from 1. */
const column = line.indexOf("total") + 1;
const place = "src/module0.ts";

/** Modules that import one another, an index that renames what it exports again, and a file that uses it. */
function furnish(project: string, files: number): void {
  nodeFs.mkdirSync(`${project}/.git`, { recursive: true });
  nodeFs.mkdirSync(`${project}/src`, { recursive: true });
  put(
    `${project}/tsconfig.json`,
    '{"compilerOptions": {"strict": true, "module": "nodenext", "target": "es2022"}, "include": ["src"]}\n',
  );
  for (let i = 0; i < files - 2; i++) put(`${project}/src/module${i}.ts`, moduleText(i));
  put(`${project}/src/index.ts`, 'export { sum0 as total, Shape0 as Shape } from "./module0.js";\n');
  put(`${project}/${used}`, `import { Shape, total } from "./index.js";\n${line}\n`);
  put(`${project}/script.json`, JSON.stringify(script));
}

function moduleText(i: number): string {
  const before = i === 0 ? "" : `import { sum${i - 1} } from "./module${i - 1}.js";\n`;
  const start = i === 0 ? "value" : `sum${i - 1}(value)`;
  const methods = Array.from(
    { length: 20 },
    (_, at) => `  method${at}(by: number): number {\n    return this.area * by + ${at};\n  }`,
  );
  return [
    `${before}export function sum${i}(value: number): number {\n  return ${start} + ${i};\n}`,
    `export class Shape${i} {\n  readonly area: number = ${i};\n${methods.join("\n")}\n}\n`,
  ].join("\n");
}

// --- Cinch -----------------------------------------------------------------------------------------------------------

const script: Json = [
  { calls: [{ tool: "list_files", input: { path: "." } }] },
  { calls: [{ tool: "lsp_definition", input: { path: used, line: 2, column } }] },
  { text: "done" },
];

async function byCinch({ cinch, server, env }: DefinitionOptions, project: string, home: string): Promise<number> {
  nodeFs.mkdirSync(home);
  put(`${home}/lsp.json`, JSON.stringify({ typescript: { command: server, extensions: [".ts"] } }));
  const model = `scripted/${project}/script.json`;
  const args = [cinch, "-p", "go", "-m", model, "--permission-mode", "auto", "--output-format", "events"];
  const variables = { PATH: env["PATH"] ?? "", CINCH_HOME: home };
  const { child } = await startGroup(process.execPath, args, { cwd: project, env: variables });
  child.stdin.end();
  const ends: number[] = [];
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    const known = ends.length;
    text += piece;
    const now = (text.match(/^\{.*"type":"call\.end".*\}$/gm) ?? []).length;
    for (let at = known; at < now; at++) ends.push(performance.now());
  });
  const { exit } = await exitOf(child);
  const [before, after] = ends;
  if (exit !== 0 || before === undefined || after === undefined || !text.includes(`1 definition in 1 file\\n${place}`))
    throw new Error(`cinch ended with exit code ${exit} and without the definition. It wrote: ${text.slice(-2_000)}`);
  return after - before;
}

// --- the bare client -------------------------------------------------------------------------------------------------

interface Message {
  id?: unknown;
  method?: string;
  params?: { items?: unknown[] };
  result?: unknown;
}

function frame(message: object): Buffer {
  const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
}

function framesTo(take: (message: Message) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const end = rest.indexOf("\r\n\r\n");
      const from = end + 4;
      const length = Number(/Content-Length: (\d+)/i.exec(rest.toString("latin1", 0, Math.max(end, 0)))?.[1]);
      if (end < 0 || rest.length < from + length) return;
      take(JSON.parse(rest.toString("utf8", from, from + length)) as Message);
      rest = rest.subarray(from + length);
    }
  };
}

let marks = 0;
/** It is ended here, so nobody has to watch over it. */
const guard = { nextMark: () => `bench-${process.pid}.${marks++}`, guard: () => {}, release: () => {} };

async function byBareClient({ server, env }: DefinitionOptions, project: string): Promise<number> {
  const began = performance.now();
  const pending = new Map<unknown, (result: unknown) => void>();
  const take = ({ id, method, params, result }: Message) => {
    if (method === undefined) pending.get(id)?.(result);
    else if (id !== undefined) tell({ id, result: params?.items?.map(() => null) ?? null });
  };
  const reads = framesTo(take);
  const variables = { PATH: env["PATH"] ?? "" };
  const program = startCompanion({
    ...{ argv: server, cwd: project, env: variables, guard },
    heard: reads,
  });
  const tell = (message: object) => program.write(frame(message));
  const gone = program.ended.then((how) => Promise.reject(new Error(`the language server is gone: ${how}`)));
  gone.catch(() => {});
  let next = 0;
  const ask = (method: string, params: object) => {
    const id = next++;
    const answer = new Promise<unknown>((resolve) => pending.set(id, resolve));
    tell({ id, method, params });
    return Promise.race([answer, gone]);
  };
  try {
    const rootUri = pathToFileURL(project).href;
    const workspaceFolders = [{ uri: rootUri, name: "project" }];
    await ask("initialize", { processId: process.pid, rootUri, workspaceFolders, capabilities: {} });
    tell({ method: "initialized", params: {} });
    const uri = `${rootUri}/${used}`;
    const text = nodeFs.readFileSync(`${project}/${used}`, "utf8");
    const textDocument = { uri, languageId: "typescript", version: 1, text };
    tell({ method: "textDocument/didOpen", params: { textDocument } });
    const position = { line: 1, character: column - 1 };
    const answer = await ask("textDocument/definition", { textDocument: { uri }, position });
    if (!JSON.stringify(answer).includes(place))
      throw new Error(`the language server did not find it: ${JSON.stringify(answer)}`);
    return performance.now() - began;
  } finally {
    await program.stop(0);
  }
}
