// The measuring program of the benchmark: starts the loopback model, runs Cinch and the floor in turn against it, looks
// at both from outside and prints what it saw. Nothing is measured inside the programs, and none is changed for it.
// A worker thread of the benchmark (index.ts), whose plan it gets as `workerData`:
//   {cinch: path of cinch.js, floor: http or fetch, folder: empty directory, version: pairs,
//    series: [{name, turns, pairs}], record: turns or 0, resume: {turns, pairs} or null}
// Posts: {progress: text} · {started: pid} and {ended: pid} of every process
//   {version: {cinch, floor}} and {resume: {cinch, floor}} in ms, one a pair · {run: {series, program, pair, …measured}} ·
//   {recorded: {cinch: file, floor: file}} · {failed: text}
// It ends after its work, after a failure, or when it is sent "stop"; everything it started is killed then.

import { spawn } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parentPort, workerData as plan } from "node:worker_threads";

// Beside this file, in src/bench as in dist/bench, where the build gives them another ending.
const ending = import.meta.url.slice(import.meta.url.lastIndexOf("."));
const beside = (name) => fileURLToPath(new URL(`./${name}${ending}`, import.meta.url));
const say = (message) => parentPort.postMessage(message);
const now = () => Number(process.hrtime.bigint()) / 1e6;
const linux = process.platform === "linux";
const children = new Set();
let runs = 0;

const prompt = "Do the work of the benchmark.";
// A window that nothing here fills: what a compaction costs is not a cost of turns.
const settings = join(plan.folder, "settings.json");
writeFileSync(settings, JSON.stringify({ models: { windows: { "anthropic/claude-sonnet-4-5": 10_000_000 } } }));
const programs = {
  cinch: [
    plan.cinch,
    "-p",
    prompt,
    "-m",
    "anthropic/claude-sonnet-4-5",
    "--permission-mode",
    "auto",
    "--settings",
    settings,
  ],
  floor: [beside("floor"), prompt, plan.floor],
};

parentPort.once("message", killAll);
const model = await startModel();
try {
  await measure();
} catch (error) {
  say({ failed: error instanceof Error ? error.message : String(error) });
} finally {
  parentPort.close();
  killAll();
}

async function measure() {
  if (plan.version > 0) await versions();
  for (const { name, turns, pairs } of plan.series) {
    // The first pair fills the caches of the disk and is thrown away.
    for (let pair = plan.series[0].name === name ? -1 : 0; pair < pairs; pair++) {
      for (const program of Object.keys(programs)) {
        say({ progress: `${name}: ${program}, ${Math.max(0, pair) + 1} of ${pairs}` });
        const measured = await once(program, { turns });
        if (pair >= 0) say({ run: { series: name, program, pair, ...measured } });
      }
    }
  }
  if (plan.record > 0) {
    const recorded = { cinch: join(plan.folder, "cinch.jsonl"), floor: join(plan.folder, "floor.jsonl") };
    for (const [program, record] of Object.entries(recorded)) {
      say({ progress: `reading the requests of ${plan.record} turns: ${program}` });
      await once(program, { turns: plan.record, record });
    }
    say({ recorded });
  }
  if (plan.resume) await resumed(plan.resume);
}

/** `cinch --version` against `node -e 0`, from start to end. */
async function versions() {
  const commands = { cinch: [plan.cinch, "--version"], floor: ["-e", "0"] };
  for (let pair = -1; pair < plan.version; pair++) {
    const times = {};
    for (const [program, args] of Object.entries(commands)) {
      const began = now();
      const { ended } = start(args, plan.folder);
      const { exit, text } = await ended;
      times[program] = now() - began;
      if (exit !== 0) throw new Error(`${program} --version ended with exit code ${exit}: ${text}`);
    }
    if (pair >= 0) say({ version: times });
  }
}

