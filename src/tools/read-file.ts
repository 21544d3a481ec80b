// Reading a text file as numbered lines. Marks the file as seen, which is what allows editing it.
// The footer appears only when something is left out, because every result is sent again with each later request.

import * as z from "zod";
import { type FileChange, readPlan } from "../core/plan.js";
import type { FileText, Place } from "../core/ports.js";
import { defineTool } from "../core/tool.js";
import { pathAs } from "./parts/hook-view.js";

const defaultLines = 2_000;
// Below the length at which results are cut in the middle, so that paging happens here, at a line that is named.
const maxChars = 28_000;

const input = z.object({
  path: z.string(),
  offset: z.int().min(1).describe("first line").optional(),
  limit: z.int().min(1).describe("lines").optional(),
});
type Input = z.infer<typeof input>;

export default defineTool<Input, { place: Place; input: Input }, "files">({
  name: "read_file",
  verb: "read",
  alias: "Read",
  family: "core",
  order: 1,
  terms: { from: "offset", count: "limit" },
  effects: ["read"],
  needs: ["files"],
  description: "Reads a text file as numbered lines. Read a file before you edit it.",
  input,
  prepare(input, { files }) {
    const place = files.locate(input.path);
    return readPlan(`read ${place.shown}`, [place], { place, input });
  },
  hook: pathAs("file_path"),
  async apply({ data: { place, input } }, { files }) {
    const range = { offset: input.offset ?? 1, limit: input.limit ?? defaultLines, maxChars };
    const file = await files.read(place.path, range);
    const text = file.lines.map((line, i) => `${file.first + i}:${line}`).join("\n");
    const last = file.first + file.lines.length - 1;
    return { status: "ok", text: text + footer(file, last), files: seenIn(file, last) };
  },
});

/** The lines that stand in the result, for a session that is resumed. */
function seenIn({ path, hash, first, totalLines }: FileText, last: number): FileChange[] {
  if (hash === "") return [];
  const seen = { path, before: hash, after: hash };
  return first === 1 && last === totalLines ? [seen] : [{ ...seen, lines: [[first, last]] }];
}

function footer(file: FileText, last: number): string {
  const of = file.more ? "more" : `${file.totalLines}`;
  if (file.bytes === 0) return "(empty file)";
  if (last < file.first) return `(no line ${file.first}: the file has ${of} lines)`;
  const notes: string[] = [];
  if (last < file.totalLines || file.more)
    notes.push(`lines ${file.first}-${last} of ${of}, go on with offset ${last + 1}`);
  else if (file.first > 1) notes.push(`lines ${file.first}-${last}, end of file`);
  if (file.encoding.startsWith("utf-16")) notes.push(file.encoding);
  if (file.eol === "mixed") notes.push("mixed line ends");
  return notes.length === 0 ? "" : `\n(${notes.join("; ")})`;
}
