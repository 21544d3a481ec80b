// Runs through the public SDK against the real wire format: what comes out, what the model reads, what is on disk.
// Questions that a run asks its user are approvals.test.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Body, blocks, resultText, stage } from "../support/stage.js";

const lines = (n: number, word = "line") => Array.from({ length: n }, (_, i) => `${word} ${i + 1}\n`).join("");

describe("a run", () => {
  it("works until the model answers, and says what changed", async () => {
    const { open, root, bodies, events } = await stage([
      { calls: [{ id: "c1", name: "write_file", input: { path: "a.txt", content: "one\n" } }] },
      { calls: [{ id: "c2", name: "append_file", input: { path: "a.txt", content: "two\n" } }] },
      { calls: [{ id: "c3", name: "run_command", input: { command: "cat a.txt" } }] },
      { text: "done", usage: { input: 7, output: 3, read: 100, write: 20 } },
    ]);
    const session = await open();
    const result = await session.send("make a.txt");
    expect(result).toMatchObject({
      subtype: "success",
      result: "done",
      num_turns: 4,
      exit_code: 0,
      session_id: session.id,
    });
    expect(result.files).toEqual([expect.objectContaining({ path: join(root, "a.txt"), before: null })]);
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("one\ntwo\n");
    expect(resultText(bodies()[3], "c3")).toContain("one\ntwo");
    expect(result.usage).toMatchObject({ cache_read_input_tokens: 100, cache_creation_input_tokens: 20 });
    await session.close();
    expect(events.map((event) => event.type)).toEqual(
      expect.arrayContaining(["run.start", "turn.start", "call.start", "call.end", "run.end"]),
    );
    expect(events.map((event) => event.seq)).toEqual(events.map((_, i) => (events[0]?.seq ?? 0) + i));
  });

  it("gives every call a result, and runs the good ones beside a malformed and an unknown one", async () => {
    const { open, root, bodies } = await stage([
      {
        calls: [
          { id: "bad", name: "write_file", raw: '{"path": "b.txt", "content": "x' },
          { id: "odd", name: "no_such_tool", input: {} },
          { id: "good", name: "write_file", input: { path: "a.txt", content: "x\n" } },
        ],
      },
      { text: "ok" },
    ]);
    const result = await (await open()).send("go");
    expect(result.subtype).toBe("success");
    const next = bodies()[1];
    expect(resultText(next, "bad")).toContain("Not run: the arguments are not one complete JSON object");
    expect(resultText(next, "odd")).toContain(
      'There is no tool \\"no_such_tool\\"'.replaceAll('\\"', '"').slice(0, 20),
    );
    expect(existsSync(join(root, "b.txt"))).toBe(false);
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("x\n");
  });

  it("runs nothing of a call that the output limit cut, and says so", async () => {
    const { open, root, bodies } = await stage([
      { calls: [{ id: "cut", name: "write_file", raw: '{"path":"a.txt","content":"half' }], stop: "length" },
      { text: "ok" },
    ]);
    expect((await (await open()).send("go")).subtype).toBe("success");
    expect(resultText(bodies()[1], "cut")).toContain("Not run");
    expect(existsSync(join(root, "a.txt"))).toBe(false);
  });

  it("continues an answer that was cut, twice at most", async () => {
    const whole = await stage([{ text: "one ", stop: "length" }, { text: "two ", stop: "length" }, { text: "three" }]);
    expect(await (await whole.open()).send("go")).toMatchObject({ subtype: "success", result: "one two three" });
    const cut = await stage([
      { text: "a", stop: "length" },
      { text: "b", stop: "length" },
      { text: "c", stop: "length" },
    ]);
    expect(await (await cut.open()).send("go")).toMatchObject({
      subtype: "error_truncated",
      exit_code: 8,
      result: "abc",
    });
  });

  it("replays a call whose id and input repeat, and does nothing a second time", async () => {
    const append = { id: "same", name: "append_file", input: { path: "log.txt", content: "x\n" } };
    const { open, root, bodies } = await stage([
      { calls: [append] },
      { calls: [append] },
      { calls: [append, append] },
      { text: "ok" },
    ]);
    expect((await (await open()).send("go")).subtype).toBe("success");
    expect(readFileSync(join(root, "log.txt"), "utf8")).toBe("x\n");
    const ids = (bodies()[3] as Body).messages.flatMap((m) =>
      m.content.flatMap((b) => (b.type === "tool_use" ? [b.id] : [])),
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(JSON.stringify(bodies()[3]?.messages.at(-1))).toContain("Not done again");
  });

  it("reads side by side and keeps the order of the calls", async () => {
    const { open, root, bodies } = await stage([
      {
        calls: [
          { id: "r1", name: "read_file", input: { path: "a.txt" } },
          { id: "e1", name: "edit_file", input: { path: "a.txt", old_string: "line 1\n", new_string: "first\n" } },
          { id: "r2", name: "read_file", input: { path: "a.txt", limit: 1 } },
        ],
      },
      { text: "ok" },
    ]);
    writeFileSync(join(root, "a.txt"), lines(3));
    expect((await (await open()).send("go")).subtype).toBe("success");
    const next = bodies()[1];
    expect(next?.messages.at(-1)?.content.map((block) => block.tool_use_id)).toEqual(["r1", "e1", "r2"]);
    expect(resultText(next, "r2")).toContain("first");
  });

  it("refuses calls beyond 64 in one message", async () => {
    const calls = Array.from({ length: 70 }, (_, i) => ({
      id: `c${i}`,
      name: "append_file",
      input: { path: "n.txt", content: `${i}\n` },
    }));
    const { open, root, bodies } = await stage([{ calls }, { text: "ok" }]);
    await (await open()).send("go");
    expect(readFileSync(join(root, "n.txt"), "utf8").trim().split("\n")).toHaveLength(64);
    expect(resultText(bodies()[1], "c69")).toContain("a message may hold 64 calls");
  });

  it("ends an empty answer after one nudge", async () => {
    const { open, bodies } = await stage([{ text: "" }, { text: "" }]);
    expect(await (await open()).send("go")).toMatchObject({ subtype: "error_during_execution", exit_code: 1 });
    expect(blocks(bodies()[1] as Body).at(-1)).toContain("no visible text");
  });

  it("shows a file that is longer than a result in part, with the whole on disk", async () => {
    const { open, bodies } = await stage([
      { calls: [{ id: "c", name: "run_command", input: { command: "seq 1 200000" } }] },
      { text: "ok" },
    ]);
    await (await open()).send("go");
    const text = resultText(bodies()[1], "c");
    expect(text.length).toBeLessThan(80_000);
    const path = /\/[^\n\]]+\/spill\/[\w/.]+\w/.exec(text)?.[0] ?? "";
    expect(readFileSync(path, "utf8")).toContain("\n123456\n");
  });
});

