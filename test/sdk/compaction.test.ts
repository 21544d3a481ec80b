// Compaction on the public face: when it comes, what it keeps, what it costs, and that it cannot spin (D 69–71).
// The window of the model is tiny here; the server says which request asks for a summary by its last block.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createHarness, type Entry, type Event, type HarnessOptions, type Session } from "../../src/index.js";
import { fixedClock } from "../../src/lib/fixed.js";
import { sha256 } from "../../src/lib/hash.js";
import { tempDir } from "../support/run.js";
import { type Body, blocks, resultText, stage } from "../support/stage.js";
import { requestFaults } from "../support/wire/faults.js";
import { protocols } from "../support/wire/protocols.js";
import type { WireReply, WireRequest } from "../support/wire/server.js";

const window = 8_000;
const settings = {
  permissions: { mode: "auto" },
  models: { windows: { "claude-sonnet-4-5": { window, maxOutput: 1_000 } } },
  compaction: { at: 0.8, keep: 1_000 },
} as const;

const tooLong: WireReply = {
  status: 400,
  error: { type: "invalid_request_error", message: "prompt is too long: 9999 tokens > 8000 maximum" },
};
const summary: WireReply = { text: "All is well so far." };
/** About `tokens` tokens of talk. */
const talk = (tokens: number, word = "blah") => ({
  text: `${word} `.repeat(Math.ceil((tokens * 4) / (word.length + 1))),
});

const asksForSummary = (body: Body) =>
  blocks(body).at(-1)?.includes("is compacted now. Answer with text only") ?? false;
const size = (body: Body) => Math.ceil(JSON.stringify([body.tools, body.system, blocks(body)]).length / 4);

/** A server that answers requests for a summary from one list and all others from another. */
async function talking(replies: WireReply[] | ((n: number) => WireReply), summaries: WireReply[] = []) {
  let asked = 0;
  let told = 0;
  const set = await stage((request: WireRequest) => {
    if (asksForSummary(JSON.parse(request.body) as Body)) return summaries[asked++] ?? summary;
    const n = told++;
    return (typeof replies === "function" ? replies(n) : replies[n]) ?? { text: "done" };
  });
  return {
    ...set,
    open: (more: Partial<HarnessOptions> = {}, resume?: string) => set.open({ settings, ...more }, resume),
  };
}

const of = <Type extends Event["type"]>(events: readonly Event[], type: Type) =>
  events.filter((event) => event.type === type) as Extract<Event, { type: Type }>[];
const entriesOf = <Type extends Entry["type"]>(session: Session, type: Type) =>
  [...session.entries()].filter((entry) => entry.type === type) as Extract<Entry, { type: Type }>[];
const firstText = (body: Body | undefined) => body?.messages[0]?.content[0]?.text ?? "";

