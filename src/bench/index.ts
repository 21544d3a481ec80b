// The benchmark: Cinch beside a floor program that makes the same HTTP turns, against a loopback model with no latency.
// Everything is measured by the programs beside this file (floor, model, stopwatch), on the built CLI as users run it;
// docs/performance.md says how, and what the figures mean. Here: arguments, figures, table and JSON.
// It judges and never fails because of a judgement: a missed target is a line in the table, exit code 0.

import { randomBytes } from "node:crypto";
import { cpus, tmpdir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { UserError } from "../core/errors.js";
import { version } from "../core/version.js";
import { replaceFile } from "../lib/atomic-file.js";
import { nodeFs } from "../lib/fs.js";
import { blockReader, type CacheCost, cacheCost } from "./cache-cost.js";
import { type Figure, figuresOf, type Program, type Run, type Samples } from "./figure.js";
import { type BenchOptions, type Floor, type Plan, parseOptions, planOf, usage } from "./options.js";
import { tableOf, verdictOf } from "./table.js";

/** Runs `cinch bench <args>`. Resolves to the exit code: 0, or 1 when a program did not do its work. */
export async function runBench(args: string[]): Promise<number> {
  if (args.includes("--help") || args.includes("-h")) {
    console.log(`${usage}\ndocs/performance.md says what it measures.`);
    return 0;
  }
  const options = parseOptions(args);
  const plan = planOf(options);
  const folder = join(nodeFs.realpathSync(tmpdir()), `cinch-bench-${randomBytes(6).toString("hex")}`);
  nodeFs.mkdirSync(folder, { recursive: true });
  try {
    const samples = await measure(plan, options.floor, folder);
    if (plan.refusals) {
      const { refusalCosts } = await import("./refusals.js");
      samples.refusals = (await refusalCosts(folder)).map(({ extra }) => extra);
    }
    if (plan.loops) {
      const { loopTrials } = await import("./loops/index.js");
      samples.loops = await loopTrials(folder);
    }
    if (plan.forever > 0) {
      const { forever } = await import("./forever.js");
      samples.forever = await forever({ turns: plan.forever, folder: `${folder}/forever`, env: process.env });
    }
    if (plan.tasks) {
      const { taskCosts } = await import("./tasks.js");
      samples.tasks = await taskCosts(plan.tasks, `${folder}/tasks`);
    }
    if (plan.agents > 0) {
      const { agentCost } = await import("./agents.js");
      samples.agents = await agentCost(plan.agents, `${folder}/agents`);
    }
    if (plan.definition) {
      const { firstDefinitions, typescriptServer } = await import("./definition.js");
      const { root, cinch } = programs();
      const server = typescriptServer(root, process.env["PATH"] ?? "");
      const more = { folder: `${folder}/definition`, cinch, env: process.env };
      if (server) samples.definitions = await firstDefinitions({ ...plan.definition, ...more, server });
    }
    if (plan.terminal) {
      const { hasPseudoTerminals } = await import("./pseudo-terminal.js");
      const { terminalCosts } = await import("./terminal.js");
      const more = { folder: `${folder}/terminal`, cinch: programs().cinch, env: process.env };
      const here = hasPseudoTerminals(process.env["PATH"] ?? "");
      samples.terminal = here ? await terminalCosts(plan.terminal, more) : null;
    }
    const figures = figuresOf(samples, plan.series).filter(({ name }) => name === (options.only ?? name));
    await report(options, plan, samples, figures);
    return 0;
  } catch (error) {
    if (!(error instanceof BenchFailure)) throw error;
    console.error(`\nThe benchmark stopped: ${error.message}`);
    return error.exit;
  } finally {
    nodeFs.rmSync(folder, { recursive: true, force: true });
  }
}

class BenchFailure extends Error {
  readonly exit: number;

  constructor(text: string, exit: number) {
    super(text);
    this.exit = exit;
  }
}

/** What the stopwatch posts (stopwatch.mjs). */
interface Post {
  progress?: string;
  started?: number;
  ended?: number;
  version?: { cinch: number; floor: number };
  resume?: { cinch: number | null; floor: number | null };
  run?: Run;
  recorded?: Record<Program, string>;
  failed?: string;
}

async function measure(plan: Plan, floor: Floor, folder: string): Promise<Samples> {
  const { stopwatch, cinch } = programs();
  const samples: Samples = { version: [], runs: [] };
  const resumed: NonNullable<Samples["resume"]> = [];
  samples.resume = resumed;
  let failure: string | undefined;
  await runWorker(stopwatch, { ...plan, cinch, floor, folder }, (post) => {
    if (post.progress !== undefined) progress(post.progress);
    if (post.version) samples.version.push(post.version);
    if (post.resume) resumed.push(post.resume);
    if (post.run) samples.runs.push(post.run);
    if (post.recorded) samples.cost = costOf(post.recorded);
    failure ??= post.failed;
  });
  progress("");
  if (failure !== undefined) throw new BenchFailure(failure, 1);
  return samples;
}

/** Runs the stopwatch to its end. Whatever ends this process early ends every process of the benchmark with it. */
async function runWorker(file: string, plan: object, take: (post: Post) => void): Promise<void> {
  const worker = new Worker(file, { workerData: plan });
  const pids = new Set<number>();
  const kill = () => {
    for (const pid of pids) process.kill(pid, "SIGKILL");
  };
  let stopped: NodeJS.Signals | undefined;
  const stop = (signal: NodeJS.Signals) => {
    stopped = signal;
    worker.postMessage("stop");
  };
  process.once("exit", kill).once("SIGINT", stop).once("SIGTERM", stop);
  try {
    await new Promise<void>((done, failed) => {
      worker.on("message", (post: Post) => {
        if (post.started !== undefined) pids.add(post.started);
        if (post.ended !== undefined) pids.delete(post.ended);
        take(post);
      });
      worker.once("error", failed).once("exit", () => done());
    });
  } finally {
    process.off("exit", kill).off("SIGINT", stop).off("SIGTERM", stop);
  }
  if (stopped) throw new BenchFailure("cancelled; nothing was written.", stopped === "SIGINT" ? 130 : 143);
}

/** The programs that are started, in the package that this file belongs to. */
function programs(): { root: string; stopwatch: string; cinch: string } {
  let root = fileURLToPath(new URL(".", import.meta.url));
  while (!nodeFs.existsSync(join(root, "package.json"))) root = resolve(root, "..");
  const places = ["dist/bench/stopwatch.js", "src/bench/stopwatch.mjs"].map((place) => join(root, place));
  const stopwatch = places.find((place) => nodeFs.existsSync(place));
  const cinch = join(root, "dist/cinch.js");
  if (!stopwatch || !nodeFs.existsSync(cinch)) {
    throw new UserError("The benchmark measures the built program, and it is not built.", "Run `npm run build` first.");
  }
  return { root, stopwatch, cinch };
}

function costOf(files: Record<Program, string>): Record<Program, CacheCost> {
  const of = (file: string) => {
    const bodies = nodeFs.readFileSync(file, "utf8").split("\n").filter(Boolean);
    const read = blockReader();
    return cacheCost(bodies.map((body) => read(body)));
  };
  return { cinch: of(files.cinch), floor: of(files.floor) };
}

async function report(options: BenchOptions, plan: Plan, samples: Samples, figures: Figure[]): Promise<void> {
  const [cpu] = cpus();
  const machine = { node: process.version, platform: process.platform, arch: process.arch, cpus: cpus().length };
  const all = {
    bench: 1,
    version,
    time: new Date().toISOString(),
    quick: options.quick,
    floor: options.floor,
    machine: { ...machine, cpu: cpu?.model ?? "unknown" },
    plan,
    figures,
    runs: samples.runs.map(({ gaps, ...run }) => ({ ...run, wall: gaps.reduce((sum, gap) => sum + gap, 0) })),
  };
  const text = `${JSON.stringify(all, null, 2)}\n`;
  if (options.json === true) {
    process.stdout.write(text);
    return;
  }
  const where = `node ${machine.node}, ${machine.platform} ${machine.arch}, ${machine.cpus} × ${all.machine.cpu}, floor over ${options.floor}`;
  const judgement = options.quick ? "A quick run shows that everything works; its figures mean little." : "";
  process.stdout.write(
    [`Cinch ${version}, ${where}`, "", tableOf(figures), "", verdictOf(figures), judgement].join("\n").trimEnd(),
  );
  process.stdout.write("\n");
  if (options.json === undefined) return;
  const path = isAbsolute(options.json) ? options.json : resolve(options.json);
  await replaceFile(nodeFs, path, text, { sync: false });
  console.error(`JSON: ${path}`);
}

/** One line that replaces itself, and only where somebody watches. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}
