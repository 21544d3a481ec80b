// Is a line a part of an import? A server that has not loaded its project yet gives the import of a name for its definition.
// Pure. A guess by the text, good enough for its one use: a wrong yes costs a second question and changes no answer.

import type { SourceText } from "./text.js";

const alone =
  /^\s*(import\b|export\b.*\bfrom\b|from\s+\S+\s+import\b|use\s|#\s*include\b|(const|let|var)\b.*\brequire\s*\()/;
/** Begins one that goes on in the lines below, up to its closing bracket. */
const opening =
  /^\s*(import\b[^'"]*[{(]|export\s+(type\s+)?\{|from\s+\S+\s+import\s*\(|(pub\s+)?use\s[^;]*\{|(const|let|var)\s*\{)[^})]*$/;
const longest = 200;
/** Characters of a line that are looked at. */
const widest = 1_000;

/** `line` from 1. */
export function isImportAt(source: SourceText, line: number): boolean {
  if (alone.test(source.line(line))) return true;
  for (let at = line - 1; at >= Math.max(line - longest, 1); at--) {
    const text = source.line(at).slice(0, widest);
    if (opening.test(text)) return endsAsImport(source, line);
    // Brackets inside of one (`a::{b, c},`) are closed in their line; any other ending is of what stands before.
    if (/[;=]\s*$|^\s*[})]/.test(text)) return false;
  }
  return false;
}

/** `const {` is an import only when what follows says where it is from. */
function endsAsImport(source: SourceText, line: number): boolean {
  for (let at = line; at <= Math.min(line + longest, source.lineCount); at++) {
    const text = source.line(at);
    if (/^\s*[})]/.test(text)) {
      const last = text.lastIndexOf("=");
      return last < 0 || /\b(require|import)\s*\(/.test(text.slice(last));
    }
  }
  return false;
}
