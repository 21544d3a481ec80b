// Starts the server on a free loopback port, fetches every page and a few wrong ones, and stops it again.
// Exit code 0 when everything is as it should be.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";

const folder = new URL(".", import.meta.url);
const server = spawn(process.execPath, ["server.js", "0", "--with-parent"], {
  cwd: folder,
  stdio: ["pipe", "pipe", "inherit"],
});

try {
  const base = await address(server);
  await same(`${base}`, "index.html", "text/html");
  await same(`${base}style.css`, "style.css", "text/css");
  await same(`${base}app.js`, "app.js", "text/javascript");
  await everyIdExists();
  await status(`${base}server.js`, 404);
  await status(`${base}..%2f..%2fetc%2fpasswd`, 404);
  await status(base, 405, { method: "POST" });
  console.log("check: all is well");
} finally {
  server.stdin.end();
  if (server.exitCode === null) await once(server, "exit");
}

/** The URL that the server prints when it listens. */
async function address(child) {
  let text = "";
  for await (const chunk of child.stdout) {
    text += chunk;
    const url = /http:\/\/127\.0\.0\.1:\d+\//.exec(text)?.[0];
    if (url) return url;
  }
  throw new Error(`the server ended without printing its address: ${text}`);
}

async function same(url, name, type) {
  const response = await fetch(url);
  const body = await response.text();
  assert.equal(response.status, 200, `${url} answers ${response.status}`);
  assert.ok(response.headers.get("content-type").startsWith(type), `${url} is ${response.headers.get("content-type")}`);
  assert.equal(body, await readFile(new URL(name, folder), "utf8"), `${url} is not ${name}`);
  console.log(`check: ${name}, ${Buffer.byteLength(body)} bytes`);
}

async function status(url, expected, options) {
  const response = await fetch(url, options);
  await response.text();
  assert.equal(response.status, expected, `${url} answers ${response.status}`);
}

/** Each element that app.js looks up by id is in index.html. */
async function everyIdExists() {
  const script = await readFile(new URL("app.js", folder), "utf8");
  const page = await readFile(new URL("index.html", folder), "utf8");
  const wanted = [...script.matchAll(/(?:\$|onClick)\("([\w-]+)"/g)].map((match) => match[1]);
  assert.ok(wanted.length > 10, "app.js looks up hardly any element");
  for (const id of wanted) assert.ok(page.includes(`id="${id}"`), `app.js needs #${id}, which index.html does not have`);
  console.log(`check: ${new Set(wanted).size} elements found`);
}
