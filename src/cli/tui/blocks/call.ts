// A call is one line: what it does, how it ended, how long that took. Opened, it shows its view.

import type { CallStatus } from "../../../core/tool.js";
import type { CallBlock } from "../block.js";
import { cut, type Line, line, type Span, span, widthOf, wrap } from "../span.js";
import type { Style } from "../theme.js";
import type { Drawing } from "./index.js";
import { duration } from "./marks.js";
import { viewLines } from "./view.js";

const marks: Record<CallStatus, readonly [string, Style]> = {
  ok: ["●", "good"],
  error: ["✗", "bad"],
  conflict: ["✗", "warn"],
  denied: ["⊘", "warn"],
  cancelled: ["⊘", "dim"],
  not_run: ["○", "dim"],
  unknown: ["?", "warn"],
};

/** Rows of a view that is shown without being opened. */
const glimpse = 16;

export function callLines(block: CallBlock, drawing: Drawing): Line[] {
  const { width, calls, open, now } = drawing;
  const head = headLine(block, width, now);
  const inner = Math.max(1, width - 2);
  const shown = open || calls === "view" || (calls === "diff" && block.view?.type === "diff" && block.status === "ok");
  const body = block.status === null ? newest(block, inner) : shown ? opened(block, inner, open) : said(block, inner);
  return [head, ...body.map((each) => (width > 3 ? [span("  "), ...each] : each))];
}

function headLine({ status, summary, since, ms }: CallBlock, width: number, now: number): Line {
  const [mark, style] = status === null ? (["◐", "accent"] as const) : marks[status];
  const took = status === null ? (since === null ? null : now - since) : ms;
  const time: Span[] = took !== null && took >= 1000 ? [span(`  ${duration(took)}`, "dim")] : [];
  const how =
    status === null || status === "ok" || status === "error" ? [] : [span(`  ${status.replace("_", " ")}`, "warn")];
  const tail = [...how, ...time];
  const room = width - widthOf(tail);
  const text = cut([span(`${mark} `, style), span(summary.split("\n")[0] ?? "")], Math.max(1, room));
  return room > 4 ? [...text, ...tail] : cut(text, width);
}

function newest({ newest: text }: CallBlock, width: number): Line[] {
  return text.trim() === "" ? [] : [cut([span(text, "dim")], width)];
}

function opened({ view, text, status }: CallBlock, width: number, all: boolean): Line[] {
  const most = all ? Number.POSITIVE_INFINITY : glimpse;
  if (view && status === "ok") return viewLines(view, width, most);
  return viewLines({ type: "text", text }, width, most);
}

/** Why it did not work; what went well needs no words. */
function said({ status, text }: CallBlock, width: number): Line[] {
  if (status === "ok" || status === "cancelled" || text.trim() === "") return [];
  const first = text.trim().split("\n")[0] ?? "";
  return wrap(line(first, status === "error" ? "bad" : "dim"), width).slice(0, 3);
}
