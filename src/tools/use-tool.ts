// The door to tools that are not declared in the request: with an input it stands for that call, without one it answers
// with the tool's schema. It does nothing itself; dispatch unwraps it, so guards and log see the real tool.

import * as z from "zod";
import { Refusal } from "../core/errors.js";
import type { JsonObject } from "../core/json.js";
import { readPlan } from "../core/plan.js";
import { defineTool, type ToolDescriptor } from "../core/tool.js";

const input = z.object({ name: z.string(), input: z.looseObject({}).optional() });

export default defineTool<z.infer<typeof input>, ToolDescriptor, "catalog">({
  name: "use_tool",
  verb: "door",
  alias: null,
  family: "core",
  order: 10,
  effects: ["read"],
  needs: ["catalog"],
  description: "Calls a further tool by name; without input, shows its schema.",
  input,
  unwrap: ({ name, input }) => (input === undefined ? null : { tool: name, input: input as JsonObject }),
  prepare({ name }, { catalog }) {
    const all = catalog.all();
    const found = all.find((tool) => tool.name === name || tool.aka?.includes(name));
    if (found) return readPlan(`show ${name}`, [], found);
    const names = all.filter((tool) => tool.verb !== "door").map((tool) => tool.name);
    throw new Refusal("input", `There is no tool ${JSON.stringify(name)}. The tools are: ${names.join(", ")}.`);
  },
  apply: ({ data: tool }) => ({
    status: "ok",
    text: `${tool.name}: ${tool.description}\n${JSON.stringify(tool.input)}`,
  }),
});
