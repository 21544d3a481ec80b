// A program that gets one text on stdin and answers on stdout: started in a group of its own, ended when its time is up, and
// nothing of it is alive afterwards. Its two outputs are kept apart and bounded; what is too long ends it.

import { endMarked, markName } from "./marked.js";
import { exitOf, startGroup, within } from "./process.js";
import { endGroup, leftovers } from "./process-group.js";
import { RunningTimer } from "./running-timer.js";
import type { GroupGuard } from "./supervisor.js";

export interface ExchangeRun {
  file: string;
  args: readonly string[];
  input: string;
  cwd: string;
  env: Readonly<Record<string, string>>;
  timeoutMs: number;
  signal: AbortSignal;
  /** Ends the group if this process dies first. */
  guard: GroupGuard;
  /** Bytes of each output. */
  maxBytes: number;
}

export interface Exchanged {
  exit: number | null;
  /** Why there is no exit code that means something; null = it ended by itself. */
  ended: "signal" | "timeout" | "cancelled" | "flood" | null;
  stdout: string;
  stderr: string;
}

const graceMs = 500;
const drainMs = 250;

/** Rejects with NotStarted when it cannot be started. */
export async function exchange(run: ExchangeRun): Promise<Exchanged> {
  if (run.signal.aborted) return { exit: null, ended: "cancelled", stdout: "", stderr: "" };
  const mark = run.guard.nextMark();
  const begun = performance.now();
  const { child, pid } = await startGroup(run.file, run.args, { cwd: run.cwd, env: { ...run.env, [markName]: mark } });
  const exit = exitOf(child);
  run.guard.guard(pid);
  let ended: Exchanged["ended"] = null;
  let ending: Promise<void> | undefined;
  const stop = (why: NonNullable<Exchanged["ended"]>) => {
    if (ending) return;
    ended = why;
    ending = endGroup(pid, graceMs);
  };
  const heard = [child.stdout, child.stderr].map((stream) => listen(stream, run.maxBytes, () => stop("flood")));
  const timer = new RunningTimer(run.timeoutMs, () => stop("timeout"));
  const onAbort = () => stop("cancelled");
  run.signal.addEventListener("abort", onAbort, { once: true });
  if (run.signal.aborted) onAbort();
  // It may end without reading.
  child.stdin.on("error", () => {});
  child.stdin.end(run.input);
  try {
    const status = await exit;
    timer.end();
    await within(
      Promise.all(heard.map(({ closed }) => closed)).then(() => undefined),
      drainMs,
    );
    if (ending) await ending;
    else await leftovers(pid, graceMs, run.signal, begun);
    await endMarked(mark, { since: { pid, begun }, graceMs });
    const [stdout = "", stderr = ""] = heard.map(({ text }) => text());
    return { exit: status.exit, ended: ended ?? (status.exit === null ? "signal" : null), stdout, stderr };
  } finally {
    timer.end();
    run.signal.removeEventListener("abort", onAbort);
    run.guard.release(pid);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

function listen(stream: NodeJS.ReadableStream, most: number, flood: () => void) {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > most) flood();
    else chunks.push(chunk);
  });
  const closed = new Promise<void>((resolve) => {
    stream.once("close", resolve);
    stream.once("error", () => resolve());
  });
  return { closed, text: () => Buffer.concat(chunks).toString("utf8") };
}
