// A reply that is cut in the middle of a file: what arrived in whole lines is kept where it creates or extends a file,
// nothing else of it ever runs, and the model is told where to go on.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fixedClock } from "../../src/lib/fixed.js";
import { lines } from "../support/lines.js";
import { type Body, resultText, type Stage, stage } from "../support/stage.js";
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
    const path = /(\/[^\n]+\.txt)\.\]/.exec(resultText(exists.bodies()[1], "w"))?.[1] ?? "";
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

describe("the kept beginning of a text that was cut", () => {
  const cutCall: WireReply = {
    calls: [{ id: "w", name: "write_file", raw: cutAt(args("a.js", lines(1, 50)), "const line31") }],
    stop: "length",
  };
  const remove: WireReply = { calls: [{ id: "d", name: "delete_file", input: { path: "a.js" } }] };
  const rest: WireReply = {
    calls: [{ id: "r", name: "append_file", input: { path: "a.js", content: lines(31, 50) } }],
  };
  const look: WireReply = { calls: [{ id: "l", name: "list_files", input: { path: "." } }] };
  const done: WireReply = { text: "done" };

  /** Plays a script over a file of 80 lines; `ref` is the one that the refusal of `w` names. */
  async function play(steps: (WireReply | ((ref: string) => WireReply))[]) {
    const bodies: () => Body[] = () => s.bodies();
    let turn = 0;
    const s: Stage = await stage(() => {
      const step = steps[turn++] ?? done;
      return typeof step === "function" ? step(refIn(bodies())) : step;
    });
    const file = join(s.root, "a.js");
    writeFileSync(file, lines(1, 80));
    return { ...s, file, text: () => (existsSync(file) ? readFileSync(file, "utf8") : null) };
  }

  const refIn = (bodies: Body[]) => /with ref ([0-9a-f]{12})/.exec(JSON.stringify(bodies.at(-1)))?.[1] ?? "no ref";
  const byRef =
    (content?: string, id = "w2") =>
    (ref: string): WireReply => ({ calls: [{ id, name: "write_file", input: { path: "a.js", ref, content } }] });

  it("is named with its lines and how to go on, and never as a whole content", async () => {
    const s = await play([cutCall, done]);
    await (await s.open()).send("go");
    const refusal = resultText(s.bodies()[1], "w");
    expect(refusal).toMatch(
      /with ref [0-9a-f]{12} \(the 30 lines that arrived\) and, as content, the lines that follow/,
    );
    expect(refusal).not.toContain("in place of the content");
  });

  it.each([false, true])("replaces no file by itself, also after a resume (%s)", async (resumed) => {
    const s = await play(resumed ? [cutCall, done, remove, byRef(), done] : [cutCall, remove, byRef(), done]);
    let session = await s.open();
    let result = await session.send("go");
    if (resumed) {
      await session.close();
      session = await s.open({}, true);
      result = await session.send("go on");
    }
    expect(s.text()).toBe(lines(1, 80));
    expect(result.files).toEqual([]);
    const refusal = resultText(s.bodies().at(-1), "w2");
    expect(refusal).toContain("a part must not replace a whole file");
    expect(refusal).toContain('30 lines, the last one is "const line30 = 30;"');
    expect(refusal).toContain("append_file");
  });

  it("is finished by a write that gives the rest, in one step", async () => {
    const s = await play([cutCall, remove, byRef(lines(31, 50)), done]);
    const result = await (await s.open()).send("go");
    expect(s.text()).toBe(lines(1, 50));
    expect(result.files).toHaveLength(1);
    expect(resultText(s.bodies().at(-1), "w2")).toMatch(/^rewrote a\.js \(50 lines/);
  });

  it.each([
    ["a text that was cut again", [remove, cutCall]],
    ["its ref", [cutCall, remove, byRef()]],
  ])("goes on with what is appended after %s", async (_, steps) => {
    const s = await play([...steps, rest, done]);
    await (await s.open()).send("go");
    expect(s.text()).toBe(lines(1, 50));
    expect(resultText(s.bodies().at(-1), "r")).toMatch(/a\.js now has 50 lines/);
  });

  it("grows when the rest is cut as well, and still replaces nothing", async () => {
    const cutRest = (ref: string): WireReply => ({
      calls: [
        {
          id: "w2",
          name: "write_file",
          raw: cutAt(JSON.stringify({ path: "a.js", ref, content: lines(31, 50) }), "const line41"),
        },
      ],
      stop: "length",
    });
    const s = await play([cutCall, remove, cutRest, done]);
    await (await s.open()).send("go");
    expect(s.text()).toBe(lines(1, 80));
    expect(resultText(s.bodies().at(-1), "w2")).toContain("40 lines");
  });

  it("is an unfinished file where there is none any more, and the model is reminded", async () => {
    const s = await play([cutCall, remove, look, byRef(), done, done]);
    await (await s.open()).send("go");
    expect(s.text()).toBe(lines(1, 30));
    expect(resultText(s.bodies()[4], "w2")).toContain("The file is not complete");
    expect(JSON.stringify(s.bodies().at(-1))).toContain("end where your reply was cut: a.js");
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
