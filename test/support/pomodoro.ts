// The Pomodoro timer as a team of scripted agents builds it: a server, a page whose app.js has more than 300 lines, written in
// pieces. Each agent plays its part from the top with every task, so its items say by `match` and `skip` when they are meant.

import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { ScriptItem } from "../../src/models/script.js";

const server = `import { createServer } from "node:http";
import { readFile } from "node:fs/promises";

const sessions = [];
const types = { html: "text/html", js: "text/javascript", css: "text/css" };

export async function answer({ method, url }, body) {
  if (url === "/api/sessions" && method === "POST") {
    sessions.push(JSON.parse(body));
    return { status: 201, type: "application/json", text: JSON.stringify(sessions.at(-1)) };
  }
  if (url === "/api/sessions") return { status: 200, type: "application/json", text: JSON.stringify(sessions) };
  const name = url === "/" ? "index.html" : url.slice(1);
  const text = await readFile(new URL(\`../public/\${name}\`, import.meta.url)).catch(() => null);
  const type = types[name.split(".").at(-1)] ?? "text/plain";
  return text ? { status: 200, type, text } : { status: 404, type, text: "not there" };
}

export function start(port, host) {
  return createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    const { status, type, text } = await answer(request, body);
    response.writeHead(status, { "content-type": type }).end(text);
  }).listen(port, host);
}

if (process.env.PORT) start(Number(process.env.PORT), process.env.HOST);
`;

const page = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Pomodoro</title><link rel="icon" href="data:,"></head>
<body>
<h1 id="time">25:00</h1>
<button id="toggle">Start</button>
<ul id="done"></ul>
<script type="module" src="/app.js"></script>
</body>
</html>
`;

const head = `const time = document.getElementById("time");
const toggle = document.getElementById("toggle");
const done = document.getElementById("done");
let left = 25 * 60;
let timer = null;

export function shown(seconds) {
  const two = (value) => String(value).padStart(2, "0");
  return \`\${two(Math.floor(seconds / 60))}:\${two(seconds % 60)}\`;
}

export function draw() {
  time.textContent = shown(left);
}

export function startTimer() {
  timer ??= setInterval(tick, 1000);
  toggle.textContent = "Pause";
}

export function stopTimer() {
  clearInterval(timer);
  timer = null;
  toggle.textContent = "Start";
}
`;
const quotes = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `  "Thought ${from + i}: one thing at a time.",`).join("\n");
const middle = `\nexport const thoughts = [\n${quotes(0, 150)}\n`;
const tail = `${quotes(150, 290)}
];

function tick() {
  left -= 1;
  draw();
  if (left === 0) finish();
}

async function finish() {
  stopTimer();
  left = 25 * 60;
  await fetch("/api/sessions", { method: "POST", body: JSON.stringify({ minutes: 25 }) });
  await list();
}

export async function list() {
  const sessions = await (await fetch("/api/sessions")).json();
  done.replaceChildren(
    ...sessions.map(({ minutes }, i) => {
      const item = document.createElement("li");
      item.textContent = \`\${minutes} min. \${thoughts[i % thoughts.length]}\`;
      return item;
    }),
  );
}

toggle.addEventListener("click", () => (timer === null ? startTimer() : stopTimer()));
draw();
await list();
`;
const title = '\nsetInterval(() => {\n  document.title = "Pomodoro " + shown(left);\n}, 1000);\n';
const check = `import { readFileSync } from "node:fs";
import { test } from "node:test";
import assert from "node:assert/strict";
import { answer } from "../server/index.js";

test("a session that was sent is listed", async () => {
  await answer({ method: "POST", url: "/api/sessions" }, '{"minutes":25}');
  assert.equal((await answer({ method: "GET", url: "/api/sessions" })).text, '[{"minutes":25}]');
});

test("the page names its script", () => {
  assert.match(readFileSync("public/index.html", "utf8"), /app\\.js/);
});
`;

