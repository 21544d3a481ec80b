// The second half of a rewrite fails: a deletion whose write was tried is not done without it, and the model is told.

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Fault, faultyDisk } from "../support/faulty-disk.js";
import { blocks, resultText, type Stage, stage } from "../support/stage.js";
import type { WireReply } from "../support/wire/anthropic.js";

const old = `${Array.from({ length: 30 }, (_, i) => `const line${i} = ${i};`).join("\n")}\n`;
const fresh = "fresh();\n";
const lazy = "// ... rest of the code\n";
const remove = { id: "d", name: "delete_file", input: { path: "a.js" } };
const write = (content: string, id = "w") => ({ id, name: "write_file", input: { path: "a.js", content } });
const done = { text: "done" };
const takenBack = "Its deletion was taken back: the file is as it was before.";

async function play(...script: WireReply[]): Promise<Stage> {
  const set = await stage([...script, done, done, done]);
  writeFileSync(join(set.root, "a.js"), old);
  return set;
}

function content({ root }: Stage): string | undefined {
  const path = join(root, "a.js");
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

function logText({ home }: Stage): string {
  const names = readdirSync(home, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".jsonl"));
  return names.map((name) => readFileSync(join(home, name), "utf8")).join("");
}

/** Everything the model has been sent of results and notes of the harness. */
const told = (set: Stage) => blocks(set.bodies().at(-1) ?? { system: [], messages: [], max_tokens: 0 }).join("\n");

describe("a disk that breaks after the deletion", () => {
  it.each([
    ["EIO", "one call fails", false],
    ["ENOSPC", "one call fails", false],
    ["EIO", "every call from one on fails", true],
  ] as const)(
    "%s at any call: the file is old or new and never gone: %s",
    { timeout: 120_000 },
    async (code, _, forever) => {
      // The first look at the disk after the deletion is made by the write: the model's second request marks it.
      const attempt = async (at: number) => {
        const fault: Fault = { at: 0, code, forever };
        const { disk, calls } = faultyDisk(fault);
        let from = 0;
        const set = await stage(() => {
          const turn = set.server.requests.length;
          if (turn === 2) {
            from = calls();
            fault.at = at === 0 ? 0 : from + at;
          }
          return turn === 1 ? { calls: [remove] } : turn === 2 ? { calls: [write(fresh)] } : done;
        });
        writeFileSync(join(set.root, "a.js"), old);
        const session = await set.open({ fs: disk });
        const ended = await session.send("go").then(
          ({ subtype }) => subtype,
          () => "failed",
        );
        const count = calls() - from;
        fault.at = 0;
        await session.close();
        return { set, ended, count };
      };
      const whole = await attempt(0);
      expect([whole.ended, content(whole.set)]).toEqual(["success", fresh]);
      const found = new Set<string | undefined>();
      for (let at = 1; at <= whole.count; at++) {
        const { set, ended } = await attempt(at);
        const is = content(set);
        expect([old, fresh], `call ${at}`).toContain(is);
        // Nor does a later session on the same log do it, unless it never heard of the write.
        const heard = ended === "success" || logText(set).includes('"data":{"call":"w","tool"');
        const again = await set.open({}, true);
        await again.send("go on");
        await again.close();
        if (heard) expect(content(set), `call ${at}, resumed`).toBe(is);
        if (ended === "success" && is === old) expect(told(set), `call ${at}`).toContain(takenBack);
        found.add(is);
      }
      expect(found).toEqual(new Set([old, fresh]));
    },
  );
});

describe("a write that does not come about", () => {
  it("because its content was refused: the deletion waits for the next one", async () => {
    const set = await play({ calls: [remove, write(lazy)] }, { calls: [write(fresh, "w2")] });
    await (await set.open()).send("go");
    expect(resultText(set.bodies()[1], "w")).toContain("would stand for 30 lines");
    expect(resultText(set.bodies().at(-1), "w2")).toContain("rewrote a.js");
    expect(content(set)).toBe(fresh);
  });

  it("and is given up: the file stays, in this session and in the next, and the model is told", async () => {
    const set = await play({ calls: [remove, write(lazy)] });
    const session = await set.open();
    const result = await session.send("go");
    expect([content(set), result.files]).toEqual([old, []]);
    expect(set.events).toContainEqual(expect.objectContaining({ type: "notice", code: "not-deleted" }));
    await session.send("more");
    expect(told(set)).toContain(`a.js was not written anew. ${takenBack}`);
    await session.close();
    await (await set.open({}, true)).send("go on");
    expect(content(set)).toBe(old);
  });

  it("and something else looks at the file: it is there, and that is said", async () => {
    const look = { id: "l", name: "run_command", input: { command: "wc -l a.js" } };
    const set = await play({ calls: [remove, write(lazy)] }, { calls: [look] });
    await (await set.open()).send("go");
    expect(resultText(set.bodies().at(-1), "l")).toContain("30 a.js");
    expect(resultText(set.bodies().at(-1), "l")).toContain(`a.js was not written anew. ${takenBack}`);
    expect(content(set)).toBe(old);
  });

  it("because the user says no to it", async () => {
    const set = await play({ calls: [remove, write(fresh)] });
    const ask = async ({ tool }: { tool: string }) => ({ decision: tool === "write_file" ? "deny" : "allow" }) as const;
    const session = await set.open({ settings: {}, ask });
    await session.send("go");
    expect(content(set)).toBe(old);
    await session.send("more");
    expect(told(set)).toContain(takenBack);
  });

  it("because nothing is kept under its ref, or its text did not come", async () => {
    const byRef = { id: "w", name: "write_file", input: { path: "a.js", ref: "0123456789ab" } };
    const bare = { id: "w", name: "write_file", input: { path: "a.js" } };
    for (const [call, ...replies] of [[byRef], [bare, { text: " " }]] as const) {
      const set = await play({ calls: [remove, call] }, ...replies);
      const settings = { permissions: { mode: "auto" }, files: { twoStage: true } } as const;
      await (await set.open({ settings })).send("go");
      expect(resultText(set.bodies().at(-1), "w")).toMatch(/Nothing is kept|sent none/);
      expect(content(set)).toBe(old);
    }
  });

  it("and the deletion is asked for once more: then it is done", async () => {
    const set = await play({ calls: [remove, write(lazy)] }, { calls: [{ ...remove, id: "d2" }] });
    const result = await (await set.open()).send("go");
    expect(content(set)).toBeUndefined();
    expect(result.files).toMatchObject([{ before: expect.any(String), after: null }]);
    expect(readdirSync(set.root)).toEqual([".git"]);
  });
});
