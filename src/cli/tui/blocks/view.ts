// The six ways in which a plan or a result is shown (core/plan.ts). Nothing here knows a tool.

import type { View } from "../../../core/plan.js";
import { codeLines } from "../highlight.js";
import { columns } from "../markdown.js";
import { cut, type Line, line, lines, span, wrap, wrapAll } from "../span.js";
import type { Style } from "../theme.js";
import { stateMark } from "./marks.js";

/** `most`: rows to show; what is left out is counted. */
export function viewLines(view: View, width: number, most = Number.POSITIVE_INFINITY): Line[] {
  switch (view.type) {
    case "text":
      return fewer(wrapAll(lines(view.text), width), width, most);
    case "diff":
      return fewer(diffLines(view.diff, width), width, most);
    case "list": {
      const items = view.items.flatMap((item) => wrap(line(item), width));
      return view.more ? [...fewer(items, width, most), note(`… ${view.more} more`, width)] : fewer(items, width, most);
    }
    case "table":
      return fewer(
        columns(
          [view.head, ...view.rows].map((row) => row.map((cell) => line(cell))),
          width,
        ),
        width,
        most,
      );
    case "terminal":
      return terminal(view, width, most);
    case "task":
      return wrap(
        [span(stateMark(view.state)), span(` ${view.title} `), span(`${view.kind}, ${view.state}`, "dim")],
        width,
      );
  }
}

const diffStyles: readonly [string, Style][] = [
  ["@@", "hunk"],
  ["+", "added"],
  ["-", "removed"],
];

function diffLines(diff: string, width: number): Line[] {
  const rest: Line = [span("  ")];
  return diff
    .trimEnd()
    .split("\n")
    .flatMap((each) => {
      const style = diffStyles.find(([begins]) => each.startsWith(begins))?.[1] ?? "plain";
      return wrap(line(each, style), width, { first: [], rest });
    });
}

/** Of output the end says most. */
function terminal({ command, output, exit }: Extract<View, { type: "terminal" }>, width: number, most: number): Line[] {
  const typed = codeLines(command, "bash").flatMap((each, at) =>
    wrap(each, width, { first: [span(at === 0 ? "$ " : "  ", "accent")], rest: [span("  ")] }),
  );
  const printed = output.trimEnd() === "" ? [] : wrapAll(lines(output.trimEnd(), "dim"), width);
  const kept = printed.length > most ? printed.slice(printed.length - most) : printed;
  const cutOff = printed.length - kept.length;
  const code = exit === null || exit === 0 ? [] : [cut(line(`exit ${exit}`, "bad"), width)];
  return [...typed, ...(cutOff > 0 ? [note(`… ${cutOff} rows above`, width)] : []), ...kept, ...code];
}

function fewer(all: Line[], width: number, most: number): Line[] {
  if (all.length <= most) return all;
  return [...all.slice(0, Math.max(0, most - 1)), note(`… ${all.length - most + 1} more rows`, width)];
}

function note(text: string, width: number): Line {
  return cut(line(text, "dim"), width);
}
