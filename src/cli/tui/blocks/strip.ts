// Work beside the conversation, one line each; what does not fit is counted.

import { cut, type Line, line, type Span, span, widthOf } from "../span.js";
import type { Beside } from "../strip.js";
import { duration, stateMark } from "./marks.js";

const most = 5;

/** `rows`: what may be taken of the screen, of which it uses five lines at most. */
export function stripLines(work: readonly Beside[], width: number, rows: number, now: number): Line[] {
  const room = Math.min(most, rows);
  if (room <= 0) return [];
  const shown = work.length <= room ? work : [...work].sort(byUrgency).slice(0, room - 1);
  const more = work.length - shown.length;
  const rest = more === 0 ? [] : [cut(line(`… ${more} more beside this (/tasks)`, "dim"), width)];
  return [...shown.map((each) => workLine(each, width, now)), ...rest];
}

/** What asks, then what runs, oldest first. */
function byUrgency(a: Beside, b: Beside): number {
  const rank = ({ asks, state }: Beside) => (asks ? 0 : state === "running" ? 1 : 2);
  return rank(a) - rank(b);
}

function workLine({ title, state, newest, since, asks }: Beside, width: number, now: number): Line {
  const tail = tailOf(state, since, asks, now);
  const first = newest.split("\n")[0] ?? "";
  const what = first === "" ? [] : [span(`  ${first}`, "dim")];
  const head: Line = [span(`${stateMark(state)} `, "accent"), span(title.split("\n")[0] ?? ""), ...what];
  const room = width - widthOf(tail);
  return room > 8 ? [...cut(head, room), ...tail] : cut(head, width);
}

function tailOf(state: string, since: number | null, asks: boolean, now: number): Span[] {
  if (asks) return [span("  asks you", "warn")];
  if (since === null) return [span(`  ${state}`, "dim")];
  return now - since < 1000 ? [] : [span(`  ${duration(now - since)}`, "dim")];
}