/** A session of many turns that goes on, against a new one and the bare parsing of its log: CPU up to the request. */
async function resumed({ turns, pairs }) {
  say({ progress: `resume: a session of ${turns} turns` });
  const home = join(plan.folder, `run-${runs}`, "home", "sessions");
  await once("cinch", { turns });
  const [log] = readdirSync(home, { recursive: true }).filter((name) => name.endsWith(".jsonl"));
  const id = log.slice(log.lastIndexOf("/") + 1, -".jsonl".length);
  for (let pair = -1; pair < pairs; pair++) {
    say({ progress: `resume: ${Math.max(0, pair) + 1} of ${pairs}` });
    const cinch = await toFirstRequest(["-r", id], (folder) =>
      cpSync(home, join(folder, "home", "sessions"), { recursive: true }),
    );
    const fresh = await toFirstRequest([], () => {});
    const parsed = await parsing(join(home, log));
    if (pair >= 0) say({ resume: { cinch, floor: fresh === null ? null : fresh + parsed } });
  }
}

/** CPU of Cinch from its start until its first request is in, in ms. `prepare` is given the folder of its home. */
async function toFirstRequest(args, prepare) {
  const folder = join(plan.folder, `run-${runs++}`);
  const project = join(folder, "project");
  mkdirSync(project, { recursive: true });
  prepare(folder);
  await model.ask({ start: { turns: 0 } });
  const { child, ended } = start([...programs.cinch, ...args], project, surroundings(folder));
  const over = failing("cinch", ended);
  await Promise.race([model.next(), over]);
  const cpu = cpuOf(child.pid);
  model.tell({ release: true });
  const { exit, text } = await ended;
  if (exit !== 0 || !/\bdone\b/.test(text)) throw new Error(`a session did not go on (exit code ${exit}): ${text}`);
  return cpu;
}

/** CPU for reading a log and parsing every line of it, in a process of its own: nothing is compiled or warm. */
async function parsing(log) {
  const text = `
    const before = process.cpuUsage();
    for (const line of require("node:fs").readFileSync(process.argv[1], "latin1").split("\\n")) if (line) JSON.parse(line);
    const { user, system } = process.cpuUsage(before);
    console.log((user + system) / 1000);`;
  const { ended } = start(["-e", text, log], plan.folder);
  const { exit, text: said } = await ended;
  if (exit !== 0) throw new Error(`the log could not be parsed (exit code ${exit}): ${said}`);
  return Number(said);
}

/** One whole run of a program: `turns` tool turns and the answer, in a new directory with a new home. */
async function once(program, order) {
  const folder = join(plan.folder, `run-${runs++}`);
  const project = join(folder, "project");
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, "notes.js"), notes());
  await model.ask({ start: order });
  const began = now();
  const { child, ended } = start(programs[program], project, surroundings(folder));
  const over = failing(program, ended);
  await Promise.race([model.next(), over]);
  const cpuBefore = cpuOf(child.pid);
  model.tell({ release: true });
  await Promise.race([model.next(), over]);
  const cpuAfter = cpuOf(child.pid);
  const watch = peak(child.pid);
  model.tell({ release: true });
  const { exit, text } = await ended;
  const rss = watch();
  const { arrivals, sizes, released } = await model.ask({ report: true });
  judge(program, order.turns, { exit, text, arrivals, project });
  return {
    turns: order.turns,
    first: arrivals[0] - began,
    // A turn lasts from one request to the next; the first from when the held first request was answered.
    gaps: arrivals.slice(1).map((time, index) => time - (index === 0 ? released : arrivals[index])),
    cpu: cpuBefore === null || cpuAfter === null ? null : cpuAfter - cpuBefore,
    rss,
    firstBytes: sizes[0],
    lastBytes: sizes.at(-1),
  };
}

