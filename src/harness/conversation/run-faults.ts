// What goes wrong with a whole run: as its result where the user can do something about it, as a notice where nobody waits for it.

import type { Run } from "../../agent/run.js";
import { messageOf, UserError } from "../../core/errors.js";
import type { EventBody } from "../../core/event.js";
import { exitOf, type Result } from "../../core/result.js";
import { diskFault } from "../../lib/disk-fault.js";

/**
 * A log that can't be written, or a system that is out of something (descriptors, say), ends the run with a result, which says what
 * was spent. Anything else that is thrown is a bug and goes on up.
 */
export async function faultless(run: Run, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    run.abandon();
    const detail = detailOf(error);
    if (detail === null) throw error;
    const subtype = "error_during_execution";
    return { ...run.result({ subtype, text: "", detail }), exit_code: exitOf[subtype] };
  }
}

function detailOf(error: unknown): string | null {
  if (error instanceof UserError) return error.fix ? `${error.message} ${error.fix}` : error.message;
  const fault = diskFault(error);
  if (fault === null) return null;
  const more = /\bE[MN]FILE\b/.test(fault)
    ? " Raise the limit on open files (ulimit -n), then resume the session."
    : "";
  return `The run could not continue: ${fault}: ${messageOf(error)}.${more}`;
}

/** The event that says a bug in a run that nobody waits for: `what` begins its sentence. */
export function bugOf(what: string, error: unknown): EventBody {
  const text = `${what} met a bug of Cinch: ${messageOf(error)}. What is in the log stands; say something to go on.`;
  return { type: "notice", level: "error", code: "bug", text };
}
