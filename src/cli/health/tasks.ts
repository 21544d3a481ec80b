// Tasks on disk as `cinch doctor` sees them: what was interrupted and may go on, what was left running, what cannot be read.
// Reads only: how tasks ended whose Cinch is gone is found out by `cinch tasks`.

import { join } from "node:path";
import { isSettled, type TaskRecord } from "../../core/task.js";
import type { Fs } from "../../lib/fs.js";
import { printable } from "../../lib/paths.js";
import { TaskStore } from "../../tasks/store.js";
import { type Finding, finding } from "./finding.js";

const mostNamed = 5;

export function checkTasks(disk: Fs, state: string): Finding[] {
  const damaged: string[] = [];
  const store = new TaskStore({
    disk,
    dir: join(state, "tasks"),
    damaged: (path, why) => damaged.push(`${path}: ${why}`),
  });
  const records = store.ids().flatMap((id) => store.read(id) ?? []);
  const open = records.filter((record) => !isSettled(record.state));
  const left = open.filter(({ owner }) => store.isOrphan(owner));
  const [detached, lost] = [left.filter(({ detach }) => detach), left.filter(({ detach }) => !detach)];
  const interrupted = records.filter(({ kind, state: at }) => kind === "agent" && at === "interrupted");
  const found = [
    ...damaged.map((text) => finding("tasks", "wrong", text, "Look at it, then move it away; Cinch leaves it alone.")),
    ...noted(
      detached,
      "detached, and left running",
      "`cinch tasks show <id>` says what it does, `cancel <id>` ends it.",
    ),
    ...noted(lost, "of a Cinch that is gone", "`cinch tasks list` finds out how they ended."),
    ...noted(interrupted, "interrupted", "`cinch tasks resume <id>` lets one go on where it was."),
  ];
  if (found.length > 0) return found;
  return [finding("tasks", "ok", `${records.length} on record, ${open.length} at work, none interrupted`)];
}

function noted(records: readonly TaskRecord[], what: string, fix: string): Finding[] {
  if (records.length === 0) return [];
  const named = records.slice(0, mostNamed).map(({ id, title }) => `${id} (${printable(title)})`);
  const more = records.length > mostNamed ? ` and ${records.length - mostNamed} more` : "";
  return [finding("tasks", "note", `${what}: ${named.join(", ")}${more}`, fix)];
}
