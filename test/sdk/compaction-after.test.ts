// Behind a compaction: a resume sends the same bytes, what was cut can be entered again, and every protocol takes every
// request. Nothing that was delivered once is delivered again.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createHarness } from "../../src/index.js";
import { fixedClock } from "../../src/lib/fixed.js";
import { settings, summary, talk, talking } from "../support/compaction.js";
import { entriesOf, of } from "../support/events.js";
import { tempDir } from "../support/run.js";
import { type Body, blocks } from "../support/stage.js";
import { requestFaults } from "../support/wire/faults.js";
import { protocols } from "../support/wire/protocols.js";
import type { WireReply } from "../support/wire/server.js";

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