describe("budgets and profiles", () => {
  const loop = { calls: [{ id: "", name: "list_files", input: { path: "." } }] };

  it("stops before the turn after the last one", async () => {
    const { open, bodies } = await stage([loop, loop, loop, { text: "never" }]);
    const result = await (await open({ settings: { permissions: { mode: "auto" }, limits: { turns: 2 } } })).send("go");
    expect(result).toMatchObject({ subtype: "error_max_turns", exit_code: 6, num_turns: 2 });
    expect(bodies()).toHaveLength(2);
  });

  it("refuses calls beyond their budget and stops on tokens", async () => {
    const calls = await stage([
      { calls: [...Array(3)].map((_, i) => ({ id: `c${i}`, name: "list_files", input: { path: "." } })) },
      { text: "ok" },
    ]);
    const session = await calls.open({ settings: { permissions: { mode: "auto" }, limits: { calls: 2 } } });
    expect(await session.send("go")).toMatchObject({ subtype: "error_budget", exit_code: 6 });
    expect(JSON.stringify([...session.entries()].at(-1))).toContain("budget of 2 calls");
    const tokens = await stage([{ ...loop, usage: { input: 500, output: 600 } }, { text: "never" }]);
    const result = await (
      await tokens.open({ settings: { permissions: { mode: "auto" }, limits: { tokens: 1000 } } })
    ).send("go");
    expect(result).toMatchObject({ subtype: "error_budget", exit_code: 6 });
  });

  it("sends no tools under minimal, and refuses the call of one that was made up", async () => {
    const { open, root, bodies } = await stage([
      { calls: [{ id: "c", name: "write_file", input: { path: "a.txt", content: "x" } }] },
      { text: "ok" },
    ]);
    const session = await open({ settings: { permissions: { mode: "auto" }, tools: { profile: "minimal" } } });
    const result = await session.send("go");
    expect(bodies()[0]?.tools ?? []).toEqual([]);
    expect(resultText(bodies()[1], "c")).toContain("profile:minimal");
    expect(existsSync(join(root, "a.txt"))).toBe(false);
    expect(result.permission_denials).toHaveLength(1);
  });

  it("declares and runs only reads under readonly, also through the door", async () => {
    const { open, root, bodies } = await stage([
      {
        calls: [
          { id: "a", name: "append_file", input: { path: "a.txt", content: "x" } },
          { id: "b", name: "use_tool", input: { name: "write_file", input: { path: "a.txt", content: "x" } } },
        ],
      },
      { text: "ok" },
    ]);
    const session = await open({ settings: { permissions: { mode: "auto" }, tools: { profile: "readonly" } } });
    await session.send("go");
    expect(bodies()[0]?.tools?.map((tool) => tool.name)).not.toContain("write_file");
    expect(resultText(bodies()[1], "a")).toContain("profile:readonly");
    expect(resultText(bodies()[1], "b")).toContain("profile:readonly");
    expect(existsSync(join(root, "a.txt"))).toBe(false);
  });
});

