// A language server that sends what no server should: none of it ends Cinch, shows what is not to be shown, or changes a file in
// part. What a well-behaved one is asked is in lsp.test.ts.

import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { createHarness } from "../../src/index.js";
import {
  callsInTurn,
  heard,
  lspStage,
  type Part,
  remarksOf,
  resultsOf,
  scripted,
  withServers,
} from "../support/lsp.js";
import { starts } from "../support/lsp-play.js";

const files = { "a.def": "def alpha\nuse alpha\n", "b.def": "def beta\nuse alpha\n" };
const definition = { name: "lsp_definition", input: { path: "a.def", line: 2, column: 5 } };
const known = "1 definition in 1 file\na.def\n  1:5: def alpha";
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
/** Bytes in use once everything was let go that can be. */
const held = () => {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};
const span = (line: number, from: number, until = from + 1, lastLine = line) => ({
  start: { line, character: from },
  end: { line: lastLine, character: until },
});
const place = (uri: string, line = 0, character = 0) => ({ uri, range: span(line, character) });

/** `same.def` is a.def, `link.def` is a file outside of the project. */
async function play(calls: { name: string; input: object }[], part: Part) {
  const staged = await lspStage(files, (log) => scripted(log, part), callsInTurn(calls));
  const outside = join(dirname(staged.root), "outside.txt");
  writeFileSync(outside, "OUTSIDE\n");
  symlinkSync(outside, join(staged.root, "link.def"));
  symlinkSync("a.def", join(staged.root, "same.def"));
  const session = await staged.open({ settings: withServers });
  await session.send("go");
  await session.close();
  return { ...staged, results: resultsOf(staged, calls.length) };
}

it("publishes for what is no file, and asks for nonsense: the next answer comes as ever", async () => {
  const publish = (params: unknown) => ({ method: "textDocument/publishDiagnostics", params });
  const says = [
    ...["file:///%E0%A4%A", "file:///a%00b", "file://host/x", "untitled:1", "", 7].map((uri) => publish({ uri })),
    publish(null),
    publish({ uri: "$ROOT/a.def", version: 1, diagnostics: [null, "x", { range: null }, { range: span(0, 0) }] }),
    { method: "$/progress", params: { token: {}, value: null } },
    { id: null, method: "no/such" },
    { id: 90, method: "workspace/configuration", params: { items: [null, 3, { section: "__proto__.x" }] } },
    { id: 91, method: "client/registerCapability", params: 1 },
    { id: 92, result: "of nothing" },
    [],
  ];
  const diagnostics = { name: "lsp_diagnostics", input: { path: "a.def" } };
  const { results } = await play([definition, diagnostics, definition], { says });
  expect(results[0]).toBe(known);
  expect(results[1]).toMatch(/^(No problems|1 error) in 1 file/);
  expect(results[2]).toBe(known);
});

it("asks for an edit that nobody wanted: it is refused, and nothing changes", async () => {
  const edit = { changes: { "$ROOT/a.def": [{ range: span(0, 0), newText: "EVIL" }] } };
  const staged = await play([definition], { says: [{ id: 90, method: "workspace/applyEdit", params: { edit } }] });
  expect(heard(staged.log).flatMap(({ answer }) => answer ?? [])).toContainEqual(
    expect.objectContaining({ id: 90, result: { applied: false, failureReason: "nobody has asked for an edit" } }),
  );
  expect(readFileSync(join(staged.root, "a.def"), "utf8")).toBe(files["a.def"]);
});

