// What a language server changes: renames and code actions go through the door of the files, with a diff, a question, and all or
// none. The server plays a part.

import { readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { callsInTurn, lspStage, resultsOf, scripted, withServers } from "../support/lsp.js";
import { asked, files, play } from "../support/lsp-play.js";

describe("a rename", () => {
  const rename = { name: "lsp_rename", input: { path: "a.def", symbol: "alpha", new_name: "omega" } };
  const open = { name: "lsp_hover", input: { path: "b.def", line: 1 } };

  it("changes all files through their door: diff, outcome, undo", async () => {
    const staged = await play([open, rename]);
    expect(staged.results[1]).toMatch(/^renamed in 2 files\n/);
    expect(staged.results[1]).toContain("-use alpha\n+use omega");
    expect(readFileSync(join(staged.root, "b.def"), "utf8")).toBe("def beta\nuse omega\n");
    expect(staged.result.files.map(({ path }) => path.slice(-5)).sort()).toEqual(["a.def", "b.def"]);
    const end = staged.events.find((event) => event.type === "call.end" && event.call.endsWith("1"));
    expect(end).toMatchObject({ view: { type: "diff", path: "2 files" } });
  });

  it("of a file that the server knows under three names changes it once", async () => {
    const at = (character: number) => ({ start: { line: 0, character }, end: { line: 0, character: character + 5 } });
    const edits = [{ range: at(4), newText: "omega" }];
    const changes = { "$ROOT/same.def": edits, "$ROOT/a.def": edits, "$ROOT//a.def": edits };
    const part = { results: { "textDocument/rename": { changes } } };
    const staged = await lspStage(files, (log) => scripted(log, part), callsInTurn([rename]));
    symlinkSync("a.def", join(staged.root, "same.def"));
    await (await staged.open({ settings: withServers })).send("go");
    expect(resultsOf(staged, 1)[0]).toMatch(/^renamed in 1 file\na\.def \(\+1 -1\)\n/);
    expect(readFileSync(join(staged.root, "a.def"), "utf8")).toBe("def omega\nuse alpha\n");
    expect(readlinkSync(join(staged.root, "same.def"))).toBe("a.def");
  });

  it("asks as a change does, and changes nothing without a yes", async () => {
    const staged = await lspStage(files, (log) => scripted(log), callsInTurn([open, rename]));
    const questions: { summary: string; paths?: unknown }[] = [];
    const session = await staged.open({
      settings: { ...withServers, permissions: { mode: "ask" } },
      ask: async (question) => {
        questions.push(question);
        return { decision: "deny" };
      },
    });
    await session.send("go");
    expect(questions.map(({ summary }) => summary)).toEqual(["rename a.def:1:5 to omega in 2 files"]);
    expect(readFileSync(join(staged.root, "a.def"), "utf8")).toBe(files["a.def"]);
  });

  it("is all or none: one file that may not be changed keeps the others as they are", async () => {
    const staged = await lspStage(files, (log) => scripted(log), callsInTurn([open, rename]));
    const settings = { ...withServers, permissions: { mode: "auto" as const, deny: ["Edit(b.def)"] } };
    await (await staged.open({ settings })).send("go");
    expect(resultsOf(staged, 2)[1]).toMatch(/^Denied \(deny Edit\(b\.def\)\)/);
    expect(readFileSync(join(staged.root, "a.def"), "utf8")).toBe(files["a.def"]);
  });
});

describe("a file that moves on", () => {
  const rename = { name: "lsp_rename", input: { path: "a.def", symbol: "alpha", new_name: "omega" } };
  const open = { name: "lsp_hover", input: { path: "b.def", line: 1 } };
  const mine = "def beta\nuse alpha // the user's\n";

  it("while the server works out the change: nothing is changed, the user's text stays", async () => {
    const part = { faults: { "textDocument/rename": "late" } } as const;
    const staged = await lspStage(files, (log) => scripted(log, part), callsInTurn([open, rename]));
    const running = (await staged.open({ settings: withServers })).send("go");
    while (asked(staged, "textDocument/rename").length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    writeFileSync(join(staged.root, "b.def"), mine);
    await running;
    expect(resultsOf(staged, 2)[1]).toMatch(/^b\.def changed while this was worked out\. Nothing was changed\./);
    expect(readFileSync(join(staged.root, "a.def"), "utf8")).toBe(files["a.def"]);
    expect(readFileSync(join(staged.root, "b.def"), "utf8")).toBe(mine);
  });

  it("while the user is asked: the same", async () => {
    const staged = await lspStage(files, (log) => scripted(log), callsInTurn([open, rename]));
    const session = await staged.open({
      settings: { ...withServers, permissions: { mode: "ask" } },
      ask: async () => {
        writeFileSync(join(staged.root, "b.def"), mine);
        return { decision: "allow" };
      },
    });
    await session.send("go");
    expect(resultsOf(staged, 2)[1]).toMatch(
      /^b\.def was changed by somebody else in this moment\. Nothing was changed\./,
    );
    expect(readFileSync(join(staged.root, "a.def"), "utf8")).toBe(files["a.def"]);
    expect(readFileSync(join(staged.root, "b.def"), "utf8")).toBe(mine);
  });
});

describe("a code action", () => {
  const at = { path: "a.def", line: 2 };
  const bad = { "a.def": "def alpha\nuse BAD\n" };

  it("is listed, then done by its title; one that runs a command is not", async () => {
    const calls = [
      { name: "lsp_code_action", input: at },
      { name: "lsp_code_action", input: { ...at, title: "make it GOOD" } },
      { name: "lsp_code_action", input: { ...at, title: "run something" } },
      { name: "lsp_code_action", input: { ...at, title: "nothing of the kind" } },
    ];
    const staged = await play(calls, { pull: true }, bad);
    expect(staged.results[0]).toBe("Code actions at a.def:2:1:\n- make it GOOD [quickfix]\n- run something");
    expect(staged.results[1]).toContain("-use BAD\n+use GOOD");
    expect(readFileSync(join(staged.root, "a.def"), "utf8")).toBe("def alpha\nuse GOOD\n");
    expect(staged.results[2]).toMatch(/runs scripted\.run in the server, which could do anything/);
    expect(staged.results[3]).toMatch(/^There is no action "nothing of the kind" there/);
  });
});
