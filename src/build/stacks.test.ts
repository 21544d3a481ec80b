import { expect, test } from "vitest";
import { type Directory, startAsSaid, startOf } from "./stacks.js";

function directory(files: Record<string, string>): Directory {
  return { has: (path) => Object.hasOwn(files, path), text: (path) => files[path] ?? null };
}

const json = (value: object) => JSON.stringify(value);
const dependsOn = (name: string) => ({
  "package.json": json({ dependencies: { [name]: "1" }, scripts: { start: "x" } }),
  [`node_modules/.bin/${name}`]: "",
});

test.each<[string, Record<string, string>, string]>([
  [
    "streamlit",
    { "app.py": "import streamlit as st\n" },
    "streamlit run app.py --server.address 127.0.0.1 --server.port",
  ],
  ["fastapi", { "src/main.py": "from fastapi import FastAPI\n" }, "uvicorn src.main:app --host 127.0.0.1"],
  ["flask", { "app.py": "from flask import Flask\n", "index.html": "" }, "flask --app app run --host 127.0.0.1"],
  ["django", { "manage.py": "os.environ['DJANGO_SETTINGS_MODULE']" }, "manage.py runserver 127.0.0.1:"],
  ["next", dependsOn("next"), "next dev -H 127.0.0.1"],
  ["vite", { ...dependsOn("vite"), "index.html": "" }, "vite --host 127.0.0.1"],
  ["node", { "package.json": json({ scripts: { start: "node x" } }) }, "HOST=127.0.0.1 PORT=3000 npm start"],
  ["node", { "server.js": "http.createServer(f).listen(1)" }, "node server.js 3000"],
  ["go", { "go.mod": "module x" }, "go run ."],
  ["rust", { "Cargo.toml": "" }, "cargo run --offline"],
  ["rails", { "bin/rails": "" }, "rails server -b 127.0.0.1"],
  ["php", { "public/index.php": "" }, "php -S 127.0.0.1:8080 -t public"],
  ["python", { "server.py": "from http.server import HTTPServer" }, "python3 server.py"],
  ["docker", { Dockerfile: "FROM x\nEXPOSE 80", "index.html": "" }, "docker run --rm --init -p 127.0.0.1:8080:80 "],
])("%s is told from its files", async (stack, files, command) => {
  const start = await startOf(directory(files), async (from) => from);
  expect(start?.stack).toBe(stack);
  expect(start?.way).toEqual({ command: expect.stringContaining(command) });
});

test.each([
  ["", { "index.html": "" }],
  ["public", { "public/index.html": "" }],
])("a page alone is shown from its folder (%j), without a command", async (folder, files) => {
  expect(await startOf(directory(files), async (from) => from)).toMatchObject({ stack: "static", way: { folder } });
});

/** SEEDS A.13: in this order, with these times. */
test("every stack has its time", async () => {
  const files: Record<string, Record<string, string>> = {
    streamlit: { "main.py": "import streamlit" },
    fastapi: { "main.py": "import fastapi" },
    flask: { "main.py": "import flask" },
    django: { "manage.py": "django" },
    next: dependsOn("next"),
    vite: dependsOn("vite"),
    node: { "app.js": "app.listen(1)" },
    go: { "go.mod": "" },
    rust: { "Cargo.toml": "" },
    rails: { "bin/rails": "" },
    php: { "index.php": "" },
    python: { "main.py": "import http.server" },
    docker: { Dockerfile: "" },
    static: { "index.html": "" },
  };
  const names = Object.keys(files);
  const alone = await Promise.all(names.map((name) => startOf(directory(files[name] ?? {}), async (from) => from)));
  expect(alone.map((start) => start?.stack)).toEqual(names);
  expect(alone.map((start) => start?.seconds)).toEqual([15, 10, 8, 12, 30, 20, 15, 20, 45, 25, 5, 10, 60, 3]);
  const together = names.map((_, i) =>
    Object.assign(
      {},
      ...names
        .slice(i)
        .map((name) => files[name])
        .reverse(),
    ),
  );
  const first = await Promise.all(together.map((all) => startOf(directory(all), async (from) => from)));
  expect(first.map((start) => start?.stack)).toEqual(names);
});

test("a command of the plan hears of host and port", async () => {
  const { way } = await startAsSaid("cd api && npm start", async (from) => from + 1);
  expect(way).toEqual({ command: "export HOST=127.0.0.1 PORT=3001; cd api && npm start" });
});

test.each<[string, Record<string, string>]>([
  ["nothing", {}],
  ["a comment about flask", { "app.py": "# uses flask one day\n" }],
  ["a package that is not installed", { "package.json": json({ dependencies: { vite: "1" } }) }],
  ["a package file that is none", { "package.json": "{" }],
])("%s is no application", async (_what, files) => {
  expect(await startOf(directory(files), async (from) => from)).toBeNull();
});

test("the port that is free is the one in the command", async () => {
  const start = await startOf(directory({ "go.mod": "" }), async (from) => from + 7);
  expect(start).toMatchObject({ port: 8087, way: { command: expect.stringContaining("PORT=8087") } });
});
