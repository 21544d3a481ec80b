// `npm run demo`: Cinch at work without a key and without a network. A script stands in for the model; the loop, the
// tools, the guards and the session log are the real ones, driven through the public SDK as any program would.
// Afterwards the app that was built is served on loopback, fetched, compared with what was meant, and stopped.
// Invariant: exit code 0 means that everything was as expected; no process is left running in any case.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildScript } from "../demo/script.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const assets = join(root, "demo/pomodoro");
const prompt = "Build a Pomodoro timer web app in this directory, without dependencies, and check that it works.";

console.log(
  "No model is used here: the built-in scripted model says what demo/script.mjs holds. Everything else is real.\n",
);

try {
  await demo();
} catch (error) {
  console.error(`\nThe demo failed. ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}

async function demo() {
  const files = read(assets);
  const top = realpathSync(mkdtempSync(join(tmpdir(), "cinch-demo-")));
  const project = join(top, "pomodoro");
  const home = process.env.CINCH_HOME ?? join(top, "home");
  const script = join(top, "script.json");
  mkdirSync(project);
  writeFileSync(script, JSON.stringify(buildScript(files), null, 1));
  console.log(`directory  ${project}\nprompt     ${prompt}\n`);

  const { result, calls } = await build({ project, home, script });
  expect(!result.is_error, `The run ended as ${result.subtype}: ${result.detail ?? result.result}`);
  const refused = calls.filter(({ status }) => status !== "ok");
  expect(refused.length === 1, `${refused.length} calls did not succeed; it should be the one that the guard refuses.`);
  compare(project, files);
  console.log(`\n${result.result}\n`);

  await serve(project, files);
  report({ files, result, project, home, calls });
}

/** Runs the agent and shows what it does while it does it. */
async function build({ project, home, script }) {
  const harness = await open(project, home, script);
  const calls = [];
  try {
    const session = await harness.open();
    const shown = show(session.events(), calls);
    const result = await session.send(prompt);
    await session.close();
    await shown;
    return { result, calls };
  } finally {
    await harness.close();
  }
}

async function open(project, home, script) {
  const face = join(root, "dist/index.js");
  expect(existsSync(face), "There is no dist/index.js: run `npm run build` first.");
  const { createHarness } = await import(pathToFileURL(face).href);
  return createHarness({
    cwd: project,
    home,
    model: `scripted/${script}`,
    settings: { permissions: { mode: "auto" } },
    // Neither keys nor settings of this machine have a part in it.
    env: { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: process.env.TMPDIR },
  });
}

async function show(events, calls) {
  const begun = new Map();
  let text = "";
  const flush = () => {
    if (text) console.log(`\n${text}`);
    text = "";
  };
  for await (const event of events) {
    if (event.type === "text.delta") text += event.text;
    if (event.type === "turn.end" && event.stop === "tools") flush();
    if (event.type === "call.start") begun.set(event.call, event.summary);
    if (event.type === "notice" && event.level !== "info") console.log(`  ! ${event.text}`);
    if (event.type === "call.end") {
      const { call, tool, status, ms } = event;
      calls.push({ tool, status });
      flush();
      const sign = status === "ok" ? "✓" : "✗";
      // A call that is refused before it could be planned has its name as its summary.
      const planned = begun.get(call) ?? tool;
      const summary = (planned === tool ? "refused" : planned).slice(0, 60);
      console.log(`  ${sign} ${tool.padEnd(11)} ${summary.padEnd(60)} ${status.padEnd(6)} ${Math.round(ms)} ms`);
      if (status !== "ok") console.log(`      ${event.text.split("\n").slice(0, 3).join("\n      ")}`);
    }
  }
}

/** What was built is, byte for byte, what the script meant. */
function compare(project, files) {
  for (const [name, content] of Object.entries(files)) {
    const path = join(project, name);
    expect(existsSync(path), `${name} was not written.`);
    expect(readFileSync(path, "utf8") === content, `${name} is not what the script meant to write.`);
  }
}

/** Starts the app, fetches the page and the program, and stops it again, whatever happens. */
async function serve(project, files) {
  // The server ends by itself when this process does, even by SIGKILL: its standard input closes then.
  const server = spawn(process.execPath, ["server.js", "0", "--with-parent"], {
    cwd: project,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => server.once("close", resolve));
  try {
    const base = await address(server);
    const pages = [
      ["", "index.html"],
      ["app.js", "app.js"],
    ];
    for (const [path, name] of pages) {
      const response = await fetch(base + path, { signal: AbortSignal.timeout(10_000) });
      const body = Buffer.from(await response.arrayBuffer());
      const wanted = Buffer.from(files[name]);
      expect(response.status === 200, `${base}${path} answered ${response.status}.`);
      expect(body.equals(wanted), `${base}${path} gave ${body.length} bytes that are not ${name} (${wanted.length}).`);
      const title = /<title>(.*?)<\/title>/.exec(body.toString())?.[1];
      if (name === "index.html") expect(title === "Pomodoro timer", `The title of the page is ${title}.`);
      console.log(`fetched    ${base}${path}  200, ${body.length} bytes${title ? `, "${title}"` : ""}`);
    }
  } finally {
    server.stdin.end();
    const alarm = setTimeout(() => server.kill("SIGKILL"), 3000);
    await ended;
    clearTimeout(alarm);
    console.log(`stopped    the server, pid ${server.pid}\n`);
  }
}

async function address(server) {
  let text = "";
  for await (const chunk of server.stdout.iterator({ destroyOnReturn: false })) {
    text += chunk;
    const url = /http:\/\/127\.0\.0\.1:\d+\//.exec(text)?.[0];
    if (url) return url;
  }
  throw new Error(`The server of the app ended without an address. It wrote: ${text}`);
}

function report({ files, result, project, home, calls }) {
  for (const [name, content] of Object.entries(files)) {
    const lines = content.split("\n").length - 1;
    const appended = calls.filter(({ tool }) => tool === "append_file").length;
    const pieces = name === "app.js" ? `, in ${1 + appended} pieces` : "";
    console.log(`file       ${name.padEnd(13)} ${String(lines).padStart(4)} lines${pieces}`);
  }
  const { session_id: session, num_turns: turns } = result;
  const log = readdirSync(home, { recursive: true }).find((path) => path.endsWith(`${session}.jsonl`));
  expect(log, `There is no log of session ${session} under ${home}.`);
  const cinch = `CINCH_HOME=${quoted(home)} node ${quoted(join(root, "dist/cinch.js"))}`;
  console.log(`directory  ${project}`);
  console.log(`session    ${session}: ${turns} turns, ${calls.length} calls`);
  console.log(`log        ${join(home, log)}`);
  console.log(`look       cd ${quoted(project)} && node server.js`);
  console.log(`go on      cd ${quoted(project)} && ${cinch} -r ${session} -p "Add a dark theme switch."`);
  console.log("           (with a key in the environment, or with -m)");
}

function read(folder) {
  return Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

function quoted(text) {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function expect(condition, text) {
  if (!condition) throw new Error(text);
}
