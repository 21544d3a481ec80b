// Whose session file is this, and what is in it.
// Invariant: a file is told by what stands in its lines, never by its name; one that nobody knows is refused whole.

import { UserError } from "../../core/errors.js";
import type { JsonObject } from "../../core/json.js";
import { isObject, parseJson } from "../../lib/json.js";
import { lineLimit } from "../../lib/jsonl-scan.js";
import { isClaude, readClaude } from "./claude.js";
import { isCodex, readCodex } from "./codex.js";
import type { Foreign } from "./foreign.js";
import { isOpencode, readOpencode } from "./opencode.js";
import { isPi, readPi } from "./pi.js";

export type ForeignFormat = "claude-code" | "codex" | "pi" | "opencode" | "cinch";

/** Lines that may come before one that tells whose file it is. */
const looked = 50;

const readers = [
  { format: "codex", fits: isCodex, read: readCodex },
  { format: "pi", fits: isPi, read: readPi },
  { format: "claude-code", fits: isClaude, read: readClaude },
] as const;

/** Of Cinch's own file only the format: its lines are checked by whoever reads session files. */
export function readForeign(text: string): { format: ForeignFormat; foreign: Foreign | null } {
  const bad = { lines: 0 };
  const head: JsonObject[] = [];
  for (const line of objectsOf(text, { lines: 0 })) if (head.push(line) === looked) break;
  if (isOwn(head[0])) return { format: "cinch", foreign: null };
  for (const { format, fits, read } of readers) {
    if (!head.some(fits)) continue;
    const foreign = read(objectsOf(text, bad));
    if (bad.lines > 0) foreign.drop("line that is no JSON object", bad.lines);
    return { format, foreign };
  }
  const whole = parseJson(text);
  if (isOpencode(whole)) return { format: "opencode", foreign: readOpencode(whole) };
  throw new UserError(
    "This is not a session file that can be imported; nothing was.",
    "Known are session files of Claude Code, Codex, pi and Cinch (JSONL), and the output of `opencode export`.",
  );
}

function isOwn(line: JsonObject | undefined): boolean {
  return line?.["type"] === "header" && isObject(line["data"]) && line["data"]["format"] === "cinch-session";
}

function* objectsOf(text: string, bad: { lines: number }): Generator<JsonObject> {
  for (let from = 0; from < text.length; ) {
    const found = text.indexOf("\n", from);
    const end = found < 0 ? text.length : found;
    const line = text.slice(from, end).trim();
    from = end + 1;
    const value = line.length <= lineLimit ? parseJson(line) : undefined;
    if (isObject(value)) yield value;
    else if (line !== "") bad.lines++;
  }
}
