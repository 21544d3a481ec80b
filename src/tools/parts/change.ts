// What the tools that change one file have in common: the plan around a FilePlan, and the wording of sizes and results.

import { type Plan, pathsOf } from "../../core/plan.js";
import type { Committed, FilePlan } from "../../core/ports.js";
import type { ToolResult } from "../../core/tool.js";
import { grouped } from "../../lib/grouped.js";

export function writePlan(plan: FilePlan, summary: string): Plan<FilePlan> {
  return {
    effect: "write",
    ...pathsOf([plan]),
    files: [hashes(plan)],
    summary,
    view: { type: "diff", path: plan.shown, diff: plan.diff },
    digest: plan.digest,
    data: plan,
  };
}

/** What is there before and after, for the record. */
export function hashes({ path, before, after }: FilePlan) {
  return { path, before, after };
}

export function afterChange(plan: FilePlan, committed: Committed, text: string, outcome: string): ToolResult {
  const { advice = [], ...change } = committed;
  const notes = [...plan.stats.notes.map((note) => `note: ${note}`), ...advice];
  return {
    status: "ok",
    text: [text, ...notes].join("\n"),
    view: { type: "diff", path: plan.shown, diff: plan.diff },
    data: { status: outcome, path: plan.shown, lines: plan.stats.totalLines, bytes: plan.stats.totalBytes },
    files: [change],
  };
}

/** `12 lines, 3,400 bytes` of the file as planned. */
export function size(plan: FilePlan): string {
  return `${count(plan.stats.totalLines, "line")}, ${count(plan.stats.totalBytes, "byte")}`;
}

export function count(n: number, noun: string): string {
  return `${grouped(n)} ${noun}${n === 1 ? "" : "s"}`;
}
