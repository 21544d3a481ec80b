// File tools as hooks of other agents know them: `file_path` instead of `path`, always canonical, and the answer as a patch.

import type { JsonObject } from "../../core/json.js";
import type { Plan } from "../../core/plan.js";
import type { FilePlan } from "../../core/ports.js";
import type { HookedResult, HookView } from "../../core/tool.js";

/** The same fields, but `path` under the name `named`. */
export function pathAs<Data>(named: string): HookView<Data> {
  return {
    to({ path: _path, ...fields }, { paths: [path] }) {
      return path === undefined ? fields : { ...fields, [named]: path };
    },
    from({ [named]: path, ...fields }) {
      return path === undefined ? fields : { ...fields, path };
    },
  };
}

const filePath = pathAs<FilePlan>("file_path");

/** A tool that changes one file; `more`: fields that its input does not have. */
export function changeView(more: (plan: FilePlan) => JsonObject = () => ({})): HookView<FilePlan> {
  return {
    ...filePath,
    to: (input, plan) => ({ ...filePath.to(input, plan), ...more(plan.data) }),
    response: ({ status }: HookedResult, { data }: Plan<FilePlan>) => {
      return { filePath: data.path, success: status === "ok", structuredPatch: hunksOf(data.diff) };
    },
  };
}

/** The lines that a change adds. */
export function addedText({ diff }: FilePlan): string {
  const lines = diff.split("\n").filter((line) => line.startsWith("+"));
  return lines.map((line) => `${line.slice(1)}\n`).join("");
}

function hunksOf(diff: string): JsonObject[] {
  const hunks: (JsonObject & { lines: string[] })[] = [];
  for (const line of diff.split("\n")) {
    const [, oldStart, oldLines = "1", newStart, newLines = "1"] =
      /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    if (oldStart === undefined) hunks.at(-1)?.lines.push(line);
    else hunks.push({ ...counts({ oldStart, oldLines, newStart, newLines }), lines: [] });
  }
  return hunks;
}

function counts(texts: Record<string, string | undefined>): JsonObject {
  return Object.fromEntries(Object.entries(texts).map(([name, digits]) => [name, Number(digits)]));
}
