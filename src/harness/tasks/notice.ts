// What a conversation is told when one of its tasks has ended.
// Pure. One paragraph a task: which it is, how it ended, after how long, and the end of what it said.

import { exitWords, type TaskRecord } from "../../core/task.js";
import { tailBytes } from "../../tasks/output.js";

/** Characters of what an agent answered. */
const maxShown = 4_000;

export function noticeOf(record: TaskRecord): string {
  const { id, kind, title, state, error, result = "", started, ended } = record;
  const took = started === null || ended === null ? "" : ` after ${((ended - started) / 1_000).toFixed(1)} s`;
  const exit = exitWords(record);
  const code = exit === null ? "" : `, ${exit}`;
  const head = `[Task ${id} (${kind === "shell" ? "command" : "agent"}: ${title}) ${state}${took}${code}.]`;
  const lines = [head, ...(error ? [error.text] : []), ...(result === "" ? [] : [shown(record, result)])];
  return lines.join("\n");
}

function shown({ kind, output }: TaskRecord, result: string): string {
  const text = result.trimEnd();
  if (kind === "agent") return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
  if (!output) return text;
  const { bytes, dropped } = output;
  const kept = bytes - dropped;
  // By what is in the log: what is said of it may stand behind it, and bytes that are no text are longer when they are shown.
  if (kept > tailBytes) {
    const of = dropped > 0 ? `the first ${kept} of ${bytes}` : `${bytes}`;
    return `… the end of ${of} bytes of output:\n${text}`;
  }
  return dropped > 0 ? `the first ${kept} of ${bytes} bytes of output:\n${text}` : text;
}
