// The problems that a turn brought in, as they are told with its results, by a language server that plays a part.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { heard, type LspStage, lspStage, type Part, remarksOf, scripted, withServers } from "../support/lsp.js";
import { definition, edit, files, play, read, run, starts } from "../support/lsp-play.js";
import type { WireReply } from "../support/wire/anthropic.js";

const spokenOf = (stage: LspStage, name: string, version: number) =>
  heard(stage.log).some((each) => each.published?.endsWith(name) && each.version === version);

describe("new problems of a turn", () => {
  const script = (path: string): WireReply[] => [
    { calls: [{ id: "toolu_0", ...definition }] },
    { calls: [{ id: "toolu_1", ...read(path) }] },
    {
      calls: [
        { id: "toolu_2", ...edit(path, "use alpha", "use BAD one") },
        { id: "toolu_3", name: "write_file", input: { path: "new.def", content: "BAD two\n" } },
      ],
    },
    { calls: [{ id: "toolu_4", ...read("new.def") }] },
    { text: "done" },
  ];
  const told = (stage: LspStage) => remarksOf(stage).filter((text) => /problems|pending|Nothing new/.test(text));

  for (const part of [{}, { pull: true }, { versioned: false }] as Part[]) {
    it(`are told once, with the results: ${JSON.stringify(part)}`, async () => {
      const old = "use BAD old\nuse alpha\n";
      const staged = await run(script("b.def"), part, { "b.def": old }, 5);
      expect(told(staged)).toEqual([
        [
          "New problems after these changes: 2 errors.",
          "b.def (scripted)",
          "  2:5 error scripted: BAD is bad: use BAD one",
          "new.def (scripted)",
          "  1:1 error scripted: BAD is bad: BAD two",
        ].join("\n"),
      ]);
    });
  }

  it("are not those that somebody else brought in since they were last asked for", async () => {
    const staged = await lspStage(files, (log) => scripted(log), [
      { calls: [{ id: "toolu_0", name: "lsp_diagnostics", input: { path: "a.def" } }] },
      { text: "done" },
      { calls: [{ id: "toolu_1", ...read("a.def") }] },
      { calls: [{ id: "toolu_2", ...edit("a.def", "def alpha", "def alpha BAD one") }] },
      { text: "done" },
    ]);
    const session = await staged.open({ settings: withServers });
    await session.send("go");
    writeFileSync(join(staged.root, "a.def"), "def alpha\nuse BAD theirs\n");
    await session.send("again");
    expect(told(staged)).toEqual([
      "New problems after these changes: 1 error.\na.def (scripted)\n  1:11 error scripted: BAD is bad: def alpha BAD one",
    ]);
  });

  it("of more files than are looked at: the others are counted", async () => {
    const writes = Array.from({ length: 32 }, (_, at) => {
      return { id: `toolu_w${at}`, name: "write_file", input: { path: `n${at}.def`, content: "def x\n" } };
    });
    const all = { id: "toolu_1", name: "lsp_diagnostics", input: {} };
    const first = { calls: [{ id: "toolu_0", ...definition }] };
    const script = [first, { calls: writes }, { calls: [all] }, { text: "done" }];
    const staged = await lspStage(files, (log) => scripted(log), script);
    const settings = { ...withServers, lsp: { disabled: [], wait_ms: 10_000 } };
    const warnings: Error[] = [];
    const warned = (warning: Error) => void warnings.push(warning);
    process.on("warning", warned);
    await (await staged.open({ settings })).send("go");
    process.off("warning", warned);
    expect(remarksOf(staged)).toContain("Not looked at: 2 more changed files.");
    expect(warnings).toEqual([]);
  });

  it("and nothing is waited for or said when no server runs", async () => {
    const staged = await run(script("b.def").slice(1), {}, {}, 0);
    expect(told(staged)).toEqual([]);
    expect(starts(staged)).toBe(0);
  });

  it("a slow server is pending, and tells later; nothing is ever told of a content that is gone", async () => {
    const slow: WireReply[] = [
      { calls: [{ id: "toolu_0", ...definition }] },
      { calls: [{ id: "toolu_1", name: "write_file", input: { path: "c.def", content: "BAD first\n" } }] },
      { calls: [{ id: "toolu_2", ...edit("c.def", "BAD first", "BAD second") }] },
      {
        calls: [{ id: "toolu_3", name: "run_command", input: { command: "until [ -e spoken ]; do sleep 0.02; done" } }],
      },
      { calls: [{ id: "toolu_4", ...read("a.def") }] },
      { text: "done" },
    ];
    const staged = await lspStage(files, (log) => scripted(log, { diagnosticsMs: 700 }), slow);
    const session = await staged.open({ settings: { ...withServers, lsp: { disabled: [], wait_ms: 400 } } });
    const running = session.send("go");
    // The command lasts until the server has spoken about the second text.
    while (!spokenOf(staged, "c.def", 2)) await new Promise((resolve) => setTimeout(resolve, 20));
    writeFileSync(join(staged.root, "spoken"), "");
    await running;
    const said = told(staged).join("\n");
    expect(said).toContain("pending");
    expect(said).toContain("BAD is bad: BAD second");
    expect(said).not.toContain("BAD first");
  });
});

it("what a server that names no version says before it has read the text is not believed", async () => {
  const diagnostics = [
    { range: { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } }, message: "stale" },
  ];
  const says = [{ method: "textDocument/publishDiagnostics", params: { uri: "$ROOT/a.def", diagnostics } }];
  const part: Part = { says, versioned: false, diagnosticsMs: 250, faults: { "textDocument/documentSymbol": "late" } };
  const { results } = await play([{ name: "lsp_diagnostics", input: { path: "a.def" } }], part);
  expect(results[0]).toBe("No problems in 1 file");
});

it("what a server says in two steps is told as a whole", async () => {
  const nothing = { uri: "$ROOT/a.def", version: 1, diagnostics: [] };
  const part: Part = { says: [{ method: "textDocument/publishDiagnostics", params: nothing }], diagnosticsMs: 10 };
  const asked = [{ name: "lsp_diagnostics", input: { path: "a.def" } }];
  const { results } = await play(asked, part, { "a.def": "use BAD\n" });
  expect(results[0]).toMatch(/^1 error in 1 file\n/);
});

it("a server that takes its answer back, to be asked again, is pending and no error", async () => {
  const asked = { name: "lsp_diagnostics", input: { path: "a.def" } };
  const { results } = await play([asked, asked], { pull: true, faults: { "textDocument/diagnostic": "retry" } });
  expect(results).toEqual([expect.stringMatching(/^pending, .*a\.def \(scripted\)$/), "No problems in 1 file"]);
});
