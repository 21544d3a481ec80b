// From a command line to an exit code: picks the subcommand or the headless run, and says what went wrong.
// Invariant: whatever is thrown becomes one sentence on stderr and the exit code of CONTRACT §2; a stack is shown only
// with --verbose. The process is left by `process.exit` after stdout has been handed over, so nothing can keep it.

import { isatty } from "node:tty";
import { UserError } from "../core/errors.js";
import { version } from "../core/version.js";
import { safeText } from "../lib/safe-text.js";
import { type CommandLine, readArgs } from "./args.js";
import { reportBug } from "./bug.js";
import { type CommandEntry, commands, laterCommands } from "./commands/index.js";
import { learnEnvironment } from "./environment.js";
import { runFlags, sharedFlags } from "./flags.js";
import { sayLastWords } from "./last-words.js";
import { watchLoop } from "./stall.js";
import { flushOut, writeErr, writeOut } from "./stdio.js";

export async function main(): Promise<void> {
  const args = process.argv.slice(2);
  learnEnvironment();
  process.on("uncaughtException", (error) => void crashed(error, args));
  // Waiting for what nothing can bring any more: node would end with a code that means nothing here.
  process.once("beforeExit", () => void crashed(new Error("nothing is left that this run waits for"), args));
  // Short runs are over before, and pay nothing.
  setTimeout(watchLoop, 1_000).unref();
  const code = await run(args).catch((error: unknown) => failed(error, args));
  await flushOut();
  process.exit(code);
}

let isCrashing = false;

/**
 * A result that is there is not lost to it, and its exit code stands. What throws while this is under way is reported as well
 * but begins nothing anew. Loads nothing: there may be no file descriptor left to load it with.
 */
async function crashed(error: unknown, args: readonly string[]): Promise<void> {
  const code = failed(error, args);
  if (isCrashing) return;
  isCrashing = true;
  const said = sayLastWords(error);
  await flushOut();
  process.exit(said ?? code);
}

async function run(args: readonly string[]): Promise<number> {
  const words = [...commands.map(({ name }) => name), ...laterCommands];
  const line = readArgs(args, runFlags, words);
  if (line.command !== undefined) return runCommand(line.command, line);
  if (line.values.has("version")) return print(version);
  if (line.values.has("help")) return print(await (await import("./usage.js")).usage(runFlags));
  if (isInteractive(line)) return (await import("./interactive.js")).runInteractive(line);
  return (await import("./headless.js")).runHeadless(line);
}

/** Without -p and with a person at both ends. */
function isInteractive({ values }: CommandLine): boolean {
  const script = ["print", "input-format", "output-format", "json-schema"].some((name) => values.has(name));
  return !script && isatty(0) && isatty(1);
}

async function runCommand(name: string, line: CommandLine): Promise<number> {
  const entry = commands.find((command) => command.name === name);
  if (!entry)
    throw new UserError(
      `\`cinch ${name}\` is not in this version.`,
      `Commands: ${commands.map((row) => row.name).join(", ")}.`,
    );
  if (entry.raw) return entry.raw([...line.rest]);
  return loadAndRun(entry, [...flagsBefore(line), ...line.rest]);
}

async function loadAndRun(entry: CommandEntry, args: readonly string[]): Promise<number> {
  const command = await entry.load?.();
  if (!command) throw new Error(`the command ${entry.name} has nothing to run`);
  const flags = [...command.flags, ...sharedFlags];
  const { values, words } = readArgs(args, flags);
  if (values.has("help")) return print((await import("./usage.js")).commandUsage(entry.name, entry.doc, flags));
  const { max, hint } = command.words ?? { max: 0, hint: "" };
  if (words.length > max) {
    throw new UserError(
      `cinch ${entry.name}: ${JSON.stringify(words[max])} is one word too many.`,
      `Usage: cinch ${entry.name}${hint && ` ${hint}`}. Flags: ${flags.map((flag) => `--${flag.name}`).join(" ")}`,
    );
  }
  if (!command.showsSettings) await (await import("./current.js")).demandSound(values, flags);
  return command.run(values, words);
}

/** What was given before the name of the subcommand counts as given to it. */
function flagsBefore({ values }: CommandLine): string[] {
  return runFlags.flatMap((flag) =>
    values.list(flag.name).map((value) => (flag.kind.is === "switch" ? `--${flag.name}` : `--${flag.name}=${value}`)),
  );
}

function print(text: string): number {
  writeOut(safeText(`${text}\n`));
  return 0;
}

function failed(error: unknown, args: readonly string[]): number {
  if (error instanceof UserError) {
    writeErr(safeText(`${error.fix ? `${error.message}\n${error.fix}` : error.message}\n`));
    return error.exit;
  }
  return reportBug(error, args.includes("--verbose"));
}
