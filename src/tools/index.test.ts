import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import * as z from "zod";
import { toolBench } from "../../test/support/tools.js";
import { readPlan } from "../core/plan.js";
import { builtinTools, defineTool, toolEntry } from "./index.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

test("the generated index is what the tool files give", async () => {
  const { toolsIndex } = await import(new URL("../../scripts/manifest-tools.mjs", import.meta.url).href);
  expect(readFileSync(new URL("index.gen.ts", import.meta.url), "utf8")).toBe(await toolsIndex(root));
});

test("the core tools come first, in their order, with the names hooks know", () => {
  expect(builtinTools.slice(0, 10).map(({ descriptor: { name, verb, alias } }) => [name, verb, alias])).toEqual([
    ["read_file", "read", "Read"],
    ["write_file", "create", "Write"],
    ["append_file", "append", "Write"],
    ["edit_file", "edit", "Edit"],
    ["delete_file", "delete", "Write"],
    ["list_files", "list", "LS"],
    ["find_files", "find", "Glob"],
    ["search_text", "search", "Grep"],
    ["run_command", "run", "Bash"],
    ["use_tool", "door", null],
  ]);
});

test("the declared tools stay below their share of the first request", () => {
  const declared = builtinTools.filter(({ descriptor }) => descriptor.family === "core");
  const wire = declared.map(({ descriptor: { name, description, input } }) => ({
    name,
    description,
    input_schema: input,
  }));
  expect(JSON.stringify(wire).length).toBeLessThanOrEqual(3_300);
});

test("loading gives the whole tool, the same each time", async () => {
  for (const entry of builtinTools) {
    const tool = await entry.load();
    expect(tool).toMatchObject(entry.descriptor);
    expect([typeof tool.parse, typeof tool.prepare, typeof tool.apply]).toEqual(["function", "function", "function"]);
    expect(await entry.load()).toBe(tool);
  }
});

test("the door unwraps a call and keeps the schema question to itself", async () => {
  const door = await builtinTools.find(({ descriptor }) => descriptor.verb === "door")?.load();
  const unwrap = (input: object) => door?.unwrap?.(door.parse({ ...input }));
  expect(unwrap({ name: "x", input: { a: [1], b: {} } })).toEqual({ tool: "x", input: { a: [1], b: {} } });
  expect(unwrap({ name: "x" })).toBeNull();
});

test("a tool made at run time is an entry like the others", async () => {
  const echo = defineTool({
    name: "echo",
    verb: "read",
    alias: null,
    family: "plan",
    effects: ["read"],
    needs: [],
    description: "Says it again.",
    input: z.object({ text: z.string(), times: z.int().optional() }),
    prepare: ({ text }) => readPlan("echo", [], text),
    apply: ({ data }) => ({ status: "ok", text: data }),
  });
  const entry = toolEntry(echo);
  expect(entry.descriptor.input).toEqual({
    type: "object",
    properties: { text: { type: "string" }, times: { type: "integer" } },
    required: ["text"],
  });
  const { call } = toolBench({}, [entry]);
  expect((await call("echo", { text: "hi", unknown: true })).text).toBe("hi");
  expect(toolEntry(echo, { type: "object" }).descriptor.input).toEqual({ type: "object" });
});
