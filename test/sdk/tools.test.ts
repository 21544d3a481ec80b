// Tools of one's own, deferred families and the door to them; and the output limit that makes long files come in pieces.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { SettingsInput } from "../../src/config/schema.js";
import { readPlan } from "../../src/core/plan.js";
import { defineTool, toolEntry } from "../../src/tools/index.js";
import { resultText, stage } from "../support/stage.js";

const countLines = toolEntry(
  defineTool({
    name: "count_lines",
    verb: "read",
    alias: null,
    family: "mcp",
    effects: ["read"],
    needs: ["files"],
    description: "Counts the lines of a file.",
    input: z.object({ path: z.string() }),
    prepare: ({ path }, ctx) => readPlan(`count the lines of ${path}`, [ctx.files.locate(path).path], path),
    async apply({ data }, ctx) {
      const file = await ctx.files.read(data, { limit: 1 });
      return { status: "ok", text: `${file.totalLines} lines` };
    },
  }),
);

describe("a deferred tool", () => {
  const write = { id: "w", name: "write_file", input: { path: "a.txt", content: "1\n2\n3\n" } };

  it("is named in the stable block, not declared, and shown, run and called by its own name through the door", async () => {
    const { open, bodies } = await stage([
      { calls: [write] },
      {
        calls: [
          { id: "s", name: "use_tool", input: { name: "count_lines" } },
          { id: "d", name: "use_tool", input: { name: "count_lines", input: { path: "a.txt" } } },
          { id: "n", name: "count_lines", input: { path: "a.txt" } },
          { id: "b", name: "use_tool", input: { name: "count_lines", input: { file: 1 } } },
        ],
      },
      { text: "ok" },
    ]);
    await (await open({ tools: [countLines] })).send("go");
    const [first, , third] = bodies();
    expect(first?.tools?.map((tool) => tool.name)).not.toContain("count_lines");
    expect(first?.system[0]?.text).toContain("- mcp: count_lines");
    expect(resultText(third, "s")).toContain('"path"');
    expect(resultText(third, "d")).toBe("3 lines");
    expect(resultText(third, "n")).toBe("3 lines");
    expect(resultText(third, "b")).toContain("count_lines was not run, its input does not fit");
  });
});

describe("a family declared by setting", () => {
  it("is in every request, and no longer named as further tools", async () => {
    const { open, bodies } = await stage([{ text: "ok" }]);
    const settings: SettingsInput = { permissions: { mode: "auto" }, tools: { declare: ["mcp"] } };
    await (await open({ tools: [countLines], settings })).send("go");
    expect(bodies()[0]?.tools?.map((tool) => tool.name)).toContain("count_lines");
    expect(bodies()[0]?.system[0]?.text).not.toContain("count_lines");
  });
});

describe("a tool that fails in a way nobody foresaw", () => {
  it("gives a result that says what is unknown, and the session goes on", async () => {
    const broken = toolEntry(
      defineTool({
        name: "broken",
        verb: "read",
        alias: null,
        family: "core",
        effects: ["write"],
        needs: [],
        description: "Breaks.",
        input: z.object({}),
        prepare: () => ({ ...readPlan("break", [], null), effect: "write" as const, digest: "d" }),
        apply: () => {
          throw new TypeError("boom");
        },
      }),
    );
    const { open, bodies, events } = await stage([{ calls: [{ id: "b", name: "broken", input: {} }] }, { text: "ok" }]);
    const session = await open({ tools: [broken] });
    expect((await session.send("go")).subtype).toBe("success");
    expect(resultText(bodies()[1], "b")).toContain("Whether it took effect is unknown");
    await session.close();
    expect(events).toContainEqual(expect.objectContaining({ type: "notice", level: "error", code: "bug" }));
  });
});

describe("a model with 4,096 output tokens", () => {
  it("is told how many lines fit, and builds a file of 300 lines in pieces", async () => {
    const piece = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, i) => `const line${from + i} = ${from + i};\n`).join("");
    const { open, root, bodies } = await stage([
      { calls: [{ id: "p1", name: "write_file", input: { path: "long.js", content: piece(1, 120) } }] },
      { calls: [{ id: "p2", name: "append_file", input: { path: "long.js", content: piece(121, 240) } }] },
      {
        calls: [{ id: "cut", name: "append_file", raw: '{"path":"long.js","content":"const line241' }],
        stop: "length",
      },
      { calls: [{ id: "p3", name: "append_file", input: { path: "long.js", content: piece(241, 300) } }] },
      { text: "done" },
    ]);
    const windows = { "anthropic/small": { maxOutput: 4096 } };
    const settings = { permissions: { mode: "auto" }, models: { windows } } as const;
    const result = await (await open({ model: "anthropic/small", settings })).send("make long.js");
    expect(result.subtype).toBe("success");
    expect(readFileSync(join(root, "long.js"), "utf8")).toBe(piece(1, 300));
    expect(bodies()[0]?.max_tokens).toBe(4096);
    expect(bodies()[0]?.system[1]?.text).toContain("One reply holds about 300 lines of a file.");
    expect(resultText(bodies()[3], "cut")).toContain("Not run");
  });
});
