// What one request owes the one before: the same prefix inside a run, across runs, across a resume and after a crash.
// What may be put in between is steering.test, requests that fail are provider-faults.test.

import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createHarness, type Event } from "../../src/index.js";
import { fixedClock } from "../../src/lib/fixed.js";
import { readSession } from "../../src/session/index.js";
import { tempDir } from "../support/run.js";
import { logFile } from "../support/session-log.js";
import { type Body, blocks, list, resultText, type Stage, say, stage } from "../support/stage.js";
import { requestFaults } from "../support/wire/faults.js";

function expectExtends(before: Body, after: Body): void {
  expect(JSON.stringify(after.tools)).toBe(JSON.stringify(before.tools));
  expect(after.system.map((block) => block.text)).toEqual(before.system.map((block) => block.text));
  expect(blocks(after).slice(0, blocks(before).length)).toEqual(blocks(before));
}

function expectChain(bodies: readonly Body[]): void {
  for (const [i, body] of bodies.entries()) if (i > 0) expectExtends(bodies[i - 1] as Body, body);
}

/** Properties 15 and 16: a provider takes every request, and every call has one result and one outcome. */
function expectPaired({ server, home }: Stage): void {
  if (server.requests.length === 0) return;
  for (const { body } of server.requests) expect(requestFaults("anthropic", body)).toEqual([]);
  const entries = [...readSession(logFile(home))].flatMap(({ entry }) => entry ?? []);
  const parts = entries.flatMap((entry) => (entry.type === "message" ? entry.data.parts : []));
  const asked = parts.flatMap((part) => (part.type === "call" ? part.id : [])).sort();
  expect(new Set(asked).size).toBe(asked.length);
  expect(parts.flatMap((part) => (part.type === "result" ? part.callId : [])).sort()).toEqual(asked);
  expect(entries.flatMap((entry) => (entry.type === "outcome" ? entry.data.call : [])).sort()).toEqual(asked);
}

const breaks = (events: readonly Event[]) => events.filter((event) => event.type === "cache.break");

describe("the prefix", () => {
  it("only grows, through calls, follow-ups and a resume", async () => {
    const set = await stage([list("a"), say("one"), list("b"), say("two"), list("c"), say("three")]);
    const session = await set.open();
    await session.send("first");
    await session.send("second");
    await session.close();
    const again = await set.open({}, true);
    expect(again.id).toBe(session.id);
    await again.send("third");
    expect(set.bodies()).toHaveLength(6);
    expectChain(set.bodies());
    await again.close();
    expect(breaks(set.events)).toEqual([]);
  });

  it("has two system blocks, the mark on the first, and at most four marks in all", async () => {
    const many = {
      calls: Array.from({ length: 30 }, (_, i) => ({ id: `c${i}`, name: "list_files", input: { path: "." } })),
    };
    const set = await stage([list("a"), many, say("ok")]);
    await (await set.open()).send("go");
    for (const body of set.bodies()) {
      expect(body.system).toHaveLength(2);
      expect(body.system[0]?.cache_control).toEqual({ type: "ephemeral" });
      expect(body.system[1]?.cache_control).toBeUndefined();
      const marked = body.messages.flatMap((message) => message.content).filter((block) => block.cache_control);
      expect(marked.length).toBeGreaterThanOrEqual(1);
      expect(marked.length).toBeLessThanOrEqual(3);
      expect(body.messages.at(-1)?.content.at(-1)?.cache_control).toEqual({ type: "ephemeral" });
    }
  });

  it("gets what changed between two runs appended, once", async () => {
    const set = await stage([say("one"), say("two"), say("three")]);
    const clock = fixedClock(Date.UTC(2026, 10, 21, 12));
    const session = await set.open({ clock });
    await session.send("first");
    await session.close();
    const later = fixedClock(Date.UTC(2026, 10, 22, 12));
    const again = await set.open({ clock: later, settings: { permissions: { mode: "acceptEdits" } } }, session.id);
    await again.send("second");
    await again.send("third");
    const [, second, third] = set.bodies();
    expectChain(set.bodies());
    expect(JSON.stringify(second?.messages)).toContain("2026-11-22");
    expect(JSON.stringify(second?.messages)).toContain("nobody can give in this run");
    expect(JSON.stringify(third).split("2026-11-22")).toHaveLength(2);
    await again.close();
    expect(breaks(set.events)).toEqual([]);
  });

  it("says so, with the cause, when another model takes over", async () => {
    const set = await stage([{ thinking: { text: "hm", signature: "sig" }, text: "one" }, say("two")]);
    const session = await set.open();
    await session.send("first");
    await session.close();
    const other = await set.open({ model: "anthropic/claude-opus-4-1" }, session.id);
    await other.send("second");
    await other.close();
    expect(breaks(set.events)).toEqual([expect.objectContaining({ type: "cache.break", cause: "model" })]);
    expect(JSON.stringify(set.bodies()[1])).not.toContain("hm");
  });

  it("goes on with the session's own model when none is named, and says when the project is another one", async () => {
    const set = await stage([say("one"), say("two")]);
    const session = await set.open({ model: "anthropic/claude-opus-4-1" });
    await session.send("first");
    await session.close();
    const elsewhere = tempDir();
    const harness = createHarness({
      cwd: elsewhere,
      home: set.home,
      env: { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: set.server.url },
    });
    const again = await harness.open({ resume: session.id });
    expect(again.init.model).toBe("anthropic/claude-opus-4-1");
    expect(again.init.notices.join()).toContain(`This session worked in ${set.root}; it goes on in ${elsewhere}.`);
    await again.send("second");
    await harness.close();
    expectChain(set.bodies());
  });

  it("replays thinking with its signature to the model that signed it", async () => {
    const set = await stage([{ thinking: { text: "hm", signature: "sig" }, ...list("a") }, say("ok")]);
    await (await set.open()).send("go");
    expect(JSON.stringify(set.bodies()[1]?.messages[1])).toContain('"signature":"sig"');
  });

  it("survives random sessions", { timeout: 60_000 }, async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant("say"), text: fc.string({ minLength: 1, maxLength: 40 }) }),
      fc.record({ kind: fc.constant("write"), text: fc.string({ maxLength: 40 }) }),
      fc.record({ kind: fc.constant("resume"), text: fc.constant("") }),
      fc.record({ kind: fc.constant("steer"), text: fc.string({ minLength: 1, maxLength: 20 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
        let turn = 0;
        const live = await stage((_request, index) => {
          turn = index;
          return index % 3 === 0
            ? {
                text: "thinking aloud",
                calls: [{ id: `c${index}`, name: "append_file", input: { path: "f.txt", content: `${index}\n` } }],
              }
            : index % 3 === 1
              ? {
                  calls: [
                    { id: "", name: "read_file", input: { path: "f.txt" } },
                    { id: `x${index}`, name: "nope", input: {} },
                  ],
                }
              : { text: `answer ${index}` };
        });
        let session = await live.open();
        for (const { kind, text } of steps) {
          if (kind === "resume") {
            await session.close();
            session = await live.open({}, true).catch(() => live.open());
            continue;
          }
          if (kind === "steer" && text.trim() !== "") session.steer(text, "now");
          await session.send(`${kind} ${text} ${turn}`);
        }
        await session.close();
        expectChain(live.bodies());
        expect(breaks(live.events)).toEqual([]);
        expectPaired(live);
        await live.server.close();
      }),
      { numRuns: 8 },
    );
  });
});

