// What is said of a question beside its view, in a dialog and in plain lines alike.
// Invariant: what is shown of it is all of it; a character that would steer the terminal or be invisible is shown as its code.

import type { CommandPart } from "../../../core/command.js";
import type { View } from "../../../core/plan.js";
import type { Approval } from "../../../index.js";
import { showControls, showInvisible } from "../../../lib/safe-text.js";

type Asked = Pick<Approval, "summary" | "view" | "parts" | "rule" | "reason">;

/** The question as it may be shown, with nothing left out. */
export function exactly<Of extends Asked>(question: Of): Of {
  const { summary, view, parts, rule, reason } = question;
  return {
    ...question,
    summary: showControls(summary),
    view: exactView(view),
    parts: parts.map((part) => ({ ...part, argv: part.argv.map(showControls), why: showControls(part.why) })),
    rule: rule === null ? null : showControls(rule),
    reason: showControls(reason),
  };
}

function exactView(view: View): View {
  switch (view.type) {
    case "text":
      return { ...view, text: showControls(view.text) };
    case "diff":
      return { ...view, diff: showControls(view.diff) };
    case "terminal":
      return { ...view, command: showControls(view.command) };
    case "list":
      return { ...view, items: view.items.map(showControls) };
    case "table":
      return { ...view, head: view.head.map(showControls), rows: view.rows.map((row) => row.map(showControls)) };
    case "task":
      return { ...view, title: showControls(view.title) };
  }
}

/** Of a question as it was asked; null: it holds nothing that would be invisible. */
export function hiddenIn({ view, summary }: Pick<Approval, "view" | "summary">): string | null {
  const text = view.type === "terminal" ? view.command : view.type === "diff" ? view.diff : summary;
  const controls = (showControls(text).length - text.length) / (code.length - 1);
  const count = showInvisible(text).count + controls;
  if (count === 0) return null;
  const few = count === 1 ? "1 invisible character" : `${count} invisible characters`;
  return `It holds ${few}, shown as \\u….`;
}

/** Every one is as long as this. */
const code = "\\u001b";

export function verdictOf({ verdict, reason }: CommandPart): string {
  return reason === undefined ? verdict : `${verdict} (${reason})`;
}
