// The reader for what most commands are: one program and words in which no character means anything to a shell (`npm test`,
// `git log -n 5`). They need no grammar, which takes 12 MB.
// Invariant: what it answers is what the grammar says, or null (differential.test.ts holds the two together).

import { reserved } from "./plain.js";
import type { Statement } from "./script.js";

const bareWords = /^[\w./][\w./:,-]*(?: +(?:[\w./-][\w./:,-]*|--?[a-z][a-z-]*=[\w./:,-]+))*$/i;
/** The grammar has shapes of their own for these. */
const declaring = new Set(["declare", "typeset", "export", "readonly", "local", "unset", "unsetenv"]);

/** One command of bare words; null for every other text. */
export function readBare(text: string): readonly Statement[] | null {
  if (!bareWords.test(text)) return null;
  const words = text.split(/ +/);
  const [program = ""] = words;
  if (reserved.has(program) || declaring.has(program)) return null;
  const bare = (word: string) => ({ text: word, literal: true, bare: true, dynamic: [] });
  return [{ is: "command", command: { assignments: [], words: words.map(bare), redirects: [] } }];
}
