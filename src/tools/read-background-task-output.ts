// What a task has printed so far: a range from a byte on, or the end. With wait_seconds it waits for more.

import * as z from "zod";
import { readPlan } from "../core/plan.js";
import { isSettled } from "../core/task.js";
import { defineTool } from "../core/tool.js";
import { taskData } from "./parts/tasks.js";

const defaultChars = 20_000;

const input = z.object({
  task_id: z.string(),
  offset: z
    .int()
    .optional()
    .describe("Byte to begin at; negative counts from the end. Default: the end of the output."),
  max_chars: z.int().min(1).max(30_000).optional(),
  wait_seconds: z.number().min(0).max(600).optional().describe("Wait so long for output behind offset."),
});

interface Data {
  id: string;
  offset: number | undefined;
  maxBytes: number;
  seconds: number;
}

export default defineTool<z.infer<typeof input>, Data, "tasks">({
  name: "read_background_task_output",
  verb: "watch",
  alias: null,
  family: "background",
  order: 24,
  effects: ["read"],
  needs: ["tasks"],
  polls: true,
  description:
    "Reads what a background task has printed, while it runs and afterwards: the last max_chars, or from byte offset on. The reply says where to read on.",
  input,
  prepare({ task_id: id, offset, max_chars: maxBytes = defaultChars, wait_seconds: seconds = 0 }, { tasks }) {
    const { title } = tasks.find(id);
    return readPlan(`read the output of task ${id} (${title})`, [], { id, offset, maxBytes, seconds });
  },
  async apply({ data: { id, offset, maxBytes, seconds } }, { tasks, signal }) {
    const before = tasks.output(id, { maxBytes: 1 }).bytes;
    if (seconds > 0) {
      const from = offset === undefined || offset < 0 ? before : offset;
      await tasks.more(id, from, { timeoutMs: seconds * 1_000, signal });
    }
    const range = offset === undefined ? { maxBytes } : { offset, maxBytes };
    const { text, from, next, bytes } = tasks.output(id, range);
    const record = tasks.find(id);
    const end = isSettled(record.state) && next === bytes ? "; that is the end" : "";
    const note = `[task_id ${id}: ${record.state}; bytes ${from} to ${next} of ${bytes}; read on at offset ${next}${end}]`;
    return {
      status: signal.aborted ? "cancelled" : "ok",
      text: `${text === "" ? "(no output there)" : text.replace(/\n$/, "")}\n${note}`,
      view: { type: "terminal", command: record.title, output: text, exit: record.exit_code ?? null },
      data: { ...taskData(record), from, next, bytes },
    };
  },
});
