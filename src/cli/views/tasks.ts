// Tasks for people: one line each, or all that is known of one.

import { exitWords } from "../../core/task.js";
import type { TaskRecord } from "../../index.js";

export function tasksView(records: readonly TaskRecord[]): string {
  if (records.length === 0) return "There are no tasks.";
  return records.map((record) => `${record.id}  ${record.state.padEnd(11)}  ${aboutOf(record)}`).join("\n");
}

function aboutOf(record: TaskRecord): string {
  const { kind, title, detach } = record;
  const exit = exitWords(record);
  const facts = [kind === "shell" ? "command" : "agent", ...(detach ? ["detached"] : [])];
  if (exit !== null) facts.push(exit);
  return `${title} (${facts.join(", ")})`;
}

export function taskView(record: TaskRecord): string {
  const { id, state, owner, cwd, labels, error, output, created, started, ended, deadline, pid } = record;
  const rows: [string, string | undefined][] = [
    ["task", `${id}, ${state}: ${aboutOf(record)}`],
    ["why", error?.text],
    ["command", record.command],
    ["agent", record.agent],
    ["prompt", record.prompt],
    ["in", cwd],
    ["session", owner.session],
    ["labels", labels.length > 0 ? labels.join(", ") : undefined],
    ["created", timeOf(created)],
    ["began", timeOf(started)],
    ["ended", timeOf(ended)],
    ["ends at", state === "running" ? timeOf(deadline) : undefined],
    ["process", state === "running" && pid !== undefined ? String(pid) : undefined],
    ["output", output && `${output.bytes} bytes in ${output.path}`],
    ["result", record.kind === "agent" ? record.result : undefined],
  ];
  return rows.flatMap(([name, text]) => (text === undefined ? [] : [`${name.padEnd(8)} ${text}`])).join("\n");
}

function timeOf(ms: number | null): string | undefined {
  return ms === null ? undefined : new Date(ms).toISOString();
}
