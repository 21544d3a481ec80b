// `cinch -p`: from a prompt to an exit code without a person. Order: flags, stdin, session, run or runs, result, close.
// Invariants: stdout gets the chosen format and nothing else; every way out closes what was opened; the exit code is
// that of the result, or of the signal that ended the run.

import { homedir } from "node:os";
import { isatty } from "node:tty";
import { homeDirs } from "../config/home.js";
import { messageOf, UserError } from "../core/errors.js";
import type { Result } from "../core/result.js";
import { safeText } from "../lib/safe-text.js";
import type { CommandLine } from "./args.js";
import { openDoor } from "./attach/door.js";
import { Conversation } from "./conversation.js";
import { Desk } from "./desk.js";
import { takeEnvironment } from "./environment.js";
import { type Format, formatOf } from "./format.js";
import { holdLastWords, sayLastWords } from "./last-words.js";
import { Notes } from "./notes.js";
import { readPiped } from "./piped.js";
import { type Setup, setupOf } from "./setup.js";
import { Signals } from "./signals.js";
import { onStdoutGone, outFault, writeErr, writeExact, writeOut } from "./stdio.js";
import { bugText, lastWords, noSession, unread } from "./unasked.js";
import { ProgressLine } from "./views/progress.js";
import { closing, opening } from "./views/remarks.js";

export async function runHeadless(line: CommandLine): Promise<number> {
  const setup = setupOf(line);
  const signals = new Signals();
  const watched = isatty(2);
  const streaming = setup.output === "stream-json" || setup.output === "events";
  const draws = watched && process.env["TERM"] !== "dumb" && !(streaming && isatty(1));
  const progress = draws ? progressLine(setup) : undefined;
  const notes = new Notes(watched || setup.verbose, () => progress?.clear());
  const output = { write: writeOut, writeExact, terminal: isatty(1), signal: () => signals.code };
  const format = formatOf(setup.output, output);
  holdLastWords((error) => void format.failed(noSession(bugText(error), 1)));
  try {
    const prompt = setup.control ? setup.prompt : await orSay(format, wholePrompt(setup));
    const desk = new Desk({ ...setup.harness, env: takeEnvironment() });
    return await inSession(desk, setup, { prompt, signals, notes, format, progress });
  } finally {
    progress?.clear();
    notes.flush();
  }
}

interface Parts {
  prompt: string | undefined;
  signals: Signals;
  notes: Notes;
  format: Format;
  progress: ProgressLine | undefined;
}

async function inSession(desk: Desk, setup: Setup, parts: Parts): Promise<number> {
  const { prompt, signals, notes, format } = parts;
  const session = await orSay(format, desk.open(setup.open)).catch(async (error: unknown) => {
    await desk.close();
    throw error;
  });
  for (const text of opening(session.init)) notes.add(text);
  if (setup.verbose) notes.add(`Session ${session.id}, ${session.init.model}, mode ${session.init.permission_mode}.`);
  format.start(session.init);
  const conversation = new Conversation({ ...parts, desk, verbose: setup.verbose });
  holdLastWords((error) => lastWords(error, { conversation, format, session: session.id }));
  const closeDoor = openDoor({
    ...{ state: homeDirs(process.env, homedir()).state, session: () => desk.session },
    busy: () => conversation.busy,
    hear: (text, mode) => conversation.hear(text, mode),
  });
  let deaf = false;
  signals.onStop(() => conversation.stop());
  onStdoutGone(() => {
    deaf = true;
    conversation.stop();
  });
  try {
    await (setup.control ? conversation.control(process.stdin, prompt) : conversation.once(prompt ?? ""));
    await closed(desk, notes);
    return await told(await conversation.ended(), { ...parts, deaf, control: setup.control, session: session.id });
  } catch (error) {
    const code = sayLastWords(error);
    await closed(desk, notes);
    if (code === undefined) throw error;
    notes.add(`Something went wrong after the answer: ${messageOf(error)}.`);
    return code;
  } finally {
    closeDoor();
  }
}

/** The result is there by now, so whatever fails here is a note. */
async function closed(desk: Desk, notes: Notes): Promise<void> {
  try {
    await desk.close();
  } catch (error) {
    notes.add(`The session could not be closed properly: ${messageOf(error)}. Its result stands.`);
  }
}

/** Says on stderr what there is to say about the result, and gives the exit code. */
async function told(
  ended: Result,
  said: Parts & { deaf: boolean; control: boolean; session: string },
): Promise<number> {
  const { signals, notes, progress, deaf, control, session } = said;
  const isUnread = deaf && signals.code === undefined && ended.subtype === "error_cancelled";
  const result = isUnread ? unread(ended) : ended;
  progress?.clear();
  const [first, ...others] = closing(result);
  for (const text of others) notes.add(text);
  if (first !== undefined) notes.addFirst(first);
  const lost = await outFault();
  if (lost !== undefined) notes.addFirst(`The answer could not be written: ${lost}. It is in session ${session}.`);
  // Between two inputs no run ends by a signal, and the conversation does.
  if (control && signals.code !== undefined) return signals.code;
  return exitCode(result, signals.code) || (lost === undefined ? 0 : 1);
}

/** Without a session (no model, a locked log) a script that parses stdout must still see why; only exit 2 has no result. */
async function orSay<T>(format: Format, begun: Promise<T>): Promise<T> {
  try {
    return await begun;
  } catch (error) {
    if (!(error instanceof UserError)) sayLastWords(error);
    else if (error.exit !== 2) format.failed(noSession(error.message, error.exit));
    throw error;
  }
}

function exitCode({ subtype, exit_code }: Result, signal: number | undefined): number {
  return subtype === "error_cancelled" && signal !== undefined ? signal : exit_code;
}

async function wholePrompt({ prompt: given, harness }: Setup): Promise<string> {
  const tell = (text: string) => writeErr(safeText(`${text}\n`));
  const piped = await readPiped({
    waits: () => tell("Nothing has come on standard input yet; waiting for the end of the pipeline (Ctrl+C ends it)."),
    silent: () => tell("Nothing came on standard input within 3 s; going on without it (</dev/null avoids the wait)."),
    maxTime: harness.settings?.limits?.time,
  });
  const parts = [given ?? "", piped].filter((part) => part.trim() !== "");
  if (parts.length > 0) return parts.join("\n\n");
  throw new UserError("The prompt is empty.", 'Say what to do: cinch -p "…", or pipe it in.');
}

function progressLine({ color }: Setup): ProgressLine {
  return new ProgressLine(writeErr, () => process.stderr.columns || 80, color);
}
