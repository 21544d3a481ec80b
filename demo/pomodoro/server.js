// A static server for the Pomodoro timer: loopback only, four files, no dependencies.
// Usage: node server.js [port] [--with-parent]
//   port           default 4173; 0 picks a free one
//   --with-parent  stop when standard input closes, so that the server never outlives the program that started it

import { createReadStream } from "node:fs";
import { createServer } from "node:http";

const host = "127.0.0.1";
const port = readPort(process.argv[2]);

// Only what is listed here is ever served, so no path in a request can reach another file.
const files = new Map([
  ["/", { name: "index.html", type: "text/html; charset=utf-8" }],
  ["/index.html", { name: "index.html", type: "text/html; charset=utf-8" }],
  ["/style.css", { name: "style.css", type: "text/css; charset=utf-8" }],
  ["/app.js", { name: "app.js", type: "text/javascript; charset=utf-8" }],
]);

const headers = {
  "cache-control": "no-cache",
  "content-security-policy": "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

const server = createServer((request, response) => {
  if (request.method !== "GET" && request.method !== "HEAD") {
    return answer(response, 405, "Only GET and HEAD are supported.\n", { allow: "GET, HEAD" });
  }
  const path = (request.url ?? "/").split("?")[0];
  const file = files.get(path);
  if (!file) return answer(response, 404, "There is no such page.\n");
  if (request.method === "HEAD") {
    response.writeHead(200, { ...headers, "content-type": file.type });
    return response.end();
  }
  const stream = createReadStream(new URL(file.name, import.meta.url));
  stream.once("open", () => {
    response.writeHead(200, { ...headers, "content-type": file.type });
    stream.pipe(response);
  });
  stream.once("error", () => {
    if (response.headersSent) response.destroy();
    else answer(response, 500, `${file.name} cannot be read.\n`);
  });
});

server.on("error", (error) => {
  const why = error.code === "EADDRINUSE" ? `port ${port} is in use; give another one, or 0 for a free one` : error.message;
  console.error(`The server did not start: ${why}.`);
  process.exit(1);
});

server.listen(port, host, () => {
  console.log(`Pomodoro timer: http://${host}:${server.address().port}/`);
});

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, stop);
if (process.argv.includes("--with-parent")) process.stdin.resume().once("close", stop);

function stop() {
  server.close(() => process.exit(0));
  server.closeAllConnections();
}

function answer(response, status, text, more = {}) {
  response.writeHead(status, { ...headers, ...more, "content-type": "text/plain; charset=utf-8" });
  response.end(text);
}

function readPort(text) {
  if (text === undefined || text.startsWith("--")) return 4173;
  const number = Number(text);
  if (Number.isInteger(number) && number >= 0 && number <= 65535) return number;
  console.error(`"${text}" is not a port. Give a number from 0 to 65535.`);
  process.exit(2);
}
