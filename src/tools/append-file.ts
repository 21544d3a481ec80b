// Adding text to the end of a file: the way to build files that are too long for one reply.
// The reply tells the totals and the last lines, so that the model can go on exactly there without reading the file.

import * as z from "zod";
import type { FilePlan } from "../core/ports.js";
import { defineTool } from "../core/tool.js";
import { afterChange, count, size, writePlan } from "./parts/change.js";
import { changeView } from "./parts/hook-view.js";

const input = z.object({
  path: z.string(),
  content: z.string(),
  expected_size: z.int().min(0).describe("bytes it must have now").optional(),
});

export default defineTool<z.infer<typeof input>, FilePlan, "files">({
  name: "append_file",
  verb: "append",
  alias: "Write",
  family: "core",
  order: 3,
  terms: { size: "expected_size" },
  effects: ["write"],
  needs: ["files"],
  salvage: "content",
  description: "Adds text to the end of a file, for files too long for one call. End each piece with a whole line.",
  input,
  async prepare({ path, content, expected_size }, { files }) {
    const plan = await files.planAppend(path, content, expected_size);
    return writePlan(plan, `append ${added(plan)} to ${plan.shown}`);
  },
  wanted({ data: plan }) {
    const what = `the text to add to the end of ${plan.shown}`;
    if (plan.before === null) return { what };
    const { tail, open } = plan.stats;
    const end = open ? " without a line end: begin with one unless you go on in that line" : "";
    const ends = tail.length === 0 ? "" : `, and ends with these lines${end}:\n${tail.map(shortened).join("\n")}`;
    return { what, after: `It has ${size(plan)} now${ends}`, inLine: open };
  },
  hook: changeView(),
  async apply({ data: plan }, { files }) {
    const change = await files.commit(plan);
    const tail = plan.stats.tail.slice(-2).map(shortened);
    const ends = tail.length === 0 ? "" : `, ends with:\n${tail.join("\n")}`;
    const text = `appended ${added(plan)}; ${plan.shown} now has ${size(plan)}${ends}`;
    return afterChange(plan, change, text, plan.before === null ? "created" : "appended");
  },
});

function added(plan: FilePlan): string {
  return `${count(plan.stats.linesAdded, "line")}, ${count(plan.stats.bytesAdded, "byte")}`;
}

function shortened(line: string): string {
  return line.length > 160 ? `…${line.slice(-160)}` : line;
}