export const plan = {
  goal: "A Pomodoro timer with a list of the sessions that were done",
  formation: "feature-impl",
  tasks: [
    {
      id: "server",
      title: "The server",
      role: "backend-impl",
      prompt: "Write the server: GET and POST /api/sessions, and the files of public/.",
      files: ["server/index.js"],
      exports: { "server/index.js": ["answer", "start"] },
      accept: ["node --check server/index.js"],
    },
    {
      id: "page",
      title: "The page",
      role: "frontend-impl",
      prompt: "Write the page and its script.",
      files: ["public/index.html", "public/app.js"],
      exports: { "public/app.js": ["startTimer", "stopTimer", "list"], "public/index.html": ["toggle"] },
    },
    {
      id: "fit",
      title: "Both together",
      role: "integrator",
      prompt: "Write a test that holds both sides together.",
      files: ["test/pomodoro.test.js"],
      accept: ["node --test test/pomodoro.test.js"],
    },
    {
      id: "check",
      title: "What holds",
      role: "tester",
      prompt: "Run the tests.",
      accept: ["node --test test/pomodoro.test.js"],
    },
  ],
  app: { start: "node server/index.js", path: "/" },
};

const call = (tool: string, input: object): ScriptItem => ({ calls: [{ tool, input: input as never }] });
const write = (path: string, content: string) => call("write_file", { path, content });
const when = (match: string, item: ScriptItem): ScriptItem => ({ match, skip: true, ...item });
const append = (content: string) => call("append_file", { path: "public/app.js", content });

/** `stalls`: the page's agent never comes back with the last piece of app.js. */
export function pomodoro(stalls = false): object {
  const last = append(tail);
  // What a tool says of that file, and not what the engine says: "Your work …".
  const wrote = "^[^Y]*app\\.js[^Y]*$";
  return {
    main: [],
    agents: {
      planner: [{ text: JSON.stringify(plan) }],
      "backend-impl": [
        when("was interrupted", write("server/index.js", server)),
        // Until the page's agent has tried to help out.
        when(
          "Write the server",
          call("run_command", { command: "until [ -e public/index.html ]; do sleep 0.05; done" }),
        ),
        when("no output", write("server/index.js", server)),
        when("You say that it is done", call("read_file", { path: "server/index.js" })),
        { text: "server/index.js answers /api/sessions." },
      ],
      "frontend-impl": [
        when("Write the page", write("server/index.js", "// helping out\n")),
        when("CONFLICT: server/index.js is being worked on by backend-impl", write("public/index.html", page)),
        when("^created public/index\\.html", write("public/app.js", "export function startTimer() {}\n")),
        when(wrote, { text: "The page is there." }),
        when("was looked at", call("delete_file", { path: "public/app.js" })),
        when(wrote, write("public/app.js", head)),
        when(wrote, append(middle)),
        when(wrote, stalls ? { ...last, delay_ms: 600_000 } : last),
        when("was interrupted", last),
        when("was checked", append(title)),
        { text: "The page is there, whole." },
      ],
      integrator: [
        when("Write a test", write("test/pomodoro.test.js", check)),
        when("You say that it is done", call("run_command", { command: "node --test test/pomodoro.test.js" })),
        { text: "Both sides fit." },
      ],
      tester: [
        when("Run the tests", call("run_command", { command: "node --test test/pomodoro.test.js" })),
        { text: "All pass." },
      ],
      gate: [
        call("read_file", { path: "public/app.js", offset: 330 }),
        when("document\\.title", { text: '{"verdict":"PASS","findings":[]}' }),
        {
          text: JSON.stringify({
            verdict: "FAIL",
            findings: [{ severity: "major", file: "public/app.js", what: "the title does not show the time left" }],
          }),
        },
      ],
    },
  };
}

export function writeScript(file: string, script: object): void {
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, JSON.stringify(script));
}

/** Every file of a project with its text, Cinch's and git's own apart. */
export function treeOf(root: string, at = root): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(at).sort()) {
    if (name === ".git" || name === ".cinch") continue;
    const path = join(at, name);
    if (statSync(path).isDirectory()) Object.assign(found, treeOf(root, path));
    else found[relative(root, path)] = readFileSync(path, "utf8");
  }
  return found;
}
