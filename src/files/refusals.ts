// Refusals that pay for themselves: they carry the content or the change that the model needs to go on at once (SPEC 1.10).
// `shows` tells the door that the model now knows the file; it is true only when nothing was left out.

import { Refusal } from "../core/errors.js";
import { diffTexts } from "../lib/diff.js";
import { linesOf, numbered } from "./text.js";

export interface Teaching {
  error: Refusal;
  shows: boolean;
}

const maxLines = 200;
const maxChars = 20_000;
const unchanged = "Nothing was changed.";

/** The content as numbered lines, or null when it is too long to be shown in a refusal. */
function contentOf(text: string): string | null {
  if (text.length > maxChars) return null;
  const lines = linesOf(text);
  return lines.length > maxLines ? null : describeContent("Its content", lines);
}

/** `label` and numbered lines on lines of their own. */
export function describeContent(label: string, lines: readonly string[]): string {
  if (lines.length === 0) return " It is empty.";
  return ` ${label}:\n${label === "Its content" ? numbered(lines) : lines.join("\n")}`;
}

export function unreadRefusal(shown: string, text: string): Teaching {
  const content = contentOf(text);
  const error =
    content === null
      ? new Refusal("unread", `${shown} was not read in this session (${sizeOf(text)}). ${unchanged}`, ["read"])
      : new Refusal("unread", `${shown} was not read before. ${unchanged} You may edit it now.${content}`);
  return { error, shows: content !== null };
}

export async function staleRefusal(shown: string, text: string, seen: string | undefined): Promise<Teaching> {
  const lead = `${shown} changed on disk since you last saw it. ${unchanged}`;
  const diff = seen === undefined ? "" : (await diffTexts(seen, text, 1)).text;
  const content = contentOf(text);
  const short = diff !== "" && diff.length <= maxChars && diff.split("\n").length <= maxLines;
  if (short && (content === null || diff.length <= content.length)) {
    const error = new Refusal("stale", `${lead} Edit it again with this in mind:\n${diff}`);
    return { error, shows: true };
  }
  if (content !== null) return { error: new Refusal("stale", `${lead}${content}`), shows: true };
  return { error: new Refusal("stale", `${lead} Read it again (${sizeOf(text)}).`, ["read"]), shows: false };
}

/** `text`: the content when the model does not know it yet. */
export function existsRefusal(shown: string, file: { bytes: number; text: string | undefined }): Teaching {
  const lead = `${shown} exists already with other content (${file.bytes} bytes). ${unchanged}`;
  const content = file.text === undefined ? null : contentOf(file.text);
  const error = new Refusal("exists", `${lead}${content ?? ""}`, ["edit", "append", "rewrite"]);
  return { error, shows: content !== null };
}

function sizeOf(text: string): string {
  const lines = linesOf(text).length;
  return lines === 1 ? "1 line" : `${lines} lines`;
}
