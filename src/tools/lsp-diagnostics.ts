// What language servers find wrong, by severity: in one file, or in all that are known to the servers that run. Waits for what
// is about the present content; what has not come by then is called pending, never clean.

import * as z from "zod";
import { type Diagnostic, type FileProblems, type Severity, severities } from "../core/lsp.js";
import { readPlan } from "../core/plan.js";
import { defineTool } from "../core/tool.js";
import { count } from "./parts/change.js";
import { pathAs } from "./parts/hook-view.js";
import { problemLine } from "./parts/language.js";

const input = z.object({ path: z.string().describe("default: all open files").optional() });
const most = 100;
const longest = 600;

export default defineTool<z.infer<typeof input>, string | null, "language">({
  name: "lsp_diagnostics",
  verb: "search",
  alias: null,
  family: "lsp",
  effects: ["read"],
  needs: ["language"],
  description: "Errors and warnings of a file as it is now.",
  input,
  hook: pathAs("file_path"),
  prepare({ path }, { language }) {
    if (path === undefined) return readPlan("problems of open files", [], null);
    const place = language.locate(path);
    return readPlan(`problems of ${place.shown}`, [place], place.path);
  },
  async apply({ data: path }, { language, signal }) {
    const { items, notes } = await language.diagnostics(path ?? undefined, signal);
    const files = items.map((each) => ({ ...each, problems: each.problems.map(cut) }));
    return { status: "ok", text: textOf(files, notes), data: { files: files.map(dataOf), notes: [...notes] } };
  },
});

/** As many as can be read, too: this is kept in the log. */
function dataOf({ shown, server, state, problems }: FileProblems) {
  const kept = [...problems].sort(bySeverity).slice(0, most);
  return { path: shown, server, state, count: problems.length, problems: kept.map((each) => ({ ...each })) };
}

function cut(problem: Diagnostic): Diagnostic {
  const { message } = problem;
  return message.length > longest ? { ...problem, message: `${message.slice(0, longest)}…` } : problem;
}

function textOf(files: readonly FileProblems[], notes: readonly string[]): string {
  if (files.length === 0 && notes.length === 0) return "No language server has a file open; name a path.";
  const pending = files.filter(({ state }) => state === "pending").map(({ shown, server }) => `${shown} (${server})`);
  const known = files.filter(({ state }) => state === "known");
  const all = known.flatMap(({ problems }) => problems);
  const lines = known.flatMap(({ shown, server, problems }) =>
    problems.length === 0 ? [] : [`${shown} (${server})`, ...[...problems].sort(bySeverity).map(problemLine)],
  );
  return [
    ...(known.length > 0 ? [`${overviewOf(all)} in ${count(known.length, "file")}`] : []),
    ...lines.slice(0, most),
    ...(lines.length > most ? [`(${lines.length - most} more lines)`] : []),
    ...(pending.length > 0
      ? [`pending, the server has said nothing about the present content yet: ${pending.join(", ")}`]
      : []),
    ...notes,
  ].join("\n");
}

function bySeverity(a: Diagnostic, b: Diagnostic): number {
  return severities.indexOf(a.severity) - severities.indexOf(b.severity) || a.line - b.line;
}

function overviewOf(problems: readonly Diagnostic[]): string {
  const counted = (severity: Severity) => problems.filter((each) => each.severity === severity).length;
  const parts = severities.flatMap((severity) => (counted(severity) > 0 ? [count(counted(severity), severity)] : []));
  return parts.length > 0 ? parts.join(", ") : "No problems";
}
