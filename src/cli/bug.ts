// What happens when Cinch itself is wrong: one sentence for the user, the stack in a file for whoever mends it.
// Invariants: no secret is in it or on the screen; the file is readable by its owner only; arguments are not in it, for a prompt may hold anything.

import { homedir } from "node:os";
import { join } from "node:path";
import { homeDirs } from "../config/home.js";
import { messageOf } from "../core/errors.js";
import { version } from "../core/version.js";
import { nodeFs } from "../lib/fs.js";
import { safeText } from "../lib/safe-text.js";
import { knownSecrets } from "../secrets/known.js";
import { writeErr } from "./stdio.js";

/** Returns the exit code. */
export function reportBug(error: unknown, verbose: boolean): number {
  const stack = error instanceof Error && error.stack ? error.stack : messageOf(error);
  const log = writeLog(knownSecrets.all(stack));
  const where = log === null ? "It could not be written to a log." : `The details are in ${log}.`;
  writeErr(
    safeText(`${`Something is wrong in Cinch itself: ${firstLine(knownSecrets.all(messageOf(error)))} ${where}`}\n`),
  );
  if (verbose) writeErr(safeText(`${knownSecrets.all(stack)}\n`));
  return 1;
}

function writeLog(stack: string): string | null {
  try {
    const { state } = homeDirs(process.env, homedir());
    nodeFs.mkdirSync(state, { recursive: true, mode: 0o700 });
    const file = join(state, "bugs.log");
    const fd = nodeFs.openSync(file, "a", 0o600);
    nodeFs.writeSync(fd, `${new Date().toISOString()} cinch ${version} node ${process.version}\n${stack}\n\n`);
    nodeFs.closeSync(fd);
    return file;
  } catch {
    // The sentence on stderr says so; there is no further place to complain.
    return null;
  }
}

function firstLine(text: string): string {
  const [line = ""] = text.split("\n");
  return /[.!?]$/.test(line) ? line : `${line}.`;
}
