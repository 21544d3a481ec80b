// Rewriting a file as a whole: the refused content is kept, the deletion waits for the write, and both are one step.

import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Entry } from "../../src/core/entry.js";
import { type Fault, faultyDisk } from "../support/faulty-disk.js";
import { resultText, type Stage, stage } from "../support/stage.js";
import { undo } from "../support/undo.js";
import type { WireReply } from "../support/wire/anthropic.js";

const old = `${Array.from({ length: 30 }, (_, i) => `line ${i}`).join("\n")}\n`;
const fresh = "fresh\n";
const write = { id: "w", name: "write_file", input: { path: "a.txt", content: fresh } };
const remove = { id: "d", name: "delete_file", input: { path: "a.txt" } };
const done = { text: "done" };

/** Plays a script in which the text of earlier results can be looked up. */
async function play(steps: (WireReply | ((set: Stage) => WireReply))[]): Promise<Stage> {
  let turn = 0;
  const set: Stage = await stage(() => {
    const step = steps[turn++] ?? done;
    return typeof step === "function" ? step(set) : step;
  });
  writeFileSync(join(set.root, "a.txt"), old);
  return set;
}

function refOf(set: Stage): string {
  return /with ref ([0-9a-f]{12})/.exec(resultText(set.bodies().at(-1), "w"))?.[1] ?? "";
}

const byRef = (set: Stage): WireReply => ({
  calls: [{ id: "w2", name: "write_file", input: { path: "a.txt", ref: refOf(set) } }],
});

describe("a rewrite", () => {
  it("lands the refused content under its ref, keeps mode and owner, and is one change with one pre-image", async () => {
    const set = await play([{ calls: [write] }, { calls: [remove] }, byRef]);
    chmodSync(join(set.root, "a.txt"), 0o751);
    const before = statSync(join(set.root, "a.txt"));
    const session = await set.open();
    const result = await session.send("go");
    const refusal = resultText(set.bodies()[1], "w");
    expect(refusal).toMatch(/edit_file; or .*append_file; or .*delete_file, then write_file with ref [0-9a-f]{12}/);
    expect(resultText(set.bodies().at(-1), "w2")).toMatch(/^rewrote a\.txt \(1 line, 6 bytes\)/);
    expect(readFileSync(join(set.root, "a.txt"), "utf8")).toBe(fresh);
    const after = statSync(join(set.root, "a.txt"));
    expect([after.mode, after.uid, after.gid]).toEqual([before.mode, before.uid, before.gid]);
    expect(result.files).toMatchObject([{ before: expect.stringMatching(/^\w{64}$/), after: expect.any(String) }]);
    const log = logOf(set).filter((entry) => entry.type === "checkpoint");
    expect(log.map((entry) => entry.data.call)).toEqual(["w2"]);
  });

  it("works with the content sent again, and with both calls in one message", async () => {
    const set = await play([{ calls: [remove, { ...write, id: "w2" }] }]);
    await (await set.open()).send("go");
    expect(resultText(set.bodies().at(-1), "w2")).toContain("rewrote a.txt");
    expect(readFileSync(join(set.root, "a.txt"), "utf8")).toBe(fresh);
  });

  it("can be undone as one, bytes and mode, and the undo as well", async () => {
    const set = await play([{ calls: [write] }, { calls: [remove] }, byRef]);
    const path = join(set.root, "a.txt");
    chmodSync(path, 0o751);
    const session = await set.open();
    await session.send("go");
    await session.close();
    expect(readFileSync(path, "utf8")).toBe(fresh);
    const { items, conflicts } = await undo(set);
    expect([conflicts, items.map((item) => item.path)]).toEqual([[], [path]]);
    expect([readFileSync(path, "utf8"), statSync(path).mode & 0o777]).toEqual([old, 0o751]);
    await undo(set);
    expect([readFileSync(path, "utf8"), statSync(path).mode & 0o777]).toEqual([fresh, 0o751]);
  });

  it.each([
    ["one call fails", false],
    ["every call from one on fails", true],
  ])("leaves old or new when the disk breaks anywhere on the way: %s", { timeout: 120_000 }, async (_, forever) => {
    const whole = await broken({ at: 0, code: "EIO" });
    expect([whole.text, whole.first]).toEqual([fresh, expect.any(Number)]);
    const found = new Set<string>();
    for (let at = whole.first + 1; at <= whole.calls; at++) {
      const { text, failed, leftovers } = await broken({ at, code: "EIO", forever });
      expect([old, fresh], `call ${at}, ${failed}`).toContain(text);
      if (!forever) expect(leftovers, `call ${at}, ${failed}`).toEqual([]);
      found.add(text ?? "");
    }
    expect(found).toEqual(new Set([old, fresh]));
  });
});

