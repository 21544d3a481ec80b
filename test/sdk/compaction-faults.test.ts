// Compaction that goes wrong: summaries of no use, broken connections, a provider that says the conversation is too long.
// Nothing is lost by it, nothing is asked for in a circle, and the run ends with the reason.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fixedClock } from "../../src/lib/fixed.js";
import { asksForSummary, firstText, summary, talk, talking, tooLong } from "../support/compaction.js";
import { entriesOf, of } from "../support/events.js";
import { type Body, blocks } from "../support/stage.js";
import type { WireReply } from "../support/wire/server.js";

describe("a summary that is of no use", () => {
  const wordy = talk(9_000, "waffle");
  const call = { calls: [{ id: "x", name: "write_file", input: { path: "x.txt", content: "x" } }] };

  it.each<[string, WireReply, string]>([
    ["empty", { text: "" }, "it was empty"],
    ["longer than what it stands for", wordy, "it did not make the conversation shorter"],
    ["cut", { text: "We ha", stop: "length" }, "it was cut by the output limit"],
    ["a call", call, "it was a call, and text was asked for"],
    ["refused", { text: "No.", stop: "refusal" }, "the model refused"],
  ])("%s: it is asked for once more, and then the run stops and says why", async (_, bad, why) => {
    const set = await talking([talk(6_000), { text: "again" }], [bad, bad]);
    const session = await set.open();
    await session.send("one");
    const before = blocks(set.bodies()[0] as Body);
    const result = await session.send("two");
    expect(result).toMatchObject({ subtype: "error_during_execution", exit_code: 1 });
    expect(result.detail).toContain(`compaction: no usable summary in 2 attempts, the last because ${why}`);
    const [, first, second] = set.bodies();
    expect(set.bodies()).toHaveLength(3);
    expect(JSON.stringify(second?.messages.at(-1))).toContain(`could not be used: ${why}`);
    expect(blocks(first as Body).slice(0, before.length)).toEqual(before);
    expect(entriesOf(session, "compaction")).toEqual([]);
    expect(existsSync(join(set.root, "x.txt"))).toBe(false);
    await session.close();
    expect(of(set.events, "compact.end")).toMatchObject([{ ok: false, text: expect.stringContaining(why) }]);
    expect(of(set.events, "call.end").every(({ status }) => status === "not_run")).toBe(true);
  });

  it("the second attempt may be good, and calls beside a good text are not run", async () => {
    const set = await talking([talk(6_000), { text: "two" }], [{ text: " " }, { ...summary, ...call }]);
    const session = await set.open();
    await session.send("one");
    expect((await session.send("two")).result).toBe("two");
    expect(existsSync(join(set.root, "x.txt"))).toBe(false);
    expect(firstText(set.bodies().at(-1))).toContain("All is well so far.");
    await session.close();
    expect(of(set.events, "call.end")).toMatchObject([{ call: "x", status: "not_run" }]);
  });

  it("a broken connection is asked again like any request, and a failure loses nothing", async () => {
    const refused: WireReply = { status: 401, error: { type: "authentication_error", message: "no" } };
    const set = await talking([talk(6_000), { text: "two" }], [{ ...summary, cutAfter: 3 }, refused]);
    const session = await set.open({ clock: fixedClock() });
    await session.send("one");
    const said = entriesOf(session, "message").length;
    expect(await session.send("two")).toMatchObject({ subtype: "error_auth", exit_code: 3 });
    expect(entriesOf(session, "message")).toHaveLength(said + 1);
    expect(entriesOf(session, "compaction")).toEqual([]);
    expect((await session.send("three")).result).toBe("two");
  });

  it("cancelling it ends the run in order, and the next one compacts", async () => {
    const set = await talking([talk(6_000), { text: "three" }], [{ stallAfter: 0 }]);
    const session = await set.open();
    await session.send("one");
    const running = session.send("two");
    await expect.poll(() => set.bodies().some(asksForSummary)).toBe(true);
    session.cancel();
    expect(await running).toMatchObject({ subtype: "error_cancelled", exit_code: 130 });
    expect(entriesOf(session, "compaction")).toEqual([]);
    expect((await session.send("three")).result).toBe("three");
    expect(entriesOf(session, "compaction")).toHaveLength(1);
  });
});

describe("when the provider says that it is too long", () => {
  it("the conversation is compacted without its newest part and the request is made once more", async () => {
    const set = await talking([talk(600), talk(600), tooLong, { text: "three" }]);
    const session = await set.open();
    for (const text of ["one", "two"]) await session.send(text);
    expect((await session.send("three")).result).toBe("three");
    const [, , refused, asking, again] = set.bodies();
    expect(blocks(asking as Body).length).toBeLessThanOrEqual(blocks(refused as Body).length);
    expect(JSON.stringify(asking?.messages)).not.toContain("three");
    expect(JSON.stringify(again?.messages.at(-1))).toContain("three");
    await session.close();
    expect(of(set.events, "compact.start")).toMatchObject([{ cause: "overflow" }]);
  });

  it("a second time it is the end, and says so", async () => {
    const set = await talking([talk(600), talk(600), tooLong, tooLong, { text: "never" }]);
    const session = await set.open();
    for (const text of ["one", "two"]) await session.send(text);
    const result = await session.send("three");
    expect(result).toMatchObject({ subtype: "error_during_execution", exit_code: 1 });
    expect(result.detail).toMatch(/prompt is too long.*it was compacted, and that was not enough/s);
    expect(set.bodies()).toHaveLength(5);
  });

  it("with nothing to compact the run ends at once", async () => {
    const set = await talking([tooLong]);
    const result = await (await set.open()).send("one");
    expect(result.detail).toContain("there is nothing that could be compacted");
    expect(set.bodies()).toHaveLength(1);
  });

  it("for the summary as well, the ledger stands alone and carries the summary before it", async () => {
    const set = await talking([talk(6_000), talk(600), talk(600), tooLong, { text: "four" }], [summary, tooLong]);
    const session = await set.open();
    for (const text of ["one", "two", "three"]) await session.send(text);
    expect((await session.send("four")).result).toBe("four");
    const text = firstText(set.bodies().at(-1));
    for (const said of ["one", "two"]) expect(text).toContain(`>\n${said}\n<`);
    expect(text).toContain("# Summary of an earlier part\nAll is well so far.");
    expect(text).toContain("No model has summarised what was said before");
  });
});
