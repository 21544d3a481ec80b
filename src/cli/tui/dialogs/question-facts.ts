// What is said of a question beside its view, in a dialog and in plain lines alike.

import type { CommandPart } from "../../../core/command.js";
import type { Approval } from "../../../index.js";
import { showInvisible } from "../../../lib/safe-text.js";

/** Null: it holds nothing that would be invisible. */
export function hiddenIn({ view, summary }: Pick<Approval, "view" | "summary">): string | null {
  const text = view.type === "terminal" ? view.command : view.type === "diff" ? view.diff : summary;
  const { count } = showInvisible(text);
  if (count === 0) return null;
  const few = count === 1 ? "1 invisible character" : `${count} invisible characters`;
  return `It holds ${few}, shown as \\u{…}.`;
}

export function verdictOf({ verdict, reason }: CommandPart): string {
  return reason === undefined ? verdict : `${verdict} (${reason})`;
}
