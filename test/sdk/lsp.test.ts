// Language servers as the model meets them, against a server that plays a part (SEEDS D 89-93): what is declared, what is
// answered, what is current, and what happens when a server misbehaves. What they change is in lsp-changes.test.ts, what they
// say of a turn in lsp-problems.test.ts, real ones are in lsp-servers.test.ts.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { callsInTurn, heard, lspStage, resultsOf, scripted, withServers } from "../support/lsp.js";
import { asked, definition, edit, files, play, read, run, starts } from "../support/lsp-play.js";

const isAlive = (pid: number) =>
  existsSync(`/proc/${pid}`) && !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));

describe("D 89: which tools there are", () => {
  const names = async (entries: object | null, settings = {}) => {
    const staged = await lspStage(files, entries as never, [{ text: "hello" }]);
    await (await staged.open({ settings: { ...withServers, ...settings } })).send("hello");
    const [body] = staged.bodies();
    return {
      declared: (body?.tools ?? []).map(({ name }) => name).filter((name) => name.startsWith("lsp_")),
      text: JSON.stringify(body),
    };
  };

  it("none is declared or named without a server", async () => {
    const { declared, text } = await names(null, { lsp: { disabled: [] } });
    expect(declared).toEqual([]);
    expect(text).not.toContain("lsp_");
  });

  it("with a configured server all are declared", async () => {
    const { declared } = await names(scripted("/dev/null"));
    expect(declared.sort()).toEqual(
      ["code_action", "definition", "diagnostics", "hover", "references", "rename", "symbols", "workspace_symbols"].map(
        (name) => `lsp_${name}`,
      ),
    );
  });

  it("none with one that is disabled, or whose program is not there", async () => {
    const absent = { scripted: { command: ["no-such-program"], extensions: [".def"] } };
    expect((await names(absent)).text).not.toContain("lsp_");
    expect((await names(scripted("/dev/null"), { lsp: { disabled: ["scripted"] } })).text).not.toContain("lsp_");
  });
});

describe("D 90: the server asks back", () => {
  it("under an id that is pending: it is answered, and the call gets its own answer", async () => {
    const { results, log } = await play([definition], { faults: { "textDocument/definition": "collide" } });
    expect(results).toEqual(["1 definition in 1 file\na.def\n  1:5: def alpha"]);
    const answers = heard(log).flatMap(({ answer }) => answer ?? []) as {
      result?: unknown;
      error?: { code: number };
    }[];
    expect(answers.map(({ result, error }) => result ?? error?.code)).toEqual([
      [42, { scripted: { answer: 42 } }],
      -32601,
    ]);
  });
});

describe("D 91: what is asked is about the files as they are", () => {
  it("an edit of the agent's, and one of somebody else's", async () => {
    const script = callsInTurn([
      definition,
      read("a.def"),
      edit("a.def", "def alpha", "// moved\ndef alpha"),
      definition,
    ]);
    const { results } = await run(script, {}, {}, 4);
    expect([results[0], results[3]]).toEqual([
      "1 definition in 1 file\na.def\n  1:5: def alpha",
      // The place that was asked about moved as well: line 2 is the definition now.
      "1 definition in 1 file\na.def\n  2:5: def alpha",
    ]);
  });

  it("somebody's changes of files that are not open, told once, before the next question", async () => {
    const staged = await lspStage(files, (log) => scripted(log), [
      { calls: [{ id: "toolu_0", ...definition }] },
      { text: "done" },
      { calls: [{ id: "toolu_1", name: "lsp_workspace_symbols", input: { query: "alpha" } }] },
      { calls: [{ id: "toolu_2", ...definition }] },
      { text: "done" },
    ]);
    const session = await staged.open({ settings: withServers });
    await session.send("go");
    const deep = join(staged.root, "node_modules/deep");
    mkdirSync(deep, { recursive: true });
    writeFileSync(join(deep, "d.def"), "def delta\n");
    writeFileSync(join(staged.root, "b.def"), "def other\n");
    writeFileSync(join(staged.root, "new.def"), "def fresh\n");
    writeFileSync(join(staged.root, "other.txt"), "text\n");
    await session.send("again");
    await session.close();
    const told = heard(staged.log).filter(({ method }) => /Watched|definition|symbol$/.test(method ?? ""));
    expect(told.map(({ method }) => method)).toEqual([
      "textDocument/definition",
      "workspace/didChangeWatchedFiles",
      "workspace/symbol",
      // A first answer is asked for twice.
      "workspace/symbol",
      "textDocument/definition",
    ]);
    const change = (name: string, type: number) => ({ uri: expect.stringMatching(`/${name}$`), type });
    expect(told[1]?.params).toEqual({ changes: [change("b.def", 2), change("new.def", 1)] });
  });

  it("a command's change", async () => {
    const touch = { name: "run_command", input: { command: "printf 'use beta\\ndef beta\\n' > a.def" } };
    const beta = { name: "lsp_definition", input: { path: "a.def", line: 1, symbol: "beta" } };
    const { results } = await play([definition, touch, beta]);
    expect(results[2]).toBe("1 definition in 1 file\na.def\n  2:5: def beta");
  });

  it("diagnostics wait until the server has spoken about the present content", async () => {
    const problems = { name: "lsp_diagnostics", input: { path: "a.def" } };
    const script = callsInTurn([problems, read("a.def"), edit("a.def", "use alpha", "use BAD"), problems]);
    const { results } = await run(script, { diagnosticsMs: 150 }, {}, 4);
    expect(results[0]).toBe("No problems in 1 file");
    expect(results[3]).toBe("1 error in 1 file\na.def (scripted)\n  2:5 error scripted: BAD is bad: use BAD");
  });
});