describe("near the window", () => {
  it("a summary and a ledger stand for the older part; the prefix up to there is the one that is cached", async () => {
    const set = await talking([talk(2_500), talk(2_500), { text: "three" }]);
    const session = await set.open();
    await session.send("First: use tabs, never spaces.");
    await session.send("Second.");
    expect((await session.send("Third.")).subtype).toBe("success");
    const [, second, asking, third] = set.bodies();
    expect(asking && asksForSummary(asking)).toBe(true);
    expect(set.bodies()).toHaveLength(4);

    // The request for the summary is the next request with a question behind it.
    expect(asking?.tools).toEqual(second?.tools);
    expect(asking?.system).toEqual(second?.system);
    expect(blocks(asking as Body).slice(0, blocks(second as Body).length)).toEqual(blocks(second as Body));

    expect(third?.tools).toEqual(second?.tools);
    expect(third?.system[0]).toEqual(second?.system[0]);
    expect(firstText(third)).toContain('<user-message number="1">\nFirst: use tabs, never spaces.\n</user-message>');
    expect(firstText(third)).toContain("# Summary\nAll is well so far.");
    expect(JSON.stringify(third)).not.toContain("blah blah");
    expect(JSON.stringify(third?.messages.at(-1))).toContain("Third.");
    expect(size(third as Body)).toBeLessThan(window / 2);
  });

  it("is one entry with a new prompt behind it, two events, and a break of the cache with its cause", async () => {
    const set = await talking([talk(2_500), talk(2_500)]);
    const session = await set.open();
    for (const text of ["one", "two", "three"]) await session.send(text);
    const path = [...session.entries()];
    const at = path.findIndex(({ type }) => type === "compaction");
    expect(path.slice(at, at + 3).map(({ type }) => type)).toEqual(["compaction", "prompt", "model"]);
    expect(path[at + 1]?.data).toMatchObject({ cause: "compaction" });
    const [entry] = entriesOf(session, "compaction");
    const messages = entriesOf(session, "message");
    expect(entry?.data.from).toBe(messages[0]?.id);
    expect(messages.some(({ id }) => id === entry?.data.to)).toBe(true);
    expect(entry?.data.ledger).toMatchObject({ model: "All is well so far.", files: {}, failed: [] });
    await session.close();
    expect(of(set.events, "compact.start")).toMatchObject([{ cause: "window" }]);
    const [end] = of(set.events, "compact.end");
    expect(end).toMatchObject({ ok: true, text: expect.stringContaining("messages were compacted: about") });
    expect(end?.after).toBeLessThan((end?.before ?? 0) / 2);
    expect(of(set.events, "cache.break")).toMatchObject([
      { section: "messages", cause: "compaction", tokens: expect.any(Number), usd: expect.any(Number) },
    ]);
  });

  it("names changed files with their hashes and what failed, in the middle of a run, and the run goes on", async () => {
    const set = await talking([
      { calls: [{ id: "w", name: "write_file", input: { path: "made.txt", content: "made\n" } }] },
      {
        calls: [{ id: "e", name: "edit_file", input: { path: "gone.txt", old_string: "a", new_string: "b" } }],
        ...talk(5_500),
      },
      { text: "finished" },
    ]);
    const session = await set.open();
    expect(await session.send("Make it.")).toMatchObject({ subtype: "success", result: "finished", num_turns: 4 });
    const last = set.bodies().at(-1);
    expect(firstText(last)).toContain(`# Files changed, with their sha256\n- made.txt ${sha256("made\n")}`);
    expect(firstText(last)).toMatch(/# Tried and failed\n- edit_file .*gone\.txt/);
    expect(firstText(last)).toContain("no answer yet: go on with it");
  });

  it("its tokens and its turn count for the budget of the run", async () => {
    const usage = { input: 1_000, output: 100 };
    const set = await talking([talk(6_000)], [{ ...summary, usage }]);
    const session = await set.open({ settings: { ...settings, limits: { tokens: 1_100 } } });
    await session.send("one");
    expect(await session.send("two")).toMatchObject({
      subtype: "error_budget",
      exit_code: 6,
      num_turns: 1,
      usage: { input_tokens: 1_000, output_tokens: 100 },
    });
    expect(entriesOf(session, "compaction")).toHaveLength(1);
  });

  it("what is steered in meanwhile waits for the request that follows", async () => {
    const set = await talking([talk(6_000), { text: "two" }, { text: "three" }]);
    const session = await set.open();
    await session.send("one");
    const steering = (async () => {
      for await (const event of session.events()) {
        if (event.type !== "compact.start") continue;
        session.steer("And quickly.", "now");
        session.steer("Then rest.", "queue");
        return;
      }
    })();
    expect(await session.send("two")).toMatchObject({ subtype: "success", result: "three", undelivered: [] });
    await steering;
    const [, asking, second, third] = set.bodies();
    expect(JSON.stringify(asking)).not.toContain("And quickly.");
    expect(JSON.stringify(second)).toContain("And quickly.");
    expect(JSON.stringify(second)).not.toContain("Then rest.");
    expect(JSON.stringify(third)).toContain("Then rest.");
  });
});

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
    await vi.waitFor(() => expect(set.bodies().some(asksForSummary)).toBe(true));
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

describe("asked for by the user", () => {
  it("compacts, with a focus", async () => {
    const usage = { input: 70, output: 7 };
    const set = await talking([talk(400), talk(400), { text: "three" }], [{ ...summary, usage }]);
    const session = await set.open();
    for (const text of ["one", "two"]) await session.send(text);
    const made = await session.compact("the schema");
    expect(made).toMatchObject({ state: "done", usage: { input: 70, output: 7 }, cost: expect.any(Number) });
    expect(JSON.stringify(set.bodies().at(-1))).toContain("kept in particular: the schema");
    await session.send("three");
    expect(firstText(set.bodies().at(-1))).toContain("All is well so far.");
  });

  it("says so when there is nothing to gain, without asking the model", async () => {
    const set = await talking([{ text: "hi" }]);
    const session = await set.open();
    expect(await session.compact()).toMatchObject({ state: "nothing", text: "Nothing was said yet." });
    await session.send("hello");
    expect(await session.compact()).toMatchObject({ state: "nothing", text: expect.stringContaining("too short") });
    expect(set.bodies()).toHaveLength(1);
  });

  it("not during a run, and a failure is told", async () => {
    const set = await talking([talk(800), { stallAfter: 0 }], [{ text: "" }, { text: "" }]);
    const session = await set.open();
    await session.send("one");
    expect(await session.compact()).toMatchObject({ state: "failed", text: expect.stringContaining("it was empty") });
    const running = session.send("two");
    await expect(session.compact()).rejects.toThrow("a run is under way");
    session.cancel();
    await running;
  });
});

describe("afterwards", () => {
  it("a resume sends the same bytes, and the first request after a crash knows why the prefix changed", async () => {
    const set = await talking([talk(6_000), talk(10), talk(10), talk(10)]);
    const session = await set.open();
    for (const text of ["one", "two"]) await session.send(text);
    await session.close();
    const again = await set.open({}, session.id);
    await again.send("three");
    const [, , before, after] = set.bodies();
    expect(after?.system.map(({ text }) => text)).toEqual(before?.system.map(({ text }) => text));
    expect(blocks(after as Body).slice(0, blocks(before as Body).length)).toEqual(blocks(before as Body));
    await again.compact();
    await again.close();
    const third = await set.open({}, session.id);
    await third.send("four");
    await third.close();
    expect(of(set.events, "cache.break").map(({ cause }) => cause)).toEqual(["compaction"]);
  });

  it("what was compacted can be entered again", async () => {
    const set = await talking([talk(6_000), talk(10), talk(10)]);
    const session = await set.open();
    await session.send("one");
    const last = entriesOf(session, "message").at(-1)?.id ?? "";
    await session.send("two");
    expect(entriesOf(session, "compaction")).toHaveLength(1);
    await session.fork(last);
    expect(entriesOf(session, "compaction")).toEqual([]);
    await session.close();
    const bigger = { ...settings, models: { windows: { "claude-sonnet-4-5": 200_000 } } };
    const again = await set.open({ settings: bigger }, session.id);
    await again.send("another two");
    const request = JSON.stringify(set.bodies().at(-1)?.messages);
    expect(request).toContain("blah blah");
    expect(request).not.toContain("All is well so far.");
  });

  it("a call that comes again is still answered from the record", async () => {
    const write = { calls: [{ id: "w", name: "append_file", input: { path: "a.txt", content: "once\n" } }] };
    const set = await talking([write, talk(6_000), write, { text: "ok" }]);
    const session = await set.open();
    await session.send("one");
    await session.send("two");
    expect(entriesOf(session, "compaction")).toHaveLength(1);
    expect(readFileSync(join(set.root, "a.txt"), "utf8")).toBe("once\n");
    expect(JSON.stringify(set.bodies().at(-1)?.messages)).toContain("tool_result");
  });

  it("date, mode and the like are delivered once, by the new block (D 70)", async () => {
    const clock = { ...fixedClock(Date.UTC(2026, 10, 21, 12)) };
    const set = await talking([talk(6_000), talk(10), talk(10), talk(10)]);
    const session = await set.open({ clock });
    await session.send("one");
    await session.close();
    const next = await set.open({ clock: fixedClock(Date.UTC(2026, 10, 22, 12)) }, session.id);
    await next.send("two");
    await next.send("three");
    await next.close();
    const third = await set.open({ clock: fixedClock(Date.UTC(2026, 10, 22, 12)) }, session.id);
    await third.send("four");
    const [, asking, two, three, four] = set.bodies();
    expect(JSON.stringify(asking?.messages)).toContain("2026-11-22");
    expect(two?.system[1]?.text).toContain("Date: 2026-11-22");
    for (const body of [two, three, four]) expect(JSON.stringify(body?.messages)).not.toContain("2026-11-22");
    expect(new Set([two, three, four].map((body) => JSON.stringify(body?.system))).size).toBe(1);
  });

  it("there are two system blocks, the mark on the first, and no request has a word of ours between them (D 69, 71)", async () => {
    const set = await talking([talk(6_000), talk(10)]);
    const session = await set.open();
    for (const text of ["one", "two", "three"]) await session.send(text);
    const [stable] = set.bodies().map(({ system }) => system[0]?.text);
    for (const { system } of set.bodies()) {
      expect(system).toHaveLength(2);
      expect(system.map(({ cache_control }) => cache_control !== undefined)).toEqual([true, false]);
      expect(system[0]?.text).toBe(stable);
    }
  });
});

describe("on the wire", () => {
  it.each(protocols)(
    "$name takes every request of a session that was compacted twice",
    async ({ name, id, start, env }) => {
      const look = (call: string, tokens: number): WireReply => ({
        calls: [{ id: call, name: "list_files", input: { path: "." } }],
        ...talk(tokens),
      });
      const server = await start([
        look("a", 5_500),
        look("b", 750),
        summary,
        look("c", 6_500),
        summary,
        { text: "done" },
      ]);
      onTestFinished(() => server.close());
      const root = tempDir();
      const windows = { [id]: { window: 10_000, maxOutput: 1_000 } };
      const given = { ...settings, models: { windows } };
      const harness = createHarness({
        cwd: root,
        home: join(root, ".home"),
        model: id,
        env: env(server),
        settings: given,
      });
      onTestFinished(() => harness.close());
      const session = await harness.open();
      expect(await session.send("Look around.")).toMatchObject({ subtype: "success", result: "done" });
      expect(entriesOf(session, "compaction")).toHaveLength(2);
      expect(server.requests).toHaveLength(6);
      for (const { body } of server.requests) expect(requestFaults(name, body)).toEqual([]);
      for (const { body } of server.requests) expect(body).toContain("Look around.");
      expect(server.requests[3]?.body).toContain("blah blah");
    },
  );
});

describe("over a long time", () => {
  it("a run of many calls compacts several times, never spins, and stays within the window", async () => {
    const turns = 60;
    const set = await talking((n) =>
      n < turns
        ? { calls: [{ id: `c${n}`, name: "read_file", input: { path: `f${n % 7}.txt` } }], ...talk(80, "thinking") }
        : { text: "all read" },
    );
    for (let i = 0; i < 7; i++) writeFileSync(join(set.root, `f${i}.txt`), `line of file ${i}\n`.repeat(40 * (i + 1)));
    const session = await set.open();
    const result = await session.send("Read them all, and mind the semicolons.");
    expect(result).toMatchObject({ subtype: "success", result: "all read" });
    const bodies = set.bodies();
    const asked = bodies.filter(asksForSummary).length;
    const compactions = entriesOf(session, "compaction").length;
    expect(compactions).toBeGreaterThan(3);
    expect(asked).toBe(compactions);
    expect(bodies).toHaveLength(turns + 1 + asked);
    expect(asked).toBeLessThan(turns / 3);
    for (const body of bodies) expect(size(body)).toBeLessThan(window);
    for (const body of bodies) expect(JSON.stringify(body)).toContain("mind the semicolons");
    expect(resultText(bodies.at(-1), `c${turns - 1}`)).toContain("line of file");
    await session.close();
    const causes = of(set.events, "cache.break").map(({ cause }) => cause);
    expect(causes).toEqual(Array(compactions).fill("compaction"));
  });

  it("with a head that alone fills the window nothing is compacted over and over", async () => {
    const set = await talking(() => talk(30));
    const session = await set.open({ appendSystemPrompt: "rule ".repeat(5_500) });
    for (let i = 0; i < 20; i++) await session.send(`question ${i}`);
    const asked = set.bodies().filter(asksForSummary).length;
    expect(asked).toBeLessThanOrEqual(2);
  });
});
