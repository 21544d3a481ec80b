// Which problems are new, and how they are told. Pure.
// Invariant: a problem that only moved is not new: what is compared is what is said, and how often.

import { type Diagnostic, type Severity, severities } from "../core/lsp.js";
import { oneLine } from "../lib/one-line.js";

export interface Finding {
  shown: string;
  server: string;
  fresh: readonly Diagnostic[];
  /** It is known what there was before. */
  isCompared: boolean;
  /** The model was told that nothing was known yet. */
  wasPending: boolean;
}

const maxPerFile = 10;
const maxMessage = 300;
const maxFiles = 12;

/** `known`: undefined = nobody knows what there was before; then errors alone are told. */
export function newProblems(known: readonly Diagnostic[] | undefined, now: readonly Diagnostic[]): Diagnostic[] {
  const told = now.filter(({ severity }) => severity === "error" || (known && severity === "warning"));
  const left = new Map<string, number>();
  for (const each of known ?? []) left.set(sayingOf(each), (left.get(sayingOf(each)) ?? 0) + 1);
  return told.filter((each) => {
    const count = left.get(sayingOf(each)) ?? 0;
    left.set(sayingOf(each), count - 1);
    return count <= 0;
  });
}

function sayingOf({ severity, code, message }: Diagnostic): string {
  return `${severity} ${code} ${message}`;
}

/** Null when there is nothing to say. `passed`: how many changed files were not looked at. */
export function reportOf(findings: readonly Finding[], pending: readonly string[], passed = 0): string | null {
  const worse = findings.filter(({ fresh }) => fresh.length > 0);
  const settled = findings.filter(({ fresh, wasPending }) => fresh.length === 0 && wasPending);
  if (worse.length === 0 && settled.length === 0 && pending.length === 0 && passed === 0) return null;
  const shown = worse.slice(0, maxFiles);
  const more = worse.length - shown.length;
  const lines = [
    ...(worse.length > 0
      ? [`New problems after these changes: ${overviewOf(worse.flatMap(({ fresh }) => fresh))}.`]
      : []),
    ...shown.flatMap(fileLines),
    ...(more > 0 ? [`and in ${more} more files`] : []),
    ...(settled.length > 0 ? [`Nothing new in ${settled.map((each) => each.shown).join(", ")}.`] : []),
    ...(pending.length > 0 ? [`Not known yet (pending), told when it is: ${pending.join(", ")}.`] : []),
    ...(passed > 0 ? [`Not looked at: ${passed} more changed ${passed === 1 ? "file" : "files"}.`] : []),
  ];
  return lines.join("\n");
}

function fileLines({ shown, server, fresh, isCompared }: Finding): string[] {
  const note = isCompared ? "" : ", some may be older";
  const more = fresh.length > maxPerFile ? [`  and ${fresh.length - maxPerFile} more`] : [];
  return [`${shown} (${server}${note})`, ...fresh.slice(0, maxPerFile).map(problemLine), ...more];
}

function problemLine({ line, column, severity, code, message }: Diagnostic): string {
  const text = oneLine(message);
  const said = text.length > maxMessage ? `${text.slice(0, maxMessage)}…` : text;
  return `  ${line}:${column} ${severity}${code === "" ? "" : ` ${code}`}: ${said}`;
}

/** `2 errors, 1 warning`. */
function overviewOf(problems: readonly Diagnostic[]): string {
  const count = (severity: Severity) => problems.filter((each) => each.severity === severity).length;
  const parts = severities.flatMap((severity) => {
    const n = count(severity);
    return n === 0 ? [] : [`${n} ${severity}${n === 1 ? "" : "s"}`];
  });
  return parts.join(", ") || "none";
}
