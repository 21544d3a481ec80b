import { expect, test } from "vitest";
import type { Entry } from "../../core/entry.js";
import type { Event, EventBody } from "../../core/event.js";
import type { JsonObject } from "../../core/json.js";
import { stripLines } from "./blocks/strip.js";
import { textOfLine, widthOf } from "./span.js";
import { type Beside, Strip } from "./strip.js";

const at = (seconds: number) => new Date(seconds * 1000).toISOString();
const event = (body: EventBody, agent = "main", seconds = 0) =>
  ({ seq: 1, session: "s", agent, time: at(seconds), ...body }) as Event;
const change = (task: string, from: string | null, to: string, seconds = 0) =>
  event({ type: "task.change", task, from, to }, "main", seconds);
const entry = (id: string, change: JsonObject, seconds = 0) =>
  ({ type: "task", time: seconds * 1000, data: { id, change } }) as Entry<"task">;

function strip(): Strip {
  const made = new Strip();
  made.entry(entry("t1", { from: null, to: "queued", kind: "agent", title: "explore: where is it" }));
  made.event(change("t1", null, "queued"));
  made.event(change("t1", "queued", "running", 10));
  return made;
}

test("a task is shown from the queue to its end, with its newest sign", () => {
  const made = strip();
  expect(made.work).toMatchObject([{ title: "explore: where is it", state: "running", since: 10_000, newest: "" }]);
  made.event(event({ type: "call.start", call: "c", tool: "x", summary: "read a.ts" }, "t1"));
  expect(made.work[0]?.newest).toBe("read a.ts");
  made.event(event({ type: "call.progress", call: "c", line: "line 7" }, "t1"));
  expect(made.work[0]?.newest).toBe("line 7");
  for (const to of ["succeeded", "failed", "cancelled", "interrupted"]) {
    const ended = strip();
    ended.event(change("t1", "running", to));
    expect(ended.work).toEqual([]);
  }
});

test("what an agent does is no part of the conversation; what the session itself does is", () => {
  const made = strip();
  expect(made.event(event({ type: "text.delta", text: "hm" }, "t1"))).toBe(true);
  expect(made.event(event({ type: "text.delta", text: "hm" }))).toBe(false);
});

test("from a log: what was told has ended, and so has what the records know of", () => {
  const made = new Strip();
  for (const id of ["a", "b", "c"]) made.entry(entry(id, { from: null, to: "running", title: `title ${id}` }, 5));
  made.entry(entry("a", { told: true }));
  made.forget("b");
  expect(made.work).toMatchObject([{ id: "c", title: "title c", since: 5_000 }]);
});

test("a task that a task gave has no entry here: it goes by its id", () => {
  const made = new Strip();
  made.event(change("t2", null, "running"));
  expect(made.work[0]?.title).toBe("task t2");
});

test("one line each, five at most, what asks first, and never wider than the screen", () => {
  const work = Array.from(
    { length: 9 },
    (_, n): Beside => ({
      ...{ id: `t${n}`, title: `work ${n}`, state: n < 2 ? "queued" : "running", newest: "a line\nanother" },
      ...{ since: n < 2 ? null : 0, asks: n === 8 },
    }),
  );
  const drawn = stripLines(work, 60, 10, 65_000).map(textOfLine);
  expect(drawn).toEqual([
    "◐ work 8  a line  asks you",
    ...[2, 3, 4].map((n) => `◐ work ${n}  a line  1 min 5 s`),
    "… 5 more beside this (/tasks)",
  ]);
  expect(stripLines(work.slice(0, 1), 60, 10, 0).map(textOfLine)).toEqual(["○ work 0  a line  queued"]);
  expect(stripLines(work, 60, 0, 0)).toEqual([]);
  for (const width of [1, 2, 9, 12, 20])
    for (const each of stripLines(work, width, 10, 65_000)) expect(widthOf(each)).toBeLessThanOrEqual(width);
});
