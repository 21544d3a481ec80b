// What stands below the conversation, from top to bottom: work beside it, the plan, what waits to be said, a dialog or the editor with its
// list, the status line. Pure: it is all laid out anew for every frame.

import { underWay, type View } from "../../core/plan.js";
import type { Waiting } from "../../core/steer.js";
import { stripLines } from "./blocks/strip.js";
import { viewLines } from "./blocks/view.js";
import type { Composer } from "./composer.js";
import type { Dialog } from "./dialogs/dialog.js";
import type { Cursor } from "./screen.js";
import { cut, type Line, line, span } from "./span.js";
import type { Beside } from "./strip.js";

export interface Below {
  waiting: readonly Waiting[];
  /** The newest list that is to stay in sight. */
  pinned: View | null;
  /** Work beside the conversation. */
  beside: readonly Beside[];
  now: number;
  dialog: Dialog | null;
  /** Instead of the keys of a dialog that does not listen yet. */
  deaf: boolean;
  composer: Composer;
  hint: string;
  status: string;
  /** What undoes and changes what waits. */
  keys: { takeBack: string; queue: string };
}

/** Fewer rows than that have no status line. */
const lowForEditor = 4;
const lowForQuestion = 14;

export function belowLines(below: Below, columns: number, rows: number): { lines: Line[]; cursor: Cursor | null } {
  const low = rows < (below.dialog ? lowForQuestion : lowForEditor);
  const status: Line[] = below.status === "" || low ? [] : [cut(line(below.status, "dim"), columns)];
  const room = rows - status.length;
  const above = aboveLines(below, columns, room);
  const middle = below.dialog
    ? dialogLines(below.dialog, below.deaf, columns, low ? room : room - 1)
    : editorLines(below, columns, room);
  const kept = above.slice(Math.max(0, above.length - (room - middle.lines.length)));
  const lines = [...kept, ...middle.lines, ...status];
  const cursor = middle.cursor && { ...middle.cursor, row: middle.cursor.row + kept.length };
  return { lines, cursor };
}

/** Of what waits as many as stay below each other; the rest is in its list. */
const mostWaiting = 3;

function aboveLines({ waiting, pinned, beside, now, keys }: Below, columns: number, rows: number): Line[] {
  const plan = pinned ? planLines(pinned, columns, Math.max(2, Math.floor(rows / 3))) : [];
  const more = waiting.length - mostWaiting;
  const rest: Line[] =
    more > 0 ? [cut(line(`⋯ ${more} more before these: ${keys.queue} lists all`, "dim"), columns)] : [];
  const queue = waiting.slice(-mostWaiting).map(({ text, mode }, at, all) => {
    const back = at === all.length - 1 ? `  (${keys.takeBack} takes it back, ${keys.queue} changes any)` : "";
    const first = text.split("\n")[0] ?? "";
    return cut([span(mode === "now" ? "↯ " : "⋯ ", "accent"), span(first), span(back, "dim")], columns);
  });
  return [...stripLines(beside, columns, Math.floor(rows / 4), now), ...plan, ...rest, ...queue];
}

/** A step is one row; of more than there is room for, those around the one that is under way (core/plan.ts marks it). */
function planLines(plan: View, columns: number, most: number): Line[] {
  if (plan.type !== "list") return viewLines(plan, columns, most);
  const steps = plan.items.map((item) => cut(line(item), columns));
  if (steps.length <= most) return steps;
  const room = most - 1;
  const active = plan.items.findIndex((item) => item.startsWith(underWay));
  const top = Math.max(0, Math.min(active - Math.floor(room / 2), steps.length - room));
  const left = `… ${top} before these, ${steps.length - top - room} after`;
  return [...steps.slice(top, top + room), cut(line(left, "dim"), columns)];
}

function dialogLines(
  dialog: Dialog,
  deaf: boolean,
  columns: number,
  rows: number,
): { lines: Line[]; cursor: Cursor | null } {
  const rule = line("─".repeat(Math.max(1, columns - 1)), "warn");
  const all = [rule, ...dialog.lines({ width: columns, rows: Math.max(3, rows - 2) })];
  const lines = deaf ? [...all, cut(line("… keys count here once you stop typing", "dim"), columns)] : all;
  const at = deaf ? null : (dialog.cursor?.(columns) ?? null);
  return { lines, cursor: at && { row: at.row < 0 ? lines.length + at.row : at.row + 1, column: at.column } };
}

function editorLines(
  { composer, hint }: Below,
  columns: number,
  rows: number,
): { lines: Line[]; cursor: Cursor | null } {
  const framed = rows >= 6;
  const rule: Line[] = framed ? [line("─".repeat(Math.max(1, columns - 1)), "dim")] : [];
  const popup = composer.popupLines(columns, rows - 4);
  const { lines, row, column } = composer.layout(columns, Math.max(1, Math.min(12, rows - 2 - popup.length)), hint);
  return { lines: [...rule, ...lines, ...popup], cursor: { row: row + rule.length, column } };
}
