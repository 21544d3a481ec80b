// What a conversation is told when one of its tasks has ended.
// Pure. One paragraph a task: which it is, how it ended, after how long, and the end of what it said.

import type { TaskRecord } from "../core/task.js";

/** Characters of what it printed or answered. */
const maxShown = 4_000;

export function noticeOf(record: TaskRecord): string {
  const { id, kind, title, state, error, result = "", started, ended } = record;
  const took = started === null || ended === null ? "" : ` after ${((ended - started) / 1_000).toFixed(1)} s`;
  const code = record.exit_code === undefined ? "" : `, exit code ${record.exit_code}`;
  const head = `[Task ${id} (${kind === "shell" ? "command" : "agent"}: ${title}) ${state}${took}${code}.]`;
  const lines = [head, ...(error ? [error.text] : []), ...(result === "" ? [] : [shown(record, result)])];
  return lines.join("\n");
}

function shown({ kind, output }: TaskRecord, result: string): string {
  const text = result.trimEnd();
  if (kind === "agent") return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
  const whole = output === undefined || output.bytes <= Buffer.byteLength(result);
  return whole ? text : `… the end of ${output.bytes} bytes of output:\n${text.slice(-maxShown)}`;
}
