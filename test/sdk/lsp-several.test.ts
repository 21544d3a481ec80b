// Several at once: servers of one project of which one fails, and sessions of one harness that share a server.

import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createHarness } from "../../src/index.js";
import {
  callsInTurn,
  heard,
  type LspStage,
  lspStage,
  type Part,
  resultsOf,
  scripted,
  withServers,
} from "../support/lsp.js";
import { definition, files, play, starts } from "../support/lsp-play.js";
import { resultText } from "../support/stage.js";

describe("the problems of all open files", () => {
  const bad = { "a.def": "use BAD\n", "c.other": "use BAD\n", "d.other": "use alpha\n" };
  const symbols = (path: string) => ({ name: "lsp_symbols", input: { path } });
  const where = (path: string) => ({ name: "lsp_definition", input: { path, line: 1, column: 5 } });
  const all = { name: "lsp_diagnostics", input: {} };
  const opened = [symbols("a.def"), where("c.other"), where("d.other")];
  const known = "1 error in 1 file\na.def (scripted)\n  1:5 error scripted: BAD is bad: use BAD";

  /** `*.other` is served by a second server that plays this part. */
  async function two(part: Part, calls: { name: string; input: object }[]) {
    const entries = (log: string) => {
      const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } };
      const results = { "textDocument/definition": { uri: "$ROOT/b.def", range } };
      const { scripted: other } = scripted(join(dirname(log), "other.jsonl"), { results, ...part });
      return { ...scripted(log), other: { ...other, extensions: [".other"] } };
    };
    const staged = await lspStage({ ...files, ...bad }, entries, callsInTurn([...opened, ...calls]));
    const session = await staged.open({ settings: withServers });
    await session.send("go");
    await session.close();
    return resultsOf(staged, opened.length + calls.length).slice(opened.length);
  }

  it("are told although one server dies over the question; it and its files are named, until it runs again", async () => {
    const part: Part = { pull: true, faults: { "textDocument/diagnostic": "crash" } };
    const again = { name: "lsp_diagnostics", input: { path: "c.other" } };
    const results = await two(part, [all, all, again, all]);
    const why = "The language server other is gone: it ended with exit code 7. Call again to start it anew.";
    expect(results[0]).toBe(`${known}\nnot known of c.other, d.other: ${why}`);
    expect(results[1]).toBe(
      `${known}\nThe language server other does not run: it ended with exit code 7. To start it again, name one of its files as path.`,
    );
    expect(results[2]).toMatch(/^1 error in 1 file\nc\.other \(other\)/);
    expect(results[3]).toMatch(/^2 errors in 3 files\n/);
  });

  it("are told although one server refuses to say", async () => {
    const part: Part = { pull: true, faults: { "textDocument/diagnostic": "refuse" }, once: false };
    const why = "The language server other refused: not today. Nothing was changed.";
    expect(await two(part, [all])).toEqual([`${known}\nnot known of c.other, d.other: ${why}`]);
  });

  it("that a server was about to publish when it died are not called pending", async () => {
    const [said] = await two({ diagnosticsMs: 60_000, faults: { "textDocument/documentSymbol": "crash" } }, [all]);
    expect(said).toContain(
      "not known of c.other, d.other: The language server other is gone: it ended with exit code 7",
    );
    expect(said).not.toContain("pending");
  });

  it("are not said to be none when no server can tell", async () => {
    const { results } = await play([definition, { name: "lsp_diagnostics", input: {} }], {
      pull: true,
      faults: { "textDocument/diagnostic": "crash" },
    });
    expect(results[1]).toMatch(/^not known of a\.def: The language server scripted is gone/);
  });
});

function harnessOf(staged: LspStage) {
  const env = { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: staged.server.url, PATH: process.env["PATH"] };
  const settings = { ...withServers, sandbox: { mode: "off" } } as const;
  const { root: cwd, home } = staged;
  return createHarness({ cwd, home, env, settings, model: "anthropic/claude-sonnet-4-5" });
}

it("two sessions of one harness share a server, which goes on when one of them is closed", async () => {
  const turns = [0, 1, 2].map((at) => [{ calls: [{ id: `toolu_${at}`, ...definition }] }, { text: "done" }]);
  const staged = await lspStage(files, (log) => scripted(log), turns.flat());
  const harness = harnessOf(staged);
  const [one, other] = [await harness.open(), await harness.open()];
  const known = "1 definition in 1 file\na.def\n  1:5: def alpha";
  const last = (at: number) => resultText(staged.bodies().at(-1), `toolu_${at}`);
  await one.send("go");
  expect(last(0)).toBe(known);
  await other.send("go");
  expect(last(1)).toBe(known);
  await one.close();
  await other.send("again");
  expect(last(2)).toBe(known);
  expect(heard(staged.log).filter(({ method }) => method === "textDocument/didOpen")).toHaveLength(1);
  expect(heard(staged.log).filter(({ method }) => method === "textDocument/definition")).toHaveLength(3);
  expect(starts(staged)).toBe(1);
  await harness.close();
});

it("an answer to one session that a change, shown by another, has overtaken is not told as of now", async () => {
  const part: Part = { pull: true, faults: { "textDocument/diagnostic": "overtaken" } };
  const staged = await lspStage({ "a.def": "use BAD\n" }, (log) => scripted(log, part), [
    { calls: [{ id: "toolu_0", name: "lsp_diagnostics", input: { path: "a.def" } }] },
    { calls: [{ id: "toolu_1", name: "lsp_hover", input: { path: "a.def", line: 1 } }] },
    ...[{ text: "done" }, { text: "done" }],
  ]);
  const harness = harnessOf(staged);
  const [one, other] = [await harness.open(), await harness.open()];
  const running = one.send("go");
  await expect
    .poll(() => heard(staged.log).some(({ method }) => method === "textDocument/diagnostic"), { timeout: 50_000 })
    .toBe(true);
  writeFileSync(join(staged.root, "a.def"), "use alpha now\n");
  await other.send("go");
  await running;
  await harness.close();
  const said = JSON.stringify(staged.bodies());
  expect(said).toContain("pending, the server has said nothing about the present content yet: a.def (scripted)");
  expect(said).not.toContain("BAD is bad");
});
