// A thread that notices when the event loop of this process has stopped turning, whatever the loop is stuck in.
// Invariants: it counts ticks of its own, not time, so a process that was stopped or a machine that slept is not taken for a
// stuck one; it reaches the main thread where that is interrupted (a loop, a regular expression, a promise chain), and what
// cannot be interrupted it kills.
// Not here: what is said, and the exit code (cli/watch.ts). A program that embeds Cinch has its own event loop to watch.

import { Worker } from "node:worker_threads";

export interface WatchdogOptions {
  limitMs: number;
  /** Runs in the middle of what is stuck. Has to end the process before it returns. */
  onStalled(): void;
  /** Said on stderr when even that does not end it. */
  lastWords: string;
}

/** How often a turn is looked for within the limit. */
const ticks = 30;
const event = "cinch.stalled";

/** Ends the process some time after its event loop has last turned. Keeps nothing alive. */
export function startWatchdog({ limitMs, onStalled, lastWords }: WatchdogOptions): void {
  // A debugger stops the loop on purpose.
  if (process.execArgv.some((flag) => flag.startsWith("--inspect"))) return;
  const turns = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const tickMs = limitMs / ticks;
  process.once(event, onStalled);
  const workerData = { turns, tickMs, ticks, lastWords, expression: `process.emit(${JSON.stringify(event)})` };
  const worker = new Worker(program, { eval: true, workerData, env: {}, execArgv: [] });
  // Without the thread (a limit on threads, say) the program does its work all the same.
  worker.on("error", () => clearInterval(beat));
  worker.unref();
  const beat = setInterval(() => Atomics.add(turns, 0, 1), tickMs);
  beat.unref();
}

const program = `
const { Session } = require("node:inspector");
const { writeSync } = require("node:fs");
const { turns, tickMs, ticks, lastWords, expression } = require("node:worker_threads").workerData;
let seen = -1;
let still = 0;
const watch = setInterval(() => {
  const now = Atomics.load(turns, 0);
  still = now === seen ? still + 1 : 0;
  seen = now;
  if (still < ticks) return;
  clearInterval(watch);
  setTimeout(() => {
    try {
      writeSync(2, lastWords);
    } finally {
      process.kill(process.pid, "SIGKILL");
    }
  }, tickMs * 5);
  const session = new Session();
  session.connectToMainThread();
  session.post("Runtime.evaluate", { expression });
}, tickMs);
`;
