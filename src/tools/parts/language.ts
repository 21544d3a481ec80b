// What the tools that ask language servers have in common: how a place is named, how places and problems are listed, and the
// plan of a change to several files.

import * as z from "zod";
import type { Diagnostic, Location, Spot, Target } from "../../core/lsp.js";
import type { Plan } from "../../core/plan.js";
import { pathsOf, readPlan } from "../../core/plan.js";
import type { FilePlan, Files, Ports, Revision } from "../../core/ports.js";
import type { ToolResult } from "../../core/tool.js";
import { sha256 } from "../../lib/hash.js";
import { oneLine } from "../../lib/one-line.js";
import { count, hashes } from "./change.js";

/** A place: `line` and `column` count from 1. */
export const targetFields = {
  path: z.string().optional(),
  line: z.int().min(1).optional(),
  column: z.int().min(1).optional(),
  symbol: z.string().min(1).describe("name, in place of a column").optional(),
};

const most = 100;
const longest = 200;

/** The fields without those that were not given. */
export function targetOf({ path, line, column, symbol }: Target): Target {
  return { path, line, column, symbol };
}

export async function spotPlan(
  what: string,
  input: Target,
  { language, signal }: Pick<Ports, "language"> & { signal: AbortSignal },
): Promise<Plan<Spot>> {
  const spot = await language.find(targetOf(input), signal);
  return readPlan(`${what} ${spotText(spot)}`, [spot], spot);
}

export function spotText({ shown, line, column }: Spot): string {
  return `${shown}:${line}:${column}`;
}

/** Grouped by file, each with its source line, at most `most`. */
export function listPlaces(noun: string, found: readonly (Location & { label?: string })[]): string {
  const shown = found.slice(0, most);
  const files = new Map<string, string[]>();
  for (const each of shown) {
    const { line, column, text, label } = each;
    const said = [label, text === null ? undefined : cut(text)].filter((part) => part !== undefined && part !== "");
    const lines = files.get(each.shown) ?? [];
    lines.push(`  ${line}:${column}${said.length > 0 ? `: ${said.join("  ")}` : ""}`);
    files.set(each.shown, lines);
  }
  const total = new Set(found.map(({ path }) => path)).size;
  const head = `${count(found.length, noun)} in ${count(total, "file")}`;
  const more = found.length > shown.length ? [`(${found.length - shown.length} more)`] : [];
  return [head, ...[...files].flatMap(([name, lines]) => [name, ...lines]), ...more].join("\n");
}

function cut(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

export function problemLine({ line, column, severity, code, message }: Diagnostic): string {
  return `  ${line}:${column} ${severity}${code === "" ? "" : ` ${code}`}: ${oneLine(message)}`;
}

// --- changes to several files ----------------------------------------------------------------------------------------

export type Change = readonly FilePlan[];

export async function changePlan(summary: string, revisions: readonly Revision[], files: Files): Promise<Plan<Change>> {
  const plans: FilePlan[] = [];
  for (const revision of revisions) plans.push(await files.planRevision(revision));
  const [only] = plans;
  const diff =
    plans.length === 1 ? (only?.diff ?? "") : plans.map((plan) => `--- ${plan.shown}\n${plan.diff}`).join("\n");
  const where = plans.length === 1 ? (only?.shown ?? "") : count(plans.length, "file");
  return {
    effect: "write",
    ...pathsOf(plans),
    files: plans.map(hashes),
    summary: `${summary} in ${where}`,
    view: { type: "diff", path: where, diff },
    digest: sha256(plans.map((plan) => plan.digest).join("\n")),
    data: plans,
  };
}

const mostDiff = 120;

export async function applyChange(plan: Plan<Change>, done: string, files: Files): Promise<ToolResult> {
  const committed = await files.commitAll(plan.data);
  const texts = plan.data.map(({ shown, diff, stats }, at) => {
    const notes = [...stats.notes.map((note) => `note: ${note}`), ...(committed[at]?.advice ?? [])];
    return [`${shown} (+${stats.linesAdded} -${stats.linesRemoved})`, diff, ...notes].join("\n");
  });
  const lines = texts.join("\n").split("\n");
  const more = lines.length > mostDiff ? [`(${lines.length - mostDiff} more lines of diff)`] : [];
  return {
    status: "ok",
    text: [`${done} in ${count(plan.data.length, "file")}`, ...lines.slice(0, mostDiff), ...more].join("\n"),
    view: plan.view,
    data: { paths: plan.data.map(({ shown }) => shown) },
    files: committed.map(({ advice: _, ...change }) => change),
  };
}
