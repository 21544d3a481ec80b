// Files as they are on the disk and as a server is told of them: a byte order mark, line ends of two characters, and files that
// are too large to be sent.

import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { callsInTurn, lspStage, resultsOf, scripted, withServers } from "../support/lsp.js";
import { asked, edit, files, play, read } from "../support/lsp-play.js";

const marked = "\ufeff";

it("a byte order mark and CRLF: places are those of the text, and a rename keeps every other byte", async () => {
  const text = `${marked}def alpha BAD\r\n\tuse alpha\r\nlone\nüse alpha`;
  const path = "m.def";
  const calls = [
    { name: "lsp_definition", input: { path, line: 2, column: 6 } },
    { name: "lsp_references", input: { path, symbol: "alpha" } },
    { name: "lsp_diagnostics", input: { path } },
    { name: "lsp_rename", input: { path, line: 1, column: 5, new_name: "omega" } },
  ];
  const staged = await play(calls, {}, { [path]: text });
  expect(staged.results.slice(0, 3)).toEqual([
    "1 definition in 1 file\nm.def\n  1:5: def alpha BAD",
    expect.stringMatching(
      /^3 references in 1 file\nm\.def\n {2}1:5: def alpha BAD\n {2}2:6: use alpha\n {2}4:5: üse alpha\n/,
    ),
    "1 error in 1 file\nm.def (scripted)\n  1:11 error scripted: BAD is bad: def alpha BAD",
  ]);
  expect(staged.results[3]).toMatch(/^renamed in 1 file\nm\.def \(\+3 -3\)\n/);
  expect(readFileSync(join(staged.root, path))).toEqual(Buffer.from(text.replaceAll("alpha", "omega")));
  // A mark belongs to the file, not to its text.
  const [opened] = asked(staged, "textDocument/didOpen");
  expect(opened?.params).toMatchObject({ textDocument: { text: text.slice(marked.length) } });
});

it("an edit of such a file: what it had before is compared without its mark, so nothing old is told as new", async () => {
  const text = `${marked}old BAD\r\nuse alpha\r\n`;
  const hover = { name: "lsp_hover", input: { path: "a.def", line: 1 } };
  const calls = [hover, read("m.def"), edit("m.def", "use alpha", "use BAD too")];
  const staged = await play(calls, {}, { "m.def": text });
  const told = JSON.stringify(staged.bodies().at(-1)?.messages);
  expect(told).toContain("New problems after these changes: 1 error.\\nm.def (scripted)\\n  2:5 error");
  expect(readFileSync(join(staged.root, "m.def"))).toEqual(Buffer.from(text.replace("use alpha", "use BAD too")));
});

it("a file over the limit: it is not sent, and the size and the limit are named; one that grows beyond it is closed", async () => {
  const huge = "x".repeat(8_000_001);
  const calls = [
    { name: "lsp_hover", input: { path: "huge.def", line: 1 } },
    { name: "lsp_diagnostics", input: { path: "huge.def" } },
    { name: "lsp_symbols", input: { path: "huge.def" } },
    { name: "lsp_hover", input: { path: "a.def", line: 1 } },
    { name: "lsp_hover", input: { path: "b.def", line: 1 } },
  ];
  const all = { calls: [{ id: "toolu_5", name: "lsp_diagnostics", input: {} }] };
  const script = [...callsInTurn(calls), all, { text: "done" }];
  const staged = await lspStage({ ...files, "huge.def": huge }, (log) => scripted(log), script);
  const session = await staged.open({ settings: withServers });
  await session.send("go");
  writeFileSync(join(staged.root, "a.def"), huge);
  await session.send("again");
  await session.close();
  const why =
    "huge.def has 8,000,001 bytes; language servers are asked about files of up to 8,000,000. Nothing was asked.";
  const results = resultsOf(staged, 6);
  for (const said of results.slice(0, 3)) expect(said?.slice(0, why.length)).toBe(why);
  expect(results[3]).toBe("a.def:1:1\nword def");
  expect(results[5]).toBe("No problems in 1 file");
  const closed = asked(staged, "textDocument/didClose").map(({ params }) => JSON.stringify(params));
  expect(closed).toEqual([expect.stringContaining("a.def")]);
  expect(statSync(staged.log).size).toBeLessThan(100_000);
});
