// The outline of a file: its classes, functions and other names, nested as they are, each with its place.

import * as z from "zod";
import { readPlan } from "../core/plan.js";
import { defineTool } from "../core/tool.js";
import { pathAs } from "./parts/hook-view.js";

const input = z.object({ path: z.string() });
const most = 300;

export default defineTool<z.infer<typeof input>, { path: string; shown: string }, "language">({
  name: "lsp_symbols",
  verb: "search",
  alias: null,
  family: "lsp",
  effects: ["read"],
  needs: ["language"],
  description: "Outline of a file.",
  input,
  hook: pathAs("file_path"),
  prepare({ path }, { language }) {
    const place = language.locate(path);
    return readPlan(`outline of ${place.shown}`, [place], place);
  },
  async apply({ data: { path, shown } }, { language, signal }) {
    const found = await language.outline(path, signal);
    if (found.length === 0) return { status: "ok", text: `${shown} has no symbols.` };
    const lines = found
      .slice(0, most)
      .map(({ name, kind, depth, line, column }) => `${"  ".repeat(depth)}${line}:${column} ${kind} ${name}`);
    const more = found.length > most ? [`(${found.length - most} more)`] : [];
    return { status: "ok", text: [shown, ...lines, ...more].join("\n") };
  },
});
