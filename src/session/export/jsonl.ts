// A session as a file that stands alone: the format of FORMAT.md, long texts in place. The sessions of its agents follow, each
// from its own header on.
// Invariant: every reader of session files reads it; ids, parents and times are those of the log, lines are numbered and
// chained anew, so that what was damaged in the log is absent and not damaged again.

import type { Entry } from "../../core/entry.js";
import { UserError } from "../../core/errors.js";
import { sealed } from "../../lib/jsonl.js";
import { lineLimit } from "../../lib/jsonl-scan.js";
import { lineOf } from "../line.js";
import { inlineJson } from "../spill.js";

export function asJsonl(entries: readonly Entry[]): string {
  let previous = "";
  const lines: string[] = [];
  for (const [seq, { id, parent, type, time, data }] of entries.entries()) {
    const { line, h } = sealed(previous, lineOf({ seq, id, parent, type, time }, inlineJson(data)));
    previous = h;
    if (line.length > lineLimit) {
      throw new UserError(`The entry ${id} is too long for one line of a file.`, "Export it as md or html.", 1);
    }
    lines.push(line);
  }
  return lines.join("");
}
