// May this edit be made by somebody who knows these lines of the file and no others?
// Invariant: an edit passes only when every line it takes away was shown as it is now, and one beside what it puts in;
// what does not pass is refused with exactly what is missing, so that the same edit can follow (SPEC 1.10).

import { Refusal } from "../../core/errors.js";
import type { TextEdit } from "../../core/ports.js";
import { type Present, staleRefusal, unreadRefusal, unseenRefusal } from "../refusals.js";
import type { SeenFiles } from "../seen.js";
import { type Span, touched, within } from "../spans.js";
import { countLines } from "../text.js";
import { applyEdits, type Edited } from "./edit.js";

/** The edits worked out. What does not fit a file that is not known is refused for that reason. `spans`: undefined = all. */
export async function tryEdits(
  seen: SeenFiles,
  file: Present,
  spans: readonly Span[] | undefined,
  edits: readonly TextEdit[],
): Promise<Edited> {
  try {
    return applyEdits(file.text, edits, file.shown);
  } catch (error) {
    if (!(error instanceof Refusal) || error.kind === "input" || spans === undefined) throw error;
    if (isStale(seen, file)) throw await staleRefusal(seen, file);
    if (spans.length === 0) throw unreadRefusal(seen, file);
    throw error;
  }
}

/** `diff`: what the edit changes. */
export async function mustKnow(seen: SeenFiles, file: Present, spans: readonly Span[], diff: string): Promise<void> {
  const total = countLines(file.text);
  if (within(spans, diff, total)) return;
  if (isStale(seen, file)) throw await staleRefusal(seen, file);
  throw unseenRefusal(
    seen,
    file,
    touched(diff, total).map(({ span }) => span),
  );
}

function isStale(seen: SeenFiles, { path, hash }: Present): boolean {
  const known = seen.last(path);
  return known !== undefined && known.hash !== hash;
}
