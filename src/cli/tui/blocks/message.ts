// What was said: by the user, by the model, by Cinch.

import type { AnswerBlock, NoticeBlock, SaidBlock, TextBlock, ThinkingBlock } from "../block.js";
import { markdownLines } from "../markdown.js";
import { picturesOf } from "../picture.js";
import { cut, type Line, line, lines, pictureLines, span, wrap, wrapAll } from "../span.js";
import type { Style } from "../theme.js";
import type { Drawing } from "./index.js";

export function saidLines({ text, images }: SaidBlock, { width, pictures }: Drawing): Line[] {
  const shown = pictures ? picturesOf(images, pictures) : [];
  const said = wrapAll(lines(text, "user"), width, { first: [span("❯ ", "accent")], rest: [span("  ")] });
  return [...said, ...shown.flatMap(pictureLines)];
}

export function textLines({ text }: TextBlock, { width }: Drawing): Line[] {
  return markdownLines(text, width);
}

/** Folded it is its first words; a model thinks aloud at length. */
export function thinkingLines({ text, done }: ThinkingBlock, { width, open }: Drawing): Line[] {
  const mark = span("✻ ", "dim");
  if (open) return wrapAll(lines(text.trim(), "dim"), width, { first: [mark], rest: [span("  ")] });
  const all = text.trim().split("\n");
  const shown = (done ? all[0] : all.at(-1)) ?? "";
  return [cut([mark, span(`${done ? "" : "thinking: "}${shown}${done && all.length > 1 ? " …" : ""}`, "dim")], width)];
}

const levels: Record<NoticeBlock["level"], Style> = { info: "dim", warning: "warn", error: "bad" };

export function noticeLines({ level, text }: NoticeBlock, { width }: Drawing): Line[] {
  const style = levels[level];
  return wrapAll(lines(text, style), width, { first: [span("│ ", style)], rest: [span("│ ", style)] });
}

/** Tables and trees keep their columns as far as the screen is wide; what is wrapped goes on where its last column begins. */
export function answerLines({ text }: AnswerBlock, { width }: Drawing): Line[] {
  return text.split("\n").flatMap((row) => answerRow(row, width));
}

/** What is longer has no columns. */
const longestRow = 1_000;

function answerRow(row: string, width: number): Line[] {
  if (row.length <= width || row.length > longestRow) return wrap(line(row), width);
  const [, left = "", gap = "", words = ""] = /^(|.*\S)( {2,})(\S+(?: \S+)*)$/.exec(row) ?? [];
  const column = left.length + gap.length;
  if (words === "") return wrap(line(row), width);
  const first = line(`${left}${gap}`);
  if (column <= width / 2) return wrap(line(words), width, { first, rest: line(" ".repeat(column)) });
  if (left === "") return wrap(line(words), width, { first: line("    ") });
  return [
    ...wrap(line(left), width, { first: [], rest: line("    ") }),
    ...wrap(line(words), width, { first: line("    ") }),
  ];
}
