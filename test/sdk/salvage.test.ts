// A reply that is cut in the middle of a file: what arrived in whole lines is kept where it creates or extends a file,
// nothing else of it ever runs, and the model is told where to go on.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fixedClock } from "../../src/lib/fixed.js";
import { lines } from "../support/lines.js";
import { resultText, stage } from "../support/stage.js";
import type { WireReply } from "../support/wire/server.js";

const args = (path: string, content: string) => JSON.stringify({ path, content });
const cutAt = (text: string, at: string) => text.slice(0, text.indexOf(at) + at.length);

describe("a reply cut by the output limit", () => {
  it("keeps whole lines of a new file, and of what extends it, and says where to go on", async () => {
    const { open, root, bodies } = await stage([
      {
        calls: [{ id: "w", name: "write_file", raw: cutAt(args("a.js", lines(1, 50)), "const line41") }],
        stop: "length",
      },
      {
        calls: [{ id: "p", name: "append_file", raw: cutAt(args("a.js", lines(41, 90)), "const line71 =") }],
        stop: "length",
      },
      { calls: [{ id: "q", name: "append_file", input: { path: "a.js", content: lines(71, 90) } }] },
      { text: "done" },
    ]);
    expect((await (await open()).send("go")).subtype).toBe("success");
    expect(readFileSync(join(root, "a.js"), "utf8")).toBe(lines(1, 90));
    expect(resultText(bodies()[1], "w")).toContain('Kept: 40 whole lines, the last one is "const line40 = 40;"');
    expect(resultText(bodies()[1], "w")).toContain("go on with the line after that one with append_file");
    expect(resultText(bodies()[2], "p")).toContain("70 lines");
    // The model sees in its own call exactly what is on disk.
    expect(JSON.stringify(bodies()[1]?.messages[1])).toContain('const line40 = 40;\\\\n"}'.replaceAll("\\\\", "\\"));
  });

  it("runs the calls before it, and nothing of a cut call of any other kind", async () => {
    const { open, root, bodies } = await stage([
      {
        calls: [
          { id: "w", name: "write_file", input: { path: "a.txt", content: "whole\n" } },
          { id: "x", name: "run_command", raw: '{"command":"touch b.txt' },
        ],
        stop: "length",
      },
      {
        calls: [{ id: "e", name: "edit_file", raw: '{"path":"a.txt","old_string":"whole\\n","new_string":"a\\nb\\n' }],
        stop: "length",
      },
      { text: "ok" },
    ]);
    await (await open()).send("go");
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("whole\n");
    expect(existsSync(join(root, "b.txt"))).toBe(false);
    expect(resultText(bodies()[1], "x")).toContain("Not run");
    expect(resultText(bodies()[2], "e")).toContain("Not run");
  });

  it("puts the text aside when it would overwrite a file, or when nobody may approve it", async () => {
    const exists = await stage([
      {
        calls: [{ id: "w", name: "write_file", raw: cutAt(args("a.js", lines(1, 50)), "const line31") }],
        stop: "length",
      },
      { text: "ok" },
    ]);
    writeFileSync(join(exists.root, "a.js"), "mine\n");
    await (await exists.open()).send("go");
    expect(readFileSync(join(exists.root, "a.js"), "utf8")).toBe("mine\n");
    const path = /(\/\S+\.txt)\.\]/.exec(resultText(exists.bodies()[1], "w"))?.[1] ?? "";
    expect(readFileSync(path, "utf8")).toBe(lines(1, 30));

    const denied = await stage([
      {
        calls: [{ id: "w", name: "write_file", raw: cutAt(args("a.js", lines(1, 50)), "const line31") }],
        stop: "length",
      },
      { text: "ok" },
    ]);
    const asked: unknown[] = [];
    const session = await denied.open({
      settings: { permissions: { mode: "ask" } },
      ask: async (question) => {
        asked.push(question);
        return { decision: "allow" };
      },
    });
    await session.send("go");
    expect(existsSync(join(denied.root, "a.js"))).toBe(false);
    expect(asked).toEqual([]);
    expect(resultText(denied.bodies()[1], "w")).toContain("What arrived, ");
  });

  it("counts as unanswered where nobody can be asked, until a call with an effect succeeds", async () => {
    const cut: WireReply = {
      calls: [{ id: "w", name: "write_file", raw: cutAt(args("a.js", lines(1, 50)), "const line31") }],
      stop: "length",
    };
    const allowed = { id: "b", name: "write_file", input: { path: "b.js", content: lines(1, 2) } };
    const settings = { permissions: { mode: "ask" as const, allow: ["Edit(/b.js)"] } };
    const end = async (script: WireReply[]) => (await (await stage(script)).open({ settings })).send("go");
    expect(await end([cut, { text: "ok" }])).toMatchObject({
      subtype: "error_denied",
      detail: expect.stringContaining("--permission-mode acceptEdits"),
    });
    expect(await end([cut, { calls: [allowed] }, { text: "ok" }])).toMatchObject({ subtype: "success" });
  });
});