describe("D 92: the server dies", () => {
  it("in the middle of a request: a clear error, and the next call starts it again with the same documents", async () => {
    const hover = { name: "lsp_hover", input: { path: "b.def", symbol: "beta" } };
    const staged = await play([hover, definition, definition], { faults: { "textDocument/definition": "crash" } });
    expect(staged.results[1]).toBe(
      "The language server scripted is gone: it ended with exit code 7. Call again to start it anew.",
    );
    expect(staged.results[2]).toBe("1 definition in 1 file\na.def\n  1:5: def alpha");
    expect(starts(staged)).toBe(2);
    const opened = asked(staged, "textDocument/didOpen").map(({ params }) => {
      return (params as unknown as { textDocument: { uri: string } }).textDocument.uri.slice(-5);
    });
    expect(opened).toEqual(["b.def", "a.def", "b.def", "a.def"]);
  });

  it("or sends what is no message", async () => {
    const staged = await play([definition, definition], { faults: { "textDocument/definition": "garbage" } });
    expect(staged.results[0]).toMatch(
      /^The language server scripted sent what is no message: a message that is no JSON/,
    );
    expect(staged.results[1]).toContain("1:5: def alpha");
    expect(starts(staged)).toBe(2);
  });

  it("again and again: it is not started at once any more, and the error says when", async () => {
    const staged = await play([definition, definition, definition], {
      faults: { "textDocument/definition": "crash" },
      once: false,
    });
    expect(staged.results[2]).toMatch(
      /failed 2 times in a row, last: it ended with exit code 7. It may be started again in \d+ s/,
    );
    expect(starts(staged)).toBe(2);
  });

  it("nothing is left when the session ends, also of one that does not want to", async () => {
    const staged = await lspStage(files, (log) => scripted(log, { stays: true }), callsInTurn([definition]));
    const { createHarness } = await import("../../src/index.js");
    const env = { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: staged.server.url, PATH: process.env["PATH"] };
    const settings = { ...withServers, sandbox: { mode: "off" } } as const;
    const { root: cwd, home } = staged;
    const harness = createHarness({ cwd, home, env, settings, model: "anthropic/claude-sonnet-4-5" });
    await (await harness.open()).send("go");
    const pid = heard(staged.log).find(({ started }) => started)?.started ?? 0;
    expect(isAlive(pid)).toBe(true);
    await harness.close();
    expect(isAlive(pid)).toBe(false);
  });
});

describe("D 93: places count from 1, in characters", () => {
  const odd = { "dir with blank/😀 ü.def": "def 𝒳name\n/* 😀😀 */ use 𝒳name\n" };
  for (const encoding of ["utf-8", "utf-16", "utf-32"] as const) {
    it(`in and out, with a server that counts in ${encoding}`, async () => {
      const path = "dir with blank/😀 ü.def";
      const calls = [
        { name: "lsp_definition", input: { path, line: 2, column: 14 } },
        { name: "lsp_references", input: { path, symbol: "𝒳name" } },
      ];
      const { results } = await play(calls, { encoding }, odd);
      expect(results[0]).toBe(`1 definition in 1 file\n${path}\n  1:5: def 𝒳name`);
      expect(results[1]).toBe(`2 references in 1 file\n${path}\n  1:5: def 𝒳name\n  2:14: /* 😀😀 */ use 𝒳name`);
    });
  }
});