describe("places", () => {
  const answer = async (...places: unknown[]) => {
    const part = { results: { "textDocument/definition": places } };
    return (await play([definition], part)).results[0];
  };

  it("that are none are left out", async () => {
    const nowhere = [null, 3, {}, { uri: "$ROOT/a.def" }, { uri: 1, range: span(0, 0) }];
    expect(await answer(...nowhere)).toMatch(/^No definition is known for a\.def:2:5/);
  });

  it("in no file are named as they are", async () => {
    expect(await answer(place("zip:///x.jar!/y", 4, 2), place("file:///a%00b"), place("file:///%E0%A4%A"))).toBe(
      "3 definitions in 3 files\nzip:///x.jar!/y\n  5:3\nfile:///a%00b\n  1:1\nfile:///%E0%A4%A\n  1:1",
    );
  });

  it("beyond a text are the nearest in it, in whole numbers", async () => {
    const far = [place("$ROOT/a.def", -5, -5), place("$ROOT/b.def", 1.5, 1e300)];
    expect(await answer(...far)).toBe("2 definitions in 2 files\na.def\n  1:1: def alpha\nb.def\n  2:10: use alpha");
  });

  it("outside of the project are shown without their line, also behind a link", async () => {
    const said = await answer(place("$ROOT/link.def"), place("$ROOT/same.def"), place("file:///etc/passwd"));
    expect(said).toBe("3 definitions in 3 files\nlink.def\n  1:1\nsame.def\n  1:1: def alpha\n/etc/passwd\n  1:1");
  });
});

describe("problems", () => {
  const asked = [{ name: "lsp_diagnostics", input: { path: "a.def" } }];

  it("of odd shapes: what is about a place is told", async () => {
    const items = [null, "x", { range: null }, { range: span(0, 4), message: "bad", severity: "x", code: { a: 1 } }];
    const results = { "textDocument/diagnostic": { items } };
    const actions = { name: "lsp_code_action", input: { path: "a.def", line: 1 } };
    const said = (await play([...asked, actions], { pull: true, results })).results;
    expect(said[0]).toBe("1 error in 1 file\na.def (scripted)\n  1:5 error: bad");
    expect(said[1]).toMatch(/^Code actions at a\.def:1:1/);
  });

  it("without end: they are counted, and cut in what is read and in what is kept", async () => {
    const staged = await play(asked, { pull: true, many: 5_000 });
    expect(staged.results[0]).toMatch(/^5,000 errors in 1 file\n/);
    expect(staged.results[0]?.length).toBeLessThan(40_000);
    const end = staged.events.find(({ type }) => type === "call.end");
    expect(JSON.stringify(end).length).toBeLessThan(400_000);
  });

  it("of a turn, of odd shapes: the run goes on", async () => {
    const says = [
      {
        method: "textDocument/publishDiagnostics",
        params: { uri: "$ROOT/n.def", version: 1, diagnostics: [null, { range: 1 }] },
      },
    ];
    const write = { name: "write_file", input: { path: "n.def", content: "BAD\n" } };
    const staged = await play([definition, write, definition], { says });
    expect(staged.results[2]).toBe(known);
    expect(remarksOf(staged).join("\n")).toContain("BAD is bad");
  });
});

describe("an edit", () => {
  const rename = { name: "lsp_rename", input: { path: "a.def", line: 1, column: 5, new_name: "omega" } };
  const edited = (uri: string, ...edits: unknown[]) => ({ changes: { [uri]: edits } });
  it.each([
    [
      "of a file outside",
      edited("file:///etc/hostname", { range: span(0, 0), newText: "x" }),
      /is outside the project/,
    ],
    [
      "behind a link",
      edited("$ROOT/link.def", { range: span(0, 0), newText: "x" }),
      /outside\.txt is outside the project/,
    ],
    ["of no file", edited("file:///a%00b", { range: span(0, 0), newText: "x" }), /which is no file/],
    ["of a broken URI", edited("file:///%E0%A4%A", { range: span(0, 0), newText: "x" }), /which is no file/],
    ["that makes a file", { documentChanges: [{ kind: "create", uri: "$ROOT/n.def" }] }, /would also create files/],
    ["that deletes one", { documentChanges: [{ kind: "delete", uri: "$ROOT/a.def" }] }, /would also delete files/],
    ["that is backwards", edited("$ROOT/a.def", { range: span(1, 5, 0, 0), newText: "x" }), /ends before it begins/],
    ["without a place", edited("$ROOT/a.def", null, { range: span(0, 0), newText: "x" }), /has no place/],
    [
      "with half a character",
      edited("$ROOT/a.def", { range: span(0, 0), newText: "\ud800" }),
      /half of a surrogate pair/,
    ],
    ["of nothing", "hello", /finds nothing to rename/],
  ])("%s is refused, and nothing changes", async (_, edit, why) => {
    const { results, root } = await play([definition, rename], { results: { "textDocument/rename": edit } });
    expect(results[1]).toMatch(why);
    expect(results[1]).toMatch(/Nothing was changed|not done here/);
    expect(readFileSync(join(root, "a.def"), "utf8")).toBe(files["a.def"]);
    expect(readFileSync(join(root, "link.def"), "utf8")).toBe("OUTSIDE\n");
  });
});

