// What goes wrong with a whole run: as its result where the user can do something about it, as a notice where nobody waits for it.

import type { Run } from "../../agent/run.js";
import { messageOf, UserError } from "../../core/errors.js";
import type { EventBody } from "../../core/event.js";
import { exitOf, type Result } from "../../core/result.js";

/** A log that cannot be written ends the run with a result; anything else that is thrown is a bug and goes on up. */
export async function faultless(run: Run, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    run.abandon();
    if (!(error instanceof UserError)) throw error;
    const subtype = "error_during_execution";
    const detail = error.fix ? `${error.message} ${error.fix}` : error.message;
    return { ...run.result({ subtype, text: "", detail }), exit_code: exitOf[subtype] };
  }
}

/** The event that says a bug in a run that nobody waits for: `what` begins its sentence. */
export function bugOf(what: string, error: unknown): EventBody {
  const text = `${what} met a bug of Cinch: ${messageOf(error)}. What is in the log stands; say something to go on.`;
  return { type: "notice", level: "error", code: "bug", text };
}
