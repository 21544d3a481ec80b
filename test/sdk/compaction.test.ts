// Compaction on the public face: when it comes, what it keeps, what it costs, and that it cannot spin (D 69–71).
// Summaries that are of no use are compaction-faults.test, what comes behind a cut is compaction-after.test.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sha256 } from "../../src/lib/hash.js";
import { asksForSummary, firstText, settings, summary, talk, talking, window } from "../support/compaction.js";
import { entriesOf, of } from "../support/events.js";
import { type Body, blocks, resultText } from "../support/stage.js";

const size = (body: Body) => Math.ceil(JSON.stringify([body.tools, body.system, blocks(body)]).length / 4);

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
