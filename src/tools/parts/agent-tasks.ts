// What tools say of tasks of agents: each in its line, and behind it what the agent answered.

import type { JsonObject } from "../../core/json.js";
import { isSettled, type TaskRecord, type TaskState } from "../../core/task.js";
import type { ToolResult } from "../../core/tool.js";
import { taskData, taskLine } from "./tasks.js";

/** Characters of one answer. */
const maxResult = 8_000;

function whole(record: TaskRecord): string {
  const { result = "", session, agent, state } = record;
  if (!isSettled(state) || result === "") return taskLine(record);
  const left = result.length - maxResult;
  const rest = left > 0 ? `\n[${left} more characters, in session ${session}]` : "";
  return `${taskLine(record)}\n${agent} answered:\n${result.slice(0, maxResult)}${rest}`;
}

function dataOf(record: TaskRecord): JsonObject {
  const { agent, result, value, session, usage, cost } = record;
  const known = Object.entries({ agent, result, value, session }).filter(([, fact]) => fact !== undefined);
  return { ...taskData(record), ...Object.fromEntries(known), usage: { ...usage }, cost };
}

const counted: readonly TaskState[] = ["succeeded", "failed", "cancelled"];

/** `now`: what is true of those that go on. `brief`: without what they answered. */
export function tasksResult(records: readonly TaskRecord[], { now = "", brief = false } = {}): ToolResult {
  const counts = counted.map((state) => [state, records.filter((each) => each.state === state).length] as const);
  const open = records.filter(({ state }) => !isSettled(state)).length;
  const parts = counts.flatMap(([state, n]) => (n > 0 ? [`${n} ${state}`] : []));
  if (open > 0) parts.push(`${open} not ended${now === "" ? "" : `: ${now}`}`);
  return {
    status: "ok",
    text: [`${parts.join(", ")}.`, ...records.map(brief ? taskLine : whole)].join(brief ? "\n" : "\n\n"),
    view: {
      type: "table",
      head: ["task", "agent", "state", "title"],
      rows: records.map(({ id, agent, kind, state, title }) => [id, agent ?? kind, state, title]),
    },
    data: { tasks: records.map(dataOf), ...Object.fromEntries(counts) },
  };
}
