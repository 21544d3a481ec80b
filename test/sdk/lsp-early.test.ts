// A server that does not know its project yet and says that there is nothing: every question waits until it does.

import { expect, it } from "vitest";
import { definition, play } from "../support/lsp-play.js";

const at = { path: "a.def", line: 2, column: 5 };

it.each([
  [definition, /^1 definition in 1 file\na\.def\n {2}1:5: def alpha$/],
  [{ name: "lsp_references", input: at }, /^2 references in 1 file\n/],
  [{ name: "lsp_hover", input: at }, /word alpha$/],
  [{ name: "lsp_workspace_symbols", input: { query: "alpha" } }, /^1 symbol in 1 file\n/],
  [{ name: "lsp_rename", input: { ...at, new_name: "omega" } }, /^renamed in 1 file\n/],
])("$name", async (call, answer) => {
  const { results } = await play([call], { loads: 400 });
  expect(results[0]).toMatch(answer);
});
