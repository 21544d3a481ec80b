// Whether a text is what its path says it is, for programs on the public face: the same parsers that look at every write.
// Invariant: it only looks; nothing is loaded before it is asked.

import { loadSyntax } from "../lazy.js";

export interface SyntaxFault {
  /** 1-based. */
  line: number;
  column: number;
  text: string;
}

/** A parser that is loaded for the first time on a busy machine is waited for: nobody types meanwhile. */
const patience = 30_000;

/** What is wrong with a text, one fault a line; null: there is no parser for its kind, or it cannot say. */
export async function checkSyntax(path: string, text: string): Promise<SyntaxFault[] | null> {
  const faults = await (await loadSyntax()).faultsIn(path, text, patience);
  if (faults?.kind !== "faults") return null;
  const errors = faults.issues.filter(({ isHint }) => !isHint);
  return errors.map(({ line, column, text: what, detail }) => ({
    line,
    column,
    text: detail ? `${what} (${detail})` : what,
  }));
}