describe("a deletion that no write follows", () => {
  it("is done at the end of the run and stands in its result", async () => {
    const set = await play([{ calls: [remove] }]);
    const result = await (await set.open()).send("go");
    expect(existsSync(join(set.root, "a.txt"))).toBe(false);
    expect(result.files).toMatchObject([{ before: expect.any(String), after: null }]);
    expect(logOf(set).flatMap((entry) => (entry.type === "checkpoint" ? [entry.data.call] : []))).toEqual(["d"]);
  });

  it("is done before any command, search, listing or read could notice", async () => {
    const looks = [
      { name: "run_command", input: { command: "ls a.txt" }, says: "No such file" },
      { name: "search_text", input: { pattern: "line" }, says: "(no matches)" },
      { name: "list_files", input: {}, says: "" },
      { name: "read_file", input: { path: "a.txt" }, says: "does not exist" },
      { name: "edit_file", input: { path: "a.txt", old_string: "line 1", new_string: "x" }, says: "does not exist" },
      { name: "write_file", input: { path: "a.txt/b.txt", content: "x\n" }, says: "created a.txt/b.txt" },
    ];
    for (const { says, ...call } of looks) {
      const set = await play([{ calls: [remove] }, { calls: [{ id: "l", ...call }] }]);
      const result = await (await set.open()).send("go");
      const text = resultText(set.bodies().at(-1), "l");
      expect(text).toContain(says);
      if (call.name === "list_files") expect(text).not.toContain("a.txt");
      expect(result.files.find(({ path }) => path.endsWith("a.txt"))).toMatchObject({ after: null });
    }
  });

  it("does not happen when somebody changed the file meanwhile", async () => {
    const set = await play([
      { calls: [remove] },
      (set) => {
        writeFileSync(join(set.root, "a.txt"), "theirs\n");
        return { calls: [{ ...write, id: "w2" }] };
      },
    ]);
    await (await set.open()).send("go");
    expect(readFileSync(join(set.root, "a.txt"), "utf8")).toBe("theirs\n");
    expect(resultText(set.bodies().at(-1), "w2")).toContain("exists already with other content");
  });
});

describe("over a crash and a resume", () => {
  it("a ref still stands for its content", async () => {
    const set = await play([{ calls: [write] }, done, { calls: [remove] }, byRef]);
    const session = await set.open();
    await session.send("go");
    const ref = refOf(set);
    await session.close();
    expect(ref).toMatch(/^\w{12}$/);
    await (await set.open({}, true)).send("go on");
    expect(readFileSync(join(set.root, "a.txt"), "utf8")).toBe(fresh);
  });

  it("a cut text is still the beginning that an append goes on with, and never the file", async () => {
    const cut = { ...write, id: "w2", raw: '{"path":"a.txt","content":"one\\ntwo\\nthr' };
    const rest = { id: "r", name: "append_file", input: { path: "a.txt", content: "three\n" } };
    const set = await play([{ calls: [remove] }, { calls: [cut], stop: "length" }, done, { calls: [rest] }]);
    const session = await set.open();
    await session.send("go");
    await session.close();
    // As a killed process leaves it: the deletion was neither done nor taken back.
    cutLog(set, (entry) => entry.type === "outcome" && entry.data.call === "w2");
    expect(readFileSync(join(set.root, "a.txt"), "utf8")).toBe(old);
    await (await set.open({}, true)).send("go on");
    expect(readFileSync(join(set.root, "a.txt"), "utf8")).toBe("one\ntwo\nthree\n");
  });

  it("what was held back when the process died is old or new, and the model's view of it holds", async () => {
    const set = await play([{ calls: [remove] }, done, { calls: [{ ...write, id: "w2" }] }]);
    const session = await set.open();
    await session.send("go");
    await session.close();
    // The same log as if the process had been killed before the end of the run: the file is still there.
    cutLog(set, (entry) => entry.type === "outcome" && entry.data.files.some((file) => file.held === true));
    writeFileSync(join(set.root, "a.txt"), old);
    await (await set.open({}, true)).send("go on");
    expect(readFileSync(join(set.root, "a.txt"), "utf8")).toBe(fresh);
    expect(resultText(set.bodies().at(-1), "w2")).toContain("rewrote a.txt");
  });
});