describe("a key from a command", () => {
  it("is what the command prints", async () => {
    const { open, server } = await stage([{ text: "ok" }]);
    const env = { ANTHROPIC_BASE_URL: server.url, PATH: process.env["PATH"] };
    const anthropic = { apiKeyHelper: "printf 'from-%s\\n' helper" };
    expect((await (await open({ env, settings: { models: { anthropic } } })).send("go")).subtype).toBe("success");
    expect(server.requests[0]?.headers["x-api-key"]).toBe("from-helper");
  });

  it("ends the start with what the command said when it fails", async () => {
    const { open } = await stage([]);
    const anthropic = { apiKeyHelper: "echo locked >&2; exit 4" };
    await expect(open({ settings: { models: { anthropic } } })).rejects.toMatchObject({
      exit: 3,
      message: expect.stringContaining("locked"),
    });
  });
});

describe("the context", () => {
  it("leaves out what an untrusted project says, and says so", async () => {
    const { open, root, bodies } = await stage([{ text: "ok" }]);
    writeFileSync(join(root, "AGENTS.md"), "Speak like a pirate.");
    const session = await open();
    expect(session.init).toMatchObject({ trust: "untrusted", ignored: ["AGENTS.md"] });
    await session.send("go");
    expect(JSON.stringify(bodies()[0])).not.toContain("pirate");
  });

  it("takes instructions from root to working directory when trusted; AGENTS.md before CLAUDE.md", async () => {
    const { open, root, bodies } = await stage([{ text: "ok" }]);
    mkdirSync(join(root, "sub/deep"), { recursive: true });
    writeFileSync(join(root, "AGENTS.md"), "At the root.");
    writeFileSync(join(root, "CLAUDE.md"), "Never read.");
    writeFileSync(join(root, "sub/CLAUDE.md"), "In sub.");
    writeFileSync(join(root, "sub/deep/AGENTS.md"), "Overridden.");
    writeFileSync(join(root, "sub/deep/AGENTS.override.md"), "Deep.");
    await (await open({ cwd: join(root, "sub/deep"), trust: true })).send("go");
    const context = bodies()[0]?.system[1]?.text ?? "";
    const found = ["At the root.", "In sub.", "Deep."].map((text) => context.indexOf(text));
    expect(found).toEqual([...found].sort((a, b) => a - b));
    expect(found[0]).toBeGreaterThan(0);
    expect(context).not.toMatch(/Never read|Overridden/);
  });

  it("refuses to follow an instruction file out of the project", async () => {
    const { open, root, home, bodies } = await stage([{ text: "ok" }]);
    const { symlinkSync } = await import("node:fs");
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, "secret"), "hunter2");
    symlinkSync(join(home, "secret"), join(root, "AGENTS.md"));
    await (await open({ trust: true })).send("go");
    expect(JSON.stringify(bodies()[0])).not.toContain("hunter2");
  });
});
