// Running a shell command. The plan is the exact text and directory; nothing of the command outlives the call. A command that
// is known to only read is planned as a read: nobody is asked, and it runs beside other reads.
// The exit code is said only when it is not 0, and silence is said to be silence.

import * as z from "zod";
import type { ShellOutcome } from "../core/ports.js";
import { defineTool, type ToolResult } from "../core/tool.js";
import { printable } from "../lib/paths.js";
import { count } from "./parts/change.js";

const defaultSeconds = 120;
const maxSeconds = 600;

const input = z.object({
  command: z.string().min(1),
  timeout_seconds: z.int().min(1).max(maxSeconds).optional(),
  cwd: z.string().optional(),
});

interface Data {
  command: string;
  cwd: string;
  seconds: number;
  readsOnly: boolean;
}

export default defineTool<z.infer<typeof input>, Data, "shell">({
  name: "run_command",
  verb: "run",
  alias: "Bash",
  family: "core",
  order: 9,
  effects: ["exec"],
  mayRead: true,
  needs: ["shell"],
  description: `Runs a bash command in the project, without stdin, for at most ${defaultSeconds} s by default; processes left behind are ended. To read, search or change files prefer the tools above.`,
  input,
  async prepare({ command, timeout_seconds: seconds = defaultSeconds, cwd }, { shell }) {
    const { analysis, digest, ...planned } = await shell.plan(command, cwd);
    const readsOnly = analysis.verdict === "readonly";
    return {
      effect: readsOnly ? "read" : "exec",
      paths: [],
      summary: `run ${printable(command)}`,
      view: { type: "terminal", command, output: "", exit: null },
      digest,
      command: analysis,
      data: { ...planned, seconds, readsOnly },
    };
  },
  hook: {
    to({ timeout_seconds: seconds, ...input }) {
      const timeout = typeof seconds === "number" ? { timeout: seconds * 1000 } : {};
      return { ...input, ...timeout, description: "" };
    },
    from({ timeout, description: _for, ...input }) {
      return typeof timeout === "number" ? { ...input, timeout_seconds: Math.ceil(timeout / 1000) } : input;
    },
    // A command that never ran has printed nothing; why is in the text of the call, which hooks get as `error`.
    response({ streams = { stdout: "", stderr: "" }, exit = null, status }) {
      return { ...streams, interrupted: status === "cancelled", exitCode: exit };
    },
  },
  async apply(
    { data: { command, cwd, seconds, readsOnly } },
    { shell, signal, progress, byHand = false, heard = false },
  ) {
    const timing = { timeoutMs: seconds * 1000, signal, onLine: progress };
    const outcome = await shell.run({ command, cwd, readsOnly, byHand, streams: heard, ...timing });
    return resultOf(command, seconds, outcome);
  },
});

/** What programs say that run into the sandbox. */
const walls =
  /read-only file system|EROFS|permission denied|EACCES|resource busy|EBUSY|network is unreachable|ENETUNREACH|resolve host|name resolution|EAI_AGAIN/i;
const wall =
  "it ran in a sandbox: only the project, /tmp and package caches can be written, files that decide what runs (such as .git/config) not even there; keys and passwords are hidden";

function resultOf(command: string, seconds: number, outcome: ShellOutcome): ToolResult {
  const output = outcome.output.trimEnd();
  const notes: string[] = [];
  if (outcome.timedOut) notes.push(`timed out after ${seconds} s and was ended${longer(seconds)}`);
  else if (outcome.cancelled) notes.push("cancelled and ended");
  else if (outcome.flooded) notes.push(`ended after ${outcome.bytes} bytes of output`);
  else if (outcome.signal !== null) notes.push(`ended by ${outcome.signal}${whence(outcome.signal === "SIGKILL")}`);
  else if (outcome.exit !== 0) notes.push(`exit code ${outcome.exit}${whence(outcome.exit === killedWithin)}`);
  if (outcome.leftRunning > 0) {
    notes.push(
      `${count(outcome.leftRunning, "process")} left running in the background, ended now`.replace(
        "processs",
        "processes",
      ),
    );
  }
  notes.push(...outcome.notes);
  if (outcome.confined && outcome.exit !== 0 && walls.test(output)) notes.push(wall);
  const failed = outcome.timedOut || outcome.exit !== 0;
  return {
    status: outcome.cancelled ? "cancelled" : failed ? "error" : "ok",
    text: [...(output === "" ? ["(no output)"] : [output]), ...notes.map((note) => `[${note}]`)].join("\n"),
    view: { type: "terminal", command, output, exit: outcome.exit },
    data: { bytes: outcome.bytes, lines: outcome.lines, ms: outcome.ms, spill: outcome.spill },
    exit: outcome.exit,
    ...(outcome.streams ? { streams: outcome.streams } : {}),
  };
}

function longer(seconds: number): string {
  if (seconds < maxSeconds) return `; timeout_seconds gives it more, up to ${maxSeconds}`;
  return `, the most that timeout_seconds gives; what takes longer has to go on in the background`;
}

/** What a shell answers when KILL has ended the program it ran. */
const killedWithin = 128 + 9;

/** Nobody who is asked why a program was killed finds it in its output. */
function whence(killed: boolean): string {
  return killed ? ": killed, and not by Cinch; the system does that when memory runs out" : "";
}
