// Commands in the background through the public face, with real processes (SEEDS D 94–100, SECURITY 86–101).

import { expect, test } from "vitest";
import type { Entry, Event } from "../../src/index.js";
import { resultText, type Stage, stage } from "../support/stage.js";
import { taskIdIn, taskLog, taskRecords } from "../support/tasks.js";
import type { WireReply } from "../support/wire/anthropic.js";

const start = (command: string, more: object = {}) => ({
  id: "s1",
  name: "start_background_task",
  input: { kind: "shell", command, ...more },
});

const call = (id: string, name: string, input: object) => ({ id, name, input });

/** The task that call `s1` started, as the model was told. */
const started = (s: Stage) => taskIdIn(resultText(s.bodies().at(-1), "s1"));

function changes(s: Stage): string[] {
  return s.events.flatMap((event: Event) => (event.type === "task.change" ? [`${event.from}>${event.to}`] : []));
}

function notices(entries: Iterable<Entry>): string[] {
  return [...entries].flatMap((entry) => {
    if (entry.type !== "message" || entry.data.origin !== "task") return [];
    return entry.data.parts.map((part) => (part.type === "text" ? part.text : ""));
  });
}

/** A model that starts this, then does what `next` says, then answers. */
function script(command: string, next: (s: Stage, id: string) => WireReply[], more: object = {}) {
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

test("a command runs beside the conversation, and its end is told once, with exit code and output", async () => {
  const s = await script("echo one; echo two >&2; exit 3", (_, id) => [
    { calls: [call("w1", "wait_background_task", { task_id: id })] },
  ])();
  const session = await s.open();
  const result = await session.send("go");
  expect(result).toMatchObject({ subtype: "success" });
  const [record] = taskRecords(s.home);
  expect(record).toMatchObject({ state: "failed", exit_code: 3, kind: "shell", error: { kind: "exit" }, told: true });
  expect(result.tasks).toEqual([{ id: record?.id, kind: "shell", state: "failed", exit_code: 3 }]);
  expect(taskLog(s.home, record?.id ?? "")).toBe("one\ntwo\n");
  expect(resultText(s.bodies().at(-1), "w1")).toContain("one\ntwo");
  expect(notices(session.entries())).toHaveLength(1);
  expect(notices(session.entries())[0]).toContain(record?.id);
  expect(changes(s)).toEqual(["null>queued", "queued>running", "running>failed"]);
});
