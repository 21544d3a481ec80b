// The figures as a table for people: plain text, columns aligned, one line a figure.

import type { Figure } from "./figure.js";

const head = ["figure", "cinch", "floor", "ratio", "of pairs", "target", ""];

export function tableOf(figures: readonly Figure[]): string {
  const rows = [head, ...figures.map(rowOf)];
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: string[]) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ")
      .trimEnd();
  const [first = "", ...rest] = rows.map(line);
  return [first, "-".repeat(first.length + 8), ...rest].join("\n");
}

/** One sentence: how many targets were reached, and which were not. */
export function verdictOf(figures: readonly Figure[]): string {
  const judged = figures.filter((figure) => figure.reached !== null);
  const missed = judged.filter((figure) => figure.reached === false).map((figure) => figure.name);
  if (judged.length === 0) return "No figure with a target was measured.";
  if (missed.length === 0)
    return judged.length === 1 ? "The target was reached." : `All ${judged.length} targets reached.`;
  return `${judged.length - missed.length} of ${judged.length} targets reached; missed: ${missed.join(", ")}.`;
}

function rowOf(figure: Figure): string[] {
  const spread = figure.spread && figure.pairs > 1 ? figure.spread.map((ratio) => ratio.toFixed(2)).join("–") : "";
  const target =
    figure.target === null ? "" : `≤ ${shown(figure.target, figure.of === "ratio" ? "times" : figure.unit)}`;
  const verdict = figure.reached === null ? "" : figure.reached ? "reached" : "missed";
  const value = (number: number | null) => (number === null ? "not here" : shown(number, figure.unit));
  const ratio = figure.ratio === null ? "" : shown(figure.ratio, "times");
  const floor = figure.floor === null && figure.pairs === 0 && figure.cinch !== null ? "" : value(figure.floor);
  return [figure.title, value(figure.cinch), floor, ratio, spread, target, verdict];
}

function shown(value: number, unit: Figure["unit"]): string {
  if (unit === "times") return `${value.toFixed(2)}×`;
  if (unit === "turns") return value.toFixed(2);
  if (unit === "count") return value.toFixed(0);
  if (unit === "tokens") return Math.round(value).toLocaleString("en-GB");
  return `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ${unit}`;
}
