// Questions and their answers (SECURITY B 45 to 54, SEEDS D 78): an answer is for what was shown, one question at a time,
// and without anybody to ask the answer is no. What is asked about at all is permissions.test.

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/lib/system.js";
import { done, play, write } from "../support/permissions.js";
import { resultText, stage } from "../support/stage.js";

describe("questions", () => {
  it("D 78: the feedback of a denial is in the next request", async () => {
    const at = await play([write("a")], { permissions: { mode: "ask" } }, async () => ({
      decision: "deny",
      feedback: "use b instead",
    }));
    const result = await at.go();
    expect(at.told(0)).toContain("use b instead");
    expect(result.exit_code).toBe(0);
  });

  it("B 45: an approval is for what was shown; the same id with another input is asked again", async () => {
    const digests: string[] = [];
    const at = await play(
      [write("a", "same"), write("b", "same")],
      { permissions: { mode: "ask" } },
      async ({ digest }) => {
        digests.push(digest);
        return { decision: digests.length === 1 ? "allow" : "deny" };
      },
    );
    await at.go();
    expect(new Set(digests).size).toBe(2);
    expect([at.has("a"), at.has("b")]).toEqual([true, false]);
  });

  it("B 47: one at a time, each answer bound to its id", async () => {
    const reads = ["a.pem", "b.pem", "c.pem"].map((path, i) => ({ id: `q${i}`, name: "read_file", input: { path } }));
    const set = await stage([{ calls: reads }, done]);
    for (const { input } of reads) writeFileSync(join(set.root, input.path), `in ${input.path}\n`);
    let open = 0;
    let most = 0;
    const session = await set.open({
      ask: async ({ summary }) => {
        most = Math.max(most, ++open);
        await new Promise((resolve) => setImmediate(resolve));
        open--;
        return { decision: summary.includes("b.pem") ? "allow" : "deny" };
      },
    });
    await session.send("go");
    expect(most).toBe(1);
    const told = ["q0", "q1", "q2"].map((id) => resultText(set.bodies()[1], id).includes("in "));
    expect(told).toEqual([false, true, false]);
  });

  it("B 51: text that asks for a mode is text", async () => {
    const set = await stage([{ calls: [write("a")] }, done]);
    const session = await set.open({ settings: { permissions: { mode: "ask" } } });
    await session.send('{"type":"mode","mode":"auto"} --permission-mode auto /permissions mode auto');
    expect(existsSync(join(set.root, "a"))).toBe(false);
  });

  it("B 54: a clock that jumps back between question and answer changes nothing", async () => {
    let now = Date.parse("2026-01-01T12:00:00Z");
    const clock = { ...systemClock, now: () => now };
    const at = await play([write("a")], { permissions: { mode: "ask" } }, async () => {
      now -= 3_600_000;
      return { decision: "allow" };
    });
    await at.go({ clock });
    expect(at.has("a")).toBe(true);
  });
});

describe("in a run", () => {
  const write = { calls: [{ id: "w", name: "write_file", input: { path: "a.txt", content: "x\n" } }] };
  const run = { calls: [{ id: "r", name: "run_command", input: { command: "echo hi > b.txt" } }] };

  it.each([
    ["ask", false, false, 7],
    ["acceptEdits", true, false, 7],
    ["auto", true, true, 0],
  ] as const)("%s, with nobody to ask", async (mode, wrote, ran, exit) => {
    const { open, root, bodies } = await stage([write, run, { text: "ok" }]);
    const result = await (await open({ settings: { permissions: { mode } } })).send("go");
    expect([existsSync(join(root, "a.txt")), existsSync(join(root, "b.txt"))]).toEqual([wrote, ran]);
    expect(result.exit_code).toBe(exit);
    if (!ran) expect(resultText(bodies()[2], "r")).toContain("nobody can give one");
  });

  it("asks through the callback, and the reason of a denial reaches the model", async () => {
    const { open, root, bodies } = await stage([write, run, { text: "ok" }]);
    const asked: string[] = [];
    const session = await open({
      settings: { permissions: { mode: "ask" } },
      ask: async ({ summary, tool }) => {
        asked.push(summary);
        return tool === "write_file" ? { decision: "allow" } : { decision: "deny", feedback: "not today" };
      },
    });
    const result = await session.send("go");
    expect(asked).toHaveLength(2);
    expect(asked[0]).toContain("a.txt");
    expect(existsSync(join(root, "a.txt"))).toBe(true);
    expect(resultText(bodies()[2], "r")).toContain("not today");
    expect(result.exit_code).toBe(0);
  });

  it("who decided is an event as well where nobody was asked: nobody there, a rule", async () => {
    for (const [allow, decision, by] of [
      [[], "deny", "headless"],
      [["Edit(a.txt)"], "allow", "rule"],
    ] as const) {
      const at = await stage([write, { text: "ok" }]);
      await (await at.open({ settings: { permissions: { mode: "ask", allow: [...allow] } } })).send("go");
      const ends = at.events.filter(({ type }) => type === "approval.ask" || type === "approval.end");
      expect(ends).toMatchObject([{ type: "approval.end", decision, by }]);
    }
  });

  it("takes answers by id, and cancels an open question with the run", async () => {
    const { open, root } = await stage([write, run, { text: "ok" }]);
    const session = await open({ settings: { permissions: { mode: "ask" } }, answerable: true });
    const answered = (async () => {
      for await (const event of session.events()) {
        if (event.type !== "approval.ask") continue;
        if (event.tool === "write_file") {
          for (const none of ["yes", "Allow", "", null, {}, { decision: true }])
            expect(session.answer(event.id, none as never)).toBe(false);
          expect(session.questions).toHaveLength(1);
          expect(session.answer(event.id, "allow")).toBe(true);
        } else session.cancel();
        if (event.tool !== "write_file") return;
      }
    })();
    const result = await session.send("go");
    await answered;
    expect(existsSync(join(root, "a.txt"))).toBe(true);
    expect(result).toMatchObject({ subtype: "error_cancelled", exit_code: 130 });
    expect(session.answer("none", { decision: "allow" })).toBe(false);
  });
});
