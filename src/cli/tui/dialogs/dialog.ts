// A dialog stands where the editor stands, until it is answered. Pure: keys in, an outcome or nothing out; lines out.
// Invariant: a dialog takes no key that was typed before it could be seen (questions.ts says when that is).

import type { Action } from "../keys.js";
import type { Line } from "../span.js";

export interface Dialog {
  lines(size: { width: number; rows: number }): Line[];
  /** A key by its action, or what was typed. */
  action(action: Action): void;
  text?(text: string): void;
  /** What is typed is text now, not keys; without it: whenever it takes text. */
  readonly writing?: boolean;
  /** Escape is an answer of its own, and ends no turn. */
  readonly leaves?: boolean;
  /** Where the cursor is in its lines, when it has one. */
  cursor?(width: number): { row: number; column: number } | null;
}
