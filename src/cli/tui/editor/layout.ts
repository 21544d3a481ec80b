// The draft as rows of the screen, and where its cursor is. Every character is shown: nothing is trimmed at a break.

import type { SafeText } from "../../../lib/safe-text.js";
import { cut, type Line, line, rowsOf, type Span, span } from "../span.js";
import { visibleWidth } from "../toolkit.js";
import type { Draft } from "./draft.js";

export interface Layout {
  lines: Line[];
  row: number;
  column: number;
}

/** `most`: rows to show; the ones around the cursor are. */
export function draftLayout({ text, cursor }: Draft, width: number, most: number, hint: string): Layout {
  const prefix = width > 6 ? 2 : 0;
  const room = Math.max(1, width - prefix - 1);
  const rows: SafeText[] = [];
  let [row, column] = [0, 0];
  let at = 0;
  for (const each of text.split("\n")) {
    const inside = cursor - at;
    if (inside >= 0 && inside <= each.length) {
      const before = pieces(each.slice(0, inside), room);
      const full = visibleWidth(before.at(-1) ?? "") >= room;
      row = rows.length + before.length - 1 + (full ? 1 : 0);
      column = full ? 0 : visibleWidth(before.at(-1) ?? "");
    }
    const shown = pieces(each, room);
    rows.push(...shown);
    if (visibleWidth(shown.at(-1) ?? "") >= room) rows.push("" as SafeText);
    at += each.length + 1;
  }
  const top = Math.max(0, Math.min(row - Math.floor(most / 2), rows.length - most));
  const window = rows.slice(top, top + most);
  const drawn = window.map((each, i): Line => [...mark(prefix, top + i), { text: each, style: "plain" }]);
  const empty = text === "" && width > 20;
  return {
    lines: empty ? [cut([...mark(prefix, 0), span(hint, "dim")], width)] : drawn,
    row: row - top,
    column: column + prefix,
  };
}

function mark(prefix: number, row: number): Span[] {
  return prefix === 0 ? [] : [row === 0 ? span("❯ ", "accent") : span("  ")];
}

/** Broken where the row is full; what is not printable is shown safely, as everywhere. */
function pieces(text: string, room: number): SafeText[] {
  const rows = rowsOf(line(text)[0]?.text ?? ("" as SafeText), room);
  return rows.length > 0 ? rows : ["" as SafeText];
}
