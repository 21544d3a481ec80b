// What a pause waits for: calls under way, of whichever agent; and who listens no longer leaves nothing behind.

import { expect, test } from "vitest";
import type { EventBody } from "../core/event.js";
import { EventHub } from "../harness/events.js";
import { KnownSecrets } from "../secrets/known.js";
import { OpenCalls } from "./open-calls.js";

function listening() {
  const clock = { now: () => 0 };
  const redactor = new KnownSecrets();
  const hub = new EventHub({ session: "s", agent: "main", clock, redactor } as never);
  const queue = hub.subscribe();
  const calls = new OpenCalls({ events: () => queue });
  const say = (type: "call.start" | "call.end", call: string) => hub.emit({ type, call } as unknown as EventBody);
  return { queue, calls, say };
}

test("a pause waits until the last call has ended", async () => {
  const { calls, say } = listening();
  await calls.quiet(60_000);
  say("call.start", "a");
  say("call.start", "b");
  await new Promise(setImmediate);
  let over = false;
  const quiet = calls.quiet(60_000).then(() => {
    over = true;
  });
  say("call.end", "a");
  await new Promise(setImmediate);
  expect(over).toBe(false);
  say("call.end", "b");
  await quiet;
});

test("a call that does not end is not waited for longer than told", async () => {
  const { calls, say } = listening();
  say("call.start", "a");
  await new Promise(setImmediate);
  await calls.quiet(1);
});

test("closed: its listening has ended", async () => {
  const { queue, calls } = listening();
  calls.close();
  expect(await queue[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined });
});
