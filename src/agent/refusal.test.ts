import { expect, it } from "vitest";
import { ModelError, Refusal } from "../core/errors.js";
import type { ToolDescriptor, Verb } from "../core/tool.js";
import { renderError } from "./refusal.js";

const tool = (name: string, verb: Verb): ToolDescriptor => ({
  name,
  verb,
  alias: null,
  family: "core",
  effects: ["read"],
  needs: [],
  description: "",
  input: {},
});

const exists = new Refusal("exists", "a.txt exists with other content. Nothing was changed.", [
  "edit",
  "append",
  "rewrite",
]);

it("names the tools that are declared", () => {
  const all = [tool("change", "edit"), tool("extend", "append"), tool("remove", "delete"), tool("make", "create")];
  expect(renderError(exists, all)).toBe(
    "a.txt exists with other content. Nothing was changed.\n" +
      "Ways on: change part of it with change; or add to its end with extend; or replace it as a whole: remove, then make.",
  );
});

it("advertises no tool that the profile lacks", () => {
  expect(renderError(exists, [tool("change", "edit"), tool("make", "create")])).toBe(
    "a.txt exists with other content. Nothing was changed.\nWays on: change part of it with change.",
  );
  expect(renderError(exists, [])).toBe("a.txt exists with other content. Nothing was changed.");
});

it("shows the hint of a plain model error", () => {
  expect(renderError(new ModelError("No.", "Try that."), [])).toBe("No. Try that.");
});
