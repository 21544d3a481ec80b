// What happens when Cinch itself hangs: it says so, says how to resume, and ends with exit code 1. The log is whole, since each
// entry is appended in one piece; the supervisor ends the children.
// Invariant: loaded after the start, so that the thread costs the first request nothing.

import { UserError } from "../core/errors.js";
import { nodeFs } from "../lib/fs.js";
import { safeText } from "../lib/safe-text.js";
import { startWatchdog } from "../lib/watchdog.js";
import { reportBug } from "./bug.js";
import { writeErr } from "./stdio.js";

const resume = "To resume the session: cinch -c\n";
const defaultMs = 30_000;

/** `limit`: milliseconds in place of 30 s, for tests. */
export function watch(limit: string | undefined): void {
  const limitMs = limit === undefined ? defaultMs : Number(limit);
  if (!(limitMs >= 1_000)) throw new UserError("CINCH_STALL_MS must be at least 1000.", "Unset it.", 2);
  const what = `it did not respond for ${limitMs / 1000} s, so it was ended`;
  startWatchdog({
    limitMs,
    lastWords: `Something is wrong in Cinch itself: ${what}.\n${resume}`,
    onStalled() {
      // The stack is that of what is stuck.
      reportBug(new Error(what), false);
      writeErr(safeText(resume));
      // Last of all: node would now say that it waits for a debugger, which is the watchdog.
      process.once("exit", () => nodeFs.closeSync(2));
      process.exit(1);
    },
  });
}