/** A home of its own, and the model of the benchmark. */
function surroundings(folder) {
  return {
    HOME: folder,
    CINCH_HOME: join(folder, "home"),
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${model.port}`,
    ANTHROPIC_API_KEY: "benchmark",
  };
}

/** Rejects when the program is over; whoever waits for a request of it must not wait for ever. */
function failing(program, ended) {
  const over = ended.then(({ exit, text }) => {
    throw new Error(`${program} ended with exit code ${exit} before its last request. It wrote: ${text}`);
  });
  over.catch(() => {});
  return over;
}

/** A figure counts only when the work was really done. */
function judge(program, turns, { exit, text, arrivals, project }) {
  const wrong = [];
  if (exit !== 0) wrong.push(`exit code ${exit}`);
  if (arrivals.length !== turns + 1) wrong.push(`${arrivals.length} requests instead of ${turns + 1}`);
  if (!/\bdone\b/.test(text)) wrong.push("no answer");
  const edits = Math.floor(turns / 3);
  const left = readFileSync(join(project, "notes.js"), "utf8");
  if (left !== notes(edits)) wrong.push(`notes.js is not what ${edits} edits make of it`);
  if (wrong.length > 0) throw new Error(`${program}, ${turns} turns: ${wrong.join(", ")}. It wrote: ${text}`);
}

/** The file that is read and edited: small, so that many turns fit a request. */
function notes(step = 0) {
  const lines = Array.from({ length: 32 }, (_, index) => `export const value${index} = compute(${index}, "alpha");`);
  return `${[`let step = ${step};`, ...lines].join("\n")}\n`;
}

function start(args, cwd, variables = {}) {
  const env = { PATH: process.env.PATH, LANG: process.env.LANG, TMPDIR: process.env.TMPDIR, ...variables };
  const child = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  keepTrack(child);
  let text = "";
  const keep = (chunk) => {
    text = (text + chunk).slice(-2000);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  // A run that hangs must not hang the benchmark: ten minutes are far beyond the slowest.
  const alarm = setTimeout(() => child.kill("SIGKILL"), 600_000);
  const ended = new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (exit, signal) => {
      clearTimeout(alarm);
      resolve({ exit: exit ?? signal, text });
    });
  });
  return { child, ended };
}

async function startModel() {
  const child = spawn(process.execPath, [beside("model")], { stdio: ["pipe", "pipe", "inherit"] });
  keepTrack(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error("the loopback model ended");
    return JSON.parse(value);
  };
  const tell = (message) => child.stdin.write(`${JSON.stringify(message)}\n`);
  const { port } = await next();
  const ask = (message) => {
    tell(message);
    return next();
  };
  return { port, next, tell, ask };
}

/** CPU of a process and everything below it, ended children included, in ms. Null where there is no /proc. */
function cpuOf(pid) {
  if (!linux) return null;
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(statOf)
    .filter(Boolean);
  let sum = threadsOf(pid);
  const mine = new Set([pid]);
  for (let size = 0; size !== mine.size; ) {
    size = mine.size;
    for (const { pid, parent } of all) if (mine.has(parent)) mine.add(pid);
  }
  for (const entry of all) {
    if (mine.has(entry.pid)) sum += entry.endedChildren + (entry.pid === pid ? 0 : entry.own);
  }
  return sum;
}

/** /proc/<pid>/stat counts in ticks of 10 ms. */
function statOf(pid) {
  const text = readOr(`/proc/${pid}/stat`);
  if (!text) return undefined;
  const fields = text
    .slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  return {
    pid: Number(pid),
    parent: fields[1],
    own: 10 * (fields[11] + fields[12]),
    endedChildren: 10 * (fields[13] + fields[14]),
  };
}

/** Finer than ticks: nanoseconds on a CPU, of each thread. */
function threadsOf(pid) {
  const times = readdirSync(`/proc/${pid}/task`).map((thread) => readOr(`/proc/${pid}/task/${thread}/schedstat`));
  return times.reduce((sum, text) => sum + Number(text?.split(" ")[0] ?? 0) / 1e6, 0);
}

/** Looks at the peak memory of a process until it is gone. The function returned gives the last value, in KB. */
function peak(pid) {
  let kilobytes = null;
  const look = () => {
    const found = /VmHWM:\s+(\d+)/.exec(readOr(`/proc/${pid}/status`) ?? "");
    if (found) kilobytes = Number(found[1]);
  };
  look();
  const timer = setInterval(look, 2);
  return () => {
    clearInterval(timer);
    return kilobytes;
  };
}

function readOr(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function keepTrack(child) {
  if (child.pid === undefined) return;
  children.add(child);
  say({ started: child.pid });
  child.once("exit", () => {
    children.delete(child);
    say({ ended: child.pid });
  });
}

function killAll() {
  for (const child of children) child.kill("SIGKILL");
}