it("deleting twice leaves the file in place until it is written anew", async () => {
  const set = await play([
    { calls: [{ ...remove, id: "d1" }] },
    { calls: [{ ...remove, id: "d2" }] },
    { calls: [{ ...write, id: "w2" }] },
  ]);
  await (await set.open()).send("go");
  const body = set.bodies().at(-1);
  expect(resultText(body, "d2")).toContain("is deleted already");
  expect(resultText(body, "w2")).toContain("rewrote a.txt");
});

it("an unknown ref, both members or none are refused with what to do", async () => {
  const set = await play([
    {
      calls: [
        { id: "n", name: "write_file", input: { path: "b.txt", ref: "0123456789ab" } },
        { id: "b", name: "write_file", input: { path: "b.txt", ref: "0123456789ab", content: "x\n" } },
        { id: "o", name: "write_file", input: { path: "b.txt" } },
      ],
    },
  ]);
  await (await set.open()).send("go");
  const body = set.bodies().at(-1);
  expect(resultText(body, "n")).toContain('Nothing is kept under ref "0123456789ab"');
  for (const id of ["b", "o"]) expect(resultText(body, id)).toContain("give content or ref");
  expect(existsSync(join(set.root, "b.txt"))).toBe(false);
});

/** A rewrite by ref on a disk with a fault. `first`: calls before the first request, which cannot touch the file. */
async function broken(fault: Fault) {
  // As a model would: without a ref the content is sent again, and a write that failed is made once more.
  const again = (set: Stage) => (refOf(set) ? byRef(set) : { calls: [{ ...write, id: "w2" }] });
  const onceMore = (set: Stage) =>
    resultText(set.bodies().at(-1), "w2").startsWith("rewrote") ? done : { calls: [{ ...write, id: "w3" }] };
  const set = await play([{ calls: [write] }, { calls: [remove] }, again, onceMore]);
  const { disk, calls, failed } = faultyDisk(fault);
  let first = 0;
  try {
    const session = await set.open({ fs: disk });
    first = calls();
    await session.send("go");
  } catch (error) {
    // A disk that is broken for good ends the program; what matters is what it leaves.
    if (fault.at === 0) throw error;
  }
  const path = join(set.root, "a.txt");
  const text = existsSync(path) ? readFileSync(path, "utf8") : undefined;
  const leftovers = readdirSync(set.root).filter((name) => name.endsWith(".tmp"));
  const seen = { text, first, calls: calls(), failed: failed(), leftovers };
  // Whole again, so that the session can be closed.
  fault.at = 0;
  return seen;
}

function logFile(set: Stage): string {
  const project = join(set.home, "sessions", readdirSync(join(set.home, "sessions"))[0] ?? "");
  return join(project, readdirSync(project).find((name) => name.endsWith(".jsonl")) ?? "");
}

function logOf(set: Stage): Entry[] {
  const lines = readFileSync(logFile(set), "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as Entry);
}

/** Cuts the log behind the first entry that fits, and the result that was written with it. */
function cutLog(set: Stage, fits: (entry: Entry) => boolean): void {
  const lines = readFileSync(logFile(set), "utf8").trimEnd().split("\n");
  const at = lines.findIndex((line) => fits(JSON.parse(line) as Entry));
  expect(at).toBeGreaterThan(0);
  writeFileSync(logFile(set), `${lines.slice(0, at + 2).join("\n")}\n`);
}