describe("after a crash", () => {
  it("E 123, 124: tells of each open call what is known, and repeats nothing", async () => {
    const set = await stage([
      {
        calls: [
          { id: "ran", name: "append_file", input: { path: "a.txt", content: "x\n" } },
          { id: "next", name: "list_files", input: {} },
        ],
      },
      say("ok"),
      say("two"),
    ]);
    const session = await set.open();
    await session.send("go");
    await session.close();
    // As if the process had died after the intent: everything from the outcome on is gone.
    const file = logFile(set.home);
    const lines = readFileSync(file, "utf8").split("\n");
    const cut = lines.findIndex((line) => line.includes('"type":"outcome"'));
    writeFileSync(file, `${lines.slice(0, cut).join("\n")}\n`);
    writeFileSync(join(set.root, "a.txt"), "untouched\n");
    const again = await set.open({}, true);
    await again.send("go on");
    const body = set.bodies().at(-1) as Body;
    expect(resultText(body, "ran")).toMatch(
      /a\.txt is neither as before nor as this call would have left it.*from there\.$/,
    );
    expect(resultText(body, "next")).toContain("Not run");
    expect(readFileSync(join(set.root, "a.txt"), "utf8")).toBe("untouched\n");
    expectExtends(set.bodies()[0] as Body, body);
  });

  it("goes on after a torn tail, and says what it found", async () => {
    const set = await stage([say("one"), say("two")]);
    const session = await set.open();
    await session.send("first");
    await session.close();
    appendFileSync(logFile(set.home), '{"v":1,"seq":99,"id":"half');
    const again = await set.open({}, true);
    expect(again.init.notices.join()).toMatch(/torn|cut|incomplete|unfinished/i);
    await again.send("second");
    expectChain(set.bodies());
    expect(readFileSync(logFile(set.home), "utf8")).not.toContain('"half');
  });

  it("begins anew when nothing is before the damage, and says so", async () => {
    const set = await stage([say("one"), say("two")]);
    const session = await set.open();
    await session.send("first");
    await session.close();
    const lines = readFileSync(logFile(set.home), "utf8").split("\n");
    writeFileSync(logFile(set.home), ["damaged", ...lines.slice(1)].join("\n"));
    const again = await set.open({}, true);
    expect(again.init.notices.join("\n")).toContain(
      "The conversation begins anew: nothing of it is before the damage.",
    );
    await again.send("second");
    expect(set.bodies()[1]?.messages).toHaveLength(1);
  });

  it("knows on a resume which files the model has seen", async () => {
    const set = await stage([
      { calls: [{ id: "r", name: "read_file", input: { path: "a.txt" } }] },
      say("seen"),
      { calls: [{ id: "e", name: "edit_file", input: { path: "a.txt", old_string: "one", new_string: "two" } }] },
      say("ok"),
    ]);
    writeFileSync(join(set.root, "a.txt"), "one\n");
    const session = await set.open();
    await session.send("read");
    await session.close();
    await (await set.open({}, true)).send("edit");
    expect(readFileSync(join(set.root, "a.txt"), "utf8")).toBe("two\n");
  });
});
