import { expect, test } from "vitest";
import { type Ground, startOf } from "./stacks.js";

function ground(files: Record<string, string>): Ground {
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
  ["static", { "public/index.html": "" }, "http.server 8080 --bind 127.0.0.1 --directory public"],
])("%s is told from its files", async (stack, files, command) => {
  const start = await startOf(ground(files), async (from) => from);
  expect(start?.stack).toBe(stack);
  expect(start?.command).toContain(command);
});

test.each<[string, Record<string, string>]>([
  ["nothing", {}],
  ["a comment about flask", { "app.py": "# uses flask one day\n" }],
  ["a package that is not installed", { "package.json": json({ dependencies: { vite: "1" } }) }],
  ["a package file that is none", { "package.json": "{" }],
])("%s is no application", async (_what, files) => {
  expect(await startOf(ground(files), async (from) => from)).toBeNull();
});

test("the port that is free is the one in the command", async () => {
  const start = await startOf(ground({ "go.mod": "" }), async (from) => from + 7);
  expect(start).toMatchObject({ port: 8087, command: expect.stringContaining("PORT=8087") });
});
