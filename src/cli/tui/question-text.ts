// A question where nothing is drawn over: everything that its dialog shows, in lines. How it is answered is said by whoever asks.

import type { Approval } from "../../index.js";
import { viewLines } from "./blocks/view.js";
import { exactly, hiddenIn, verdictOf } from "./dialogs/question-facts.js";
import { textOfLine } from "./span.js";

const width = 1_000;

export function questionText(question: Approval): string[] {
  const { summary, view, parts, answers, reason } = exactly(question);
  const hidden = hiddenIn(question);
  const shown = viewLines(view, width).map(textOfLine);
  const rows = parts.map((part) => `  ${part.argv.join(" ")}  ${verdictOf(part)}: ${part.why}`);
  return [
    summary,
    ...(hidden === null ? [] : [hidden]),
    ...shown.filter((line) => line !== ""),
    ...(rows.length > 0 ? ["Its parts:", ...rows] : []),
    ...(answers ? [] : [`Asked because ${reason}.`]),
  ];
}
