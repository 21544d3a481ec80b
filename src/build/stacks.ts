// What kind of application lies in a directory, and how it is started for a look. One table; the first row that fits counts.
// Invariants: a start command binds to 127.0.0.1 as far as the program lets itself be told, and installs nothing on this
// machine. It is only worked out here: whether it runs is decided where every command is.

import { posix } from "node:path";
import type { Json, JsonObject } from "../core/json.js";
import { isObject, parseJson } from "../lib/json.js";

/** What is asked of the directory. Paths relative to it. */
export interface Directory {
  has(path: string): boolean;
  /** Null when it is not there or no text. */
  text(path: string): string | null;
}

/** How it is shown: by a command for bash, from the directory, or as the files of a folder in it ("" = all of it). */
export type Way = { command: string } | { folder: string };

export interface Start {
  stack: string;
  way: Way;
  port: number;
  /** How long it may take until it answers, in seconds. */
  seconds: number;
  /** Another program than the command listens for it. */
  throughOther?: true;
}

interface Stack {
  name: string;
  /** First port that is tried. */
  port: number;
  seconds: number;
  throughOther?: true;
  /** The command, a folder, or null when this is none. */
  start(directory: Directory, port: number): string | { folder: string } | null;
}

const python = 5000;
const node = 3000;
const other = 8080;