describe("names in place of positions", () => {
  it("anywhere in the project, and what is not there or not one", async () => {
    const calls = [
      { name: "lsp_definition", input: { symbol: "beta" } },
      { name: "lsp_hover", input: { path: "b.def", symbol: "beta" } },
      { name: "lsp_definition", input: { symbol: "beta" } },
      { name: "lsp_definition", input: { symbol: "gamma" } },
      { name: "lsp_definition", input: { path: "a.def", symbol: "gamma" } },
      { name: "lsp_definition", input: { path: "a.def" } },
    ];
    const { results } = await play(calls);
    expect(results[2]).toBe("1 definition in 1 file\nb.def\n  1:5: def beta");
    expect(results[3]).toMatch(/^No symbol "gamma" is known/);
    expect(results[4]).toMatch(/^"gamma" does not occur in a.def/);
    expect(results[5]).toMatch(/^Give a line of a.def, or a symbol in it/);
  });

  it("a file that no server serves, one that is not there, one outside", async () => {
    const calls = ["c.txt", "none.def", "../x.def"].map((path) => ({ name: "lsp_hover", input: { path, line: 1 } }));
    const { results } = await play(calls, {}, { "c.txt": "text\n" });
    expect(results[0]).toMatch(/^No language server is known for \*\.txt/);
    expect(results[1]).toMatch(/^none.def does not exist/);
    expect(results[2]).toMatch(/outside the project/);
  });
});

describe("a server", () => {
  it("is started once for two calls at once, and gets no key", async () => {
    const both = [
      {
        calls: [
          { id: "toolu_0", ...definition },
          { id: "toolu_1", ...definition },
        ],
      },
      { text: "done" },
    ];
    const staged = await run(both, {}, {}, 2);
    expect(starts(staged)).toBe(1);
    expect(heard(staged.log)[0]?.key).toBeNull();
  });

  it("that says nothing is given up when the run is cancelled, and is told so", async () => {
    const staged = await lspStage(
      files,
      (log) => scripted(log, { faults: { "textDocument/definition": "silence" } }),
      callsInTurn([definition]),
    );
    const session = await staged.open({ settings: withServers });
    const running = session.send("go");
    while (asked(staged, "textDocument/definition").length === 0)
      await new Promise((resolve) => setTimeout(resolve, 20));
    session.cancel();
    expect((await running).subtype).toBe("error_cancelled");
    while (asked(staged, "$/cancelRequest").length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  });

  it("that sends very much is cut, with the rest counted", async () => {
    const references = { name: "lsp_references", input: { path: "a.def", symbol: "alpha" } };
    const { results } = await play([references], { many: 5_000 }, { "a.def": "use alpha\n".repeat(5_000) });
    expect(results[0]).toMatch(/^5,000 references in 1 file\n/);
    expect(results[0]).toContain("(4900 more)");
    expect(results[0]?.split("\n").length).toBeLessThan(110);
  });
});

describe("lsp.json", () => {
  it("a wrong entry is left out and named, the others count", async () => {
    const entries = (log: string) => ({ ...scripted(log), odd: { command: "not a list", extensions: [".x"] } });
    const staged = await lspStage(files, entries, callsInTurn([definition]));
    const session = await staged.open({ settings: withServers });
    expect(session.init.notices.join("\n")).toMatch(/"odd" is left out: command must be a list of strings/);
    await session.send("go");
    expect(resultsOf(staged, 1)[0]).toContain("def alpha");
  });

  it("one of the project's runs only with trust", async () => {
    const staged = await lspStage(files, null, callsInTurn([definition]));
    mkdirSync(join(staged.root, ".cinch"));
    writeFileSync(join(staged.root, ".cinch/lsp.json"), JSON.stringify(scripted(staged.log)));
    const untrusted = await staged.open({ settings: withServers });
    expect(untrusted.init.tools.filter((name) => name.startsWith("lsp_"))).toEqual([]);
    expect(untrusted.init.ignored).toEqual(["language server scripted"]);
    await untrusted.close();
    const trusted = await staged.open({ settings: withServers, trust: true });
    await trusted.send("go");
    expect(resultsOf(staged, 1)[0]).toContain("def alpha");
    rmSync(join(staged.root, ".cinch"), { recursive: true });
  });
});