describe("64 MB that nobody asked for", () => {
  const hover = { name: "lsp_hover", input: { path: "a.def", line: 1 } };
  const most = 24 * 1024 * 1024;

  /** What was answered, and the bytes that are kept more than before the first call. */
  async function flooded(faults: Part["faults"] & object, calls: { name: string; input: object }[]) {
    const staged = await lspStage(files, (log) => scripted(log, { faults }), callsInTurn(calls));
    const session = await staged.open({ settings: withServers });
    const before = held();
    await session.send("go");
    const kept = held() - before;
    await session.close();
    return { results: resultsOf(staged, calls.length), kept, starts: starts(staged) };
  }

  it("on stderr: it is read and let go, the answer comes, and an error shows no more than its end", async () => {
    const faults = { "textDocument/definition": "flood", "textDocument/hover": "crash" } as const;
    // Measured while it runs: with the server goes what was kept of it.
    const running = await flooded(faults, [definition]);
    expect(running.results).toEqual([known]);
    expect(running.kept).toBeLessThan(most);
    const { results, starts } = await flooded(faults, [definition, hover, definition]);
    expect(results[0]).toBe(known);
    expect(results[1]).toBe(
      `The language server scripted is gone: it ended with exit code 7; it last wrote "${"9".repeat(200)}". Call again to start it anew.`,
    );
    expect(results[2]).toBe(known);
    expect(starts).toBe(2);
  });

  it.each([
    ["giant", "a message of 99999999999 bytes"],
    ["endless", "a header without an end"],
  ] as const)(
    "behind a header that is %s: nothing of it is kept, the call fails, the next starts it again",
    async (fault, why) => {
      const { results, kept, starts } = await flooded({ "textDocument/definition": fault }, [definition, definition]);
      expect(results[0]).toContain(`The language server scripted sent what is no message: ${why}.`);
      expect(results[1]).toBe(known);
      expect(starts).toBe(2);
      expect(kept).toBeLessThan(most);
    },
  );
});

it("never answers its first request: the harness closes all the same", async () => {
  const silent: Part = { faults: { initialize: "silence" }, stays: true };
  const staged = await lspStage(files, (log) => scripted(log, silent), callsInTurn([definition]));
  const env = { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: staged.server.url, PATH: process.env["PATH"] };
  const settings = { ...withServers, sandbox: { mode: "off" } } as const;
  const { root: cwd, home } = staged;
  const harness = createHarness({ cwd, home, env, settings, model: "anthropic/claude-sonnet-4-5" });
  const session = await harness.open();
  const running = session.send("go");
  await expect
    .poll(() => heard(staged.log).some(({ method }) => method === "initialize"), { timeout: 50_000 })
    .toBe(true);
  session.cancel();
  expect((await running).subtype).toBe("error_cancelled");
  // The test's own limit is shorter than what a server may take to initialise.
  await harness.close();
}, 30_000);