const stacks: readonly Stack[] = [
  {
    name: "streamlit",
    ...{ port: python, seconds: 15 },
    start: (directory, port) =>
      withImport(
        directory,
        "streamlit",
        (file) => `streamlit run ${file} --server.address 127.0.0.1 --server.port ${port} --server.headless true`,
      ),
  },
  {
    name: "fastapi",
    ...{ port: python, seconds: 10 },
    start: (directory, port) =>
      withImport(
        directory,
        "fastapi",
        (file) => `python3 -m uvicorn ${moduleOf(file)}:app --host 127.0.0.1 --port ${port}`,
      ),
  },
  {
    name: "flask",
    ...{ port: python, seconds: 8 },
    start: (directory, port) =>
      withImport(
        directory,
        "flask",
        (file) => `python3 -m flask --app ${moduleOf(file)} run --host 127.0.0.1 --port ${port}`,
      ),
  },
  {
    name: "django",
    ...{ port: python, seconds: 12 },
    start: (directory, port) =>
      /django/i.test(directory.text("manage.py") ?? "")
        ? `python3 manage.py runserver 127.0.0.1:${port} --noreload`
        : null,
  },
  {
    name: "next",
    ...{ port: node, seconds: 30 },
    start: (directory, port) =>
      depends(directory, "next") ? `node_modules/.bin/next dev -H 127.0.0.1 -p ${port}` : null,
  },
  {
    name: "vite",
    ...{ port: node, seconds: 20 },
    start: (directory, port) =>
      depends(directory, "vite") ? `node_modules/.bin/vite --host 127.0.0.1 --port ${port} --strictPort` : null,
  },
  {
    name: "node",
    ...{ port: node, seconds: 15 },
    start(directory, port) {
      const set = `HOST=127.0.0.1 PORT=${port}`;
      if (packageOf(directory).scripts["start"] !== undefined) return `${set} npm start`;
      const file = nodeFiles.find((name) => /\blisten\s*\(/.test(directory.text(name) ?? ""));
      return file === undefined ? null : `${set} node ${file} ${port}`;
    },
  },
  {
    name: "go",
    ...{ port: other, seconds: 20 },
    start: (directory, port) => (directory.has("go.mod") ? `HOST=127.0.0.1 PORT=${port} go run .` : null),
  },
  {
    name: "rust",
    ...{ port: other, seconds: 45 },
    start: (directory, port) =>
      directory.has("Cargo.toml") ? `HOST=127.0.0.1 PORT=${port} cargo run --offline` : null,
  },
  {
    name: "rails",
    ...{ port: node, seconds: 25 },
    start: (directory, port) => (directory.has("bin/rails") ? `bin/rails server -b 127.0.0.1 -p ${port}` : null),
  },
  {
    name: "php",
    ...{ port: other, seconds: 5 },
    start(directory, port) {
      const root = ["public/index.php", "index.php"].find((name) => directory.has(name));
      return root === undefined ? null : `php -S 127.0.0.1:${port}${root.startsWith("public/") ? " -t public" : ""}`;
    },
  },
  {
    name: "python",
    ...{ port: python, seconds: 10 },
    start(directory, port) {
      const file = ["server.py", "app.py", "main.py"].find((name) =>
        /http\.server|\bsocketserver\b/.test(directory.text(name) ?? ""),
      );
      return file === undefined ? null : `HOST=127.0.0.1 PORT=${port} python3 ${file}`;
    },
  },
  {
    name: "docker",
    ...{ port: other, seconds: 60, throughOther: true as const },
    start(directory, port) {
      const file = directory.text("Dockerfile");
      if (file === null) return null;
      const inside = /^[ \t]*EXPOSE\s+(\d+)/im.exec(file)?.[1] ?? other;
      const run = `docker run --rm --init -p 127.0.0.1:${port}:${inside} -e HOST=0.0.0.0 -e PORT=${inside}`;
      return `docker build -t cinch-preview . && ${run} cinch-preview`;
    },
  },
  {
    name: "static",
    ...{ port: other, seconds: 3 },
    start(directory) {
      const folder = ["", "public", "dist", "web"].find((name) => directory.has(posix.join(name, "index.html")));
      return folder === undefined ? null : { folder };
    },
  },
];

/** Null when nothing in the table fits. `free`: a port that is free, from the one given on. */
export async function startOf(directory: Directory, free: (from: number) => Promise<number>): Promise<Start | null> {
  for (const { name: stack, port: from, seconds, throughOther, start } of stacks) {
    if (start(directory, from) === null) continue;
    const port = await free(from);
    const way = start(directory, port);
    if (way === null) continue;
    const rest = { port, seconds, ...(throughOther ? { throughOther } : {}) };
    return { stack, way: typeof way === "string" ? { command: way } : way, ...rest };
  }
  return null;
}

/** As a plan says it is started: the port is told in the environment. */
export async function startAsSaid(command: string, free: (from: number) => Promise<number>): Promise<Start> {
  const port = await free(node);
  const way = { command: `export HOST=127.0.0.1 PORT=${port}; ${command}` };
  const throughOther = /\b(?:docker|podman)\b/.test(command) ? { throughOther: true as const } : {};
  return { stack: "plan", way, port, seconds: 30, ...throughOther };
}

const nodeFiles = [
  "server.js",
  "server.mjs",
  "server/index.js",
  "backend/server.js",
  "src/server.js",
  "app.js",
  "index.js",
];
const pythonFiles = ["app.py", "main.py", "server.py", "api.py", "src/app.py", "src/main.py"];

function withImport(directory: Directory, name: string, command: (file: string) => string): string | null {
  const imports = new RegExp(`^\\s*(?:import|from) ${name}\\b`, "m");
  const file = pythonFiles.find((path) => imports.test(directory.text(path) ?? ""));
  return file === undefined ? null : command(file);
}

function moduleOf(file: string): string {
  return file.replace(/\.py$/, "").replaceAll("/", ".");
}

function depends(directory: Directory, name: string): boolean {
  return packageOf(directory).dependencies.has(name) && directory.has(`node_modules/.bin/${name}`);
}

function packageOf(directory: Directory): { scripts: JsonObject; dependencies: ReadonlySet<string> } {
  const record = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
  const parsed = record(parseJson(directory.text("package.json") ?? ""));
  const names = ["dependencies", "devDependencies"].flatMap((key) => Object.keys(record(parsed[key])));
  return { scripts: record(parsed["scripts"]), dependencies: new Set(names) };
}
