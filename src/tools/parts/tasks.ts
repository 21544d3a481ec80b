// What tools say of tasks: one line to read and one object for programs, each with its task_id (SPEC 2.18).
// Invariant: the text about a task that goes on is the same until something of it changes, so that waiting for it can be
// told from getting somewhere.

import type { JsonObject } from "../../core/json.js";
import type { View } from "../../core/plan.js";
import { exitWords, isSettled, type TaskRecord } from "../../core/task.js";

export function taskLine(record: TaskRecord): string {
  const { id, kind, title, state, error, detach } = record;
  const exit = exitWords(record);
  const facts = [
    ...(exit === null ? [] : [exit]),
    ...(detach ? ["detached"] : []),
    ...(record.labels.length > 0 ? [`labels ${record.labels.join(", ")}`] : []),
  ];
  const more = facts.length > 0 ? ` (${facts.join("; ")})` : "";
  const why = error && isSettled(state) ? ` ${error.text}` : "";
  // A title is the first line of a prompt, which may be a sentence.
  const stop = kind === "agent" && /[.!?…]$/.test(title) ? "" : ".";
  return `task_id ${id}: ${state}${more}, ${kind === "shell" ? "command" : "agent"}: ${title}${stop}${why}`;
}

export function taskData(record: TaskRecord): JsonObject {
  const { id, kind, state, title, labels, created, started, ended, detach } = record;
  return {
    task_id: id,
    ...{ kind, state, title, labels: [...labels], detach, created, started, ended },
    exit_code: record.exit_code ?? null,
    error: record.error ? { ...record.error } : null,
    output: record.output ? { ...record.output } : null,
  };
}

export function taskView({ id, kind, state, title }: TaskRecord): View {
  return { type: "task", id, kind, state, title };
}