describe("a cut reply and a file that exists", () => {
  const cutCall = (id: string): WireReply => ({
    calls: [{ id, name: "write_file", raw: cutAt(args("a.js", lines(1, 50)), "const line31") }],
    stop: "length",
  });
  const remove: WireReply = { calls: [{ id: "d", name: "delete_file", input: { path: "a.js" } }] };

  it("is no rewrite: the file stays whole, its deletion is taken back, the text is put aside", async () => {
    const s = await stage([remove, cutCall("w"), { text: "done" }]);
    writeFileSync(join(s.root, "a.js"), lines(1, 80));
    const result = await (await s.open()).send("go");
    expect(readFileSync(join(s.root, "a.js"), "utf8")).toBe(lines(1, 80));
    expect(result.files).toEqual([]);
    expect(resultText(s.bodies()[2], "w")).toContain("a part must not replace a whole file");
    expect(resultText(s.bodies()[2], "w")).toMatch(/What arrived, 30 whole lines, is in/);
  });

  it("may be rewritten in pieces afterwards", async () => {
    const piece = (id: string, name: string, from: number, to: number): WireReply => ({
      calls: [{ id, name, input: { path: "a.js", content: lines(from, to) } }],
    });
    const s = await stage([
      remove,
      cutCall("w"),
      piece("x", "write_file", 1, 30),
      piece("y", "append_file", 31, 50),
      { text: "done" },
    ]);
    writeFileSync(join(s.root, "a.js"), "old\n");
    await (await s.open()).send("go");
    expect(readFileSync(join(s.root, "a.js"), "utf8")).toBe(lines(1, 50));
    expect(s.bodies()).toHaveLength(5);
  });

  it("is no replacement under files.overwrite either", async () => {
    const read: WireReply = { calls: [{ id: "r", name: "read_file", input: { path: "a.js" } }] };
    const s = await stage([read, cutCall("w"), { text: "done" }]);
    writeFileSync(join(s.root, "a.js"), lines(1, 80));
    await (await s.open({ settings: { permissions: { mode: "auto" }, files: { overwrite: "seen" } } })).send("go");
    expect(readFileSync(join(s.root, "a.js"), "utf8")).toBe(lines(1, 80));
  });
});

describe("a stream that breaks inside a file", () => {
  const broken = (upTo: number): WireReply => ({
    calls: [{ id: "w", name: "write_file", raw: cutAt(args("a.js", lines(1, 60)), `const line${upTo}`) }],
    chunk: 20_000,
    cutAfter: 5,
  });

  it("keeps at least twenty whole lines and does not ask again", async () => {
    const { open, root, bodies, events } = await stage([broken(31), { text: "ok" }]);
    await (await open({ clock: fixedClock() })).send("go");
    expect(readFileSync(join(root, "a.js"), "utf8")).toBe(lines(1, 30));
    // The third asks for the rest, because the model went on as if the file were whole.
    expect(bodies()).toHaveLength(3);
    expect(JSON.stringify(bodies()[2]?.messages.at(-1))).toContain("end where your reply was cut: a.js");
    expect(events.some((event) => event.type === "turn.retry")).toBe(false);
    expect(resultText(bodies()[1], "w")).toContain("Kept: 30 whole lines");
  });

  it("asks again for less, and for anything behind another call", async () => {
    const few = await stage([broken(11), { text: "ok" }]);
    await (await few.open({ clock: fixedClock() })).send("go");
    expect(existsSync(join(few.root, "a.js"))).toBe(false);
    expect(few.events.some((event) => event.type === "turn.retry")).toBe(true);
  });
});
