import { expect, test } from "vitest";
import type { Said } from "../core/conversation.js";
import type { Usage } from "../core/message.js";
import { isDue, loadOf, roomOf } from "./policy.js";

test.each([
  // window, maxOutput, at, keep             whole    mark     keep
  [200_000, 64_000, 0.8, 20_000, 136_000, 108_800, 20_000],
  [128_000, 8_192, 0.8, 20_000, 119_808, 95_846, 20_000],
  // A reply never takes more than half of a window, and what is kept never more than a quarter of the room.
  [8_000, 64_000, 0.5, 20_000, 4_000, 2_000, 1_000],
  [8_000, 1_000, 1, 0, 7_000, 7_000, 0],
])("a window of %i with replies of %i", (window, maxOutput, at, keep, whole, mark, kept) => {
  expect(roomOf({ window, maxOutput, at, keep })).toEqual({ whole, mark, keep: kept });
});

const room = { whole: 1_000, mark: 800, keep: 100 };

test.each([
  [799, null, false],
  [800, null, true],
  [5_000, null, true],
  [799, 500, false],
  [800, 100, true],
  [800, 99, false],
  // Over the mark, and even over the window, right after a compaction: the same again would gain nothing.
  [5_000, 0, false],
])("a request of %i with %s said since the last compaction: due %s", (next, since, due) => {
  expect(isDue({ next, since }, room)).toBe(due);
});

const user = (id: string, chars: number): Said => ({
  id,
  message: { role: "user", parts: [{ type: "text", text: "x".repeat(chars) }], origin: "user" },
});
const reply = (id: string, chars: number, usage?: Partial<Usage>): Said => ({
  id,
  message: {
    role: "assistant",
    parts: [{ type: "text", text: "y".repeat(chars) }],
    ...(usage ? { usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, ...usage } } : {}),
  },
});
/** Tokens of a message with one text of so many characters. */
const of = (chars: number) => chars / 4 + 8;

test("without a count of the provider everything is estimated, and nothing was compacted", () => {
  const verbatim = [user("a", 400), reply("b", 800)];
  expect(loadOf({ compacted: null, verbatim, kept: 0 }, 1_000)).toEqual({
    next: 1_000 + of(400) + of(800),
    since: null,
  });
});

test("what the provider counted is believed, when it is more, for all that came before", () => {
  const verbatim = [user("a", 400), reply("b", 800, { input: 100, cacheRead: 9_000, output: 50 }), user("c", 40)];
  expect(loadOf({ compacted: null, verbatim, kept: 0 }, 1_000).next).toBe(9_150 + of(40));
});

test("a provider that counts nothing hides nothing", () => {
  const verbatim = [user("a", 4_000), reply("b", 400, { input: 1, output: 1 })];
  expect(loadOf({ compacted: null, verbatim, kept: 0 }, 0).next).toBe(of(4_000) + of(400));
});

test("a count from before a compaction is not believed: most of what it counted is gone", () => {
  const kept = [reply("b", 400, { input: 90_000 }), user("c", 40)];
  const compacted = user("s", 400);
  expect(loadOf({ compacted, verbatim: kept, kept: 2 }, 100)).toEqual({
    next: 100 + of(400) + of(400) + of(40),
    since: 0,
  });
  const went = [...kept, user("d", 40), reply("e", 80, { input: 3_000, output: 20 })];
  expect(loadOf({ compacted, verbatim: went, kept: 2 }, 100)).toEqual({ next: 3_020, since: of(40) + of(80) });
});
