// What tests of tasks look at: records and logs on disk, processes by the mark of their task, replies by their task_id.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { vi } from "vitest";
import type { TaskRecord } from "../../src/core/task.js";
import { resultText, type Stage, stage } from "./stage.js";
import type { WireReply } from "./wire/anthropic.js";

/** All records below a home. */
export function recordsIn(home: string): TaskRecord[] {
  const dir = join(home, "tasks");
  const names = readdirSync(dir).filter((name) => /^[0-9a-z]{12}\.json$/.test(name));
  return names.map((name) => JSON.parse(readFileSync(join(dir, name), "utf8")) as TaskRecord);
}

/** The same, newest first. */
export function taskRecords(home: string): TaskRecord[] {
  return recordsIn(home).sort((a, b) => b.created - a.created);
}

export function taskLog(home: string, id: string): string {
  return readFileSync(join(home, "tasks", `${id}.log`), "utf8");
}

/** Processes that a task started, whatever group or session they are in. */
export function processesOf(id: string): number[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return readFileSync(`/proc/${name}/environ`, "latin1").split("\0").includes(`CINCH_RUN=task-${id}`)
        ? [Number(name)]
        : [];
    } catch {
      return [];
    }
  });
}

/** The task_id that a reply names. */
export function taskIdIn(text: string): string {
  const id = /task_id ([0-9a-z]{12})/.exec(text)?.[1];
  if (id === undefined) throw new Error(`no task_id in: ${text}`);
  return id;
}

/** Polls until `look` gives something. */
export function eventually<Found>(look: () => Found | undefined | null | false): Promise<Found> {
  return vi.waitFor(
    () => {
      const found = look();
      if (found === undefined || found === null || found === false) throw new Error("not yet");
      return found;
    },
    { timeout: 50_000, interval: 20 },
  );
}

/** A call of a model that starts a command in the background. */
export const start = (command: string, more: object = {}) => ({
  id: "s1",
  name: "start_background_task",
  input: { kind: "shell", command, ...more },
});

export const call = (id: string, name: string, input: object) => ({ id, name, input });

/** The task that call `s1` started, as the model was told. */
const started = (s: Stage) => taskIdIn(resultText(s.bodies().at(-1), "s1"));

/** A model that starts this, then does what `next` says, then answers. */
export function script(command: string, next: (s: Stage, id: string) => WireReply[], more: object = {}) {
  let s: Stage;
  let steps: WireReply[] | undefined;
  const replies = (_: unknown, index: number): WireReply => {
    if (index === 0) return { calls: [start(command, more)] };
    steps ??= next(s, started(s));
    return steps[index - 1] ?? { text: "done" };
  };
  return async () => {
    s = await stage(replies);
    return s;
  };
}
