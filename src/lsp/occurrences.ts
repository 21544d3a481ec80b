// Where a name stands in the text of the project, beside what a server says of it: a server may not know every file, and text
// cannot tell one thing from another of the same name. Each is shown as what it is.
// Invariant: bounded; a line names files and lines, never content.

import type { Spot } from "../core/lsp.js";
import { listOf, memberOf, rangeOf } from "./members.js";
import type { Encoding, SourceText } from "./text.js";

/** Lines of one file, from 1. */
export interface Occurrences {
  path: string;
  shown: string;
  lines: readonly number[];
}

const mostFiles = 12;
const mostLines = 12;

/** One note: a head, and the files below it with their lines. */
export function occurrencesNote(head: string, found: readonly Occurrences[]): string {
  const rows = found.slice(0, mostFiles).map(({ shown, lines }) => {
    const more = lines.length > mostLines ? ` and ${lines.length - mostLines} more lines` : "";
    return `  ${shown}: ${lines.slice(0, mostLines).join(", ")}${more}`;
  });
  const more = found.length > mostFiles ? [`  (${found.length - mostFiles} more files)`] : [];
  return [head, ...rows, ...more].join("\n");
}

/** The name at a place: what the server's own answer covers there, or else the word. */
export function nameAt(spot: Spot, uri: string, source: SourceText, answer: unknown, encoding: Encoding): string {
  const position = source.toServer(spot, encoding);
  const offset = source.offset(position, encoding);
  for (const range of rangesIn(answer, uri)) {
    const [start, end] = [source.offset(range.start, encoding), source.offset(range.end, encoding)];
    if (start <= offset && offset <= end && start < end) return source.text.slice(start, end);
  }
  const begun = source.text.lastIndexOf("\n", Math.max(0, offset - 1)) + 1;
  for (const { 0: word, index } of source.text.slice(begun).matchAll(/[\p{L}\p{N}_$]+/gu)) {
    if (begun + index > offset) return "";
    if (begun + index + word.length >= offset) return word;
  }
  return "";
}

/** Of one document, in a list of places or an edit. */
function rangesIn(answer: unknown, uri: string) {
  const places = listOf(answer).filter((each) => memberOf(each, "uri") === uri);
  const changed = listOf(memberOf(answer, "documentChanges"))
    .filter((each) => memberOf(memberOf(each, "textDocument"), "uri") === uri)
    .flatMap((each) => listOf(memberOf(each, "edits")));
  const edits = [...changed, ...listOf(memberOf(memberOf(answer, "changes"), uri))];
  return [...places, ...edits].flatMap((each) => rangeOf(memberOf(each, "range")) ?? []);
}
