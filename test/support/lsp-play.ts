// What tests with the language server that plays a part have in common: two files, calls, and a session that makes them.

import { callsInTurn, heard, type LspStage, lspStage, type Part, resultsOf, scripted, withServers } from "./lsp.js";
import type { WireReply } from "./wire/anthropic.js";

export const files = { "a.def": "def alpha\nuse alpha\n", "b.def": "def beta\nuse alpha\n" };
export const definition = { name: "lsp_definition", input: { path: "a.def", line: 2, column: 5 } };
export const edit = (path: string, old_string: string, new_string: string) => ({
  name: "edit_file",
  input: { path, old_string, new_string },
});
export const read = (path: string) => ({ name: "read_file", input: { path } });

/** One call a request. */
export async function play(
  calls: { name: string; input: object }[],
  part: Part = {},
  more: Record<string, string> = {},
) {
  return run(callsInTurn(calls), part, more, calls.length);
}

/** `count`: how many calls there are, and so results. */
export async function run(script: WireReply[], part: Part, more: Record<string, string>, count: number) {
  const staged = await lspStage({ ...files, ...more }, (log) => scripted(log, part), script);
  const session = await staged.open({ settings: withServers });
  const result = await session.send("go");
  await session.close();
  return { ...staged, result, results: resultsOf(staged, count) };
}

/** The requests of one method that the server heard. */
export const asked = (stage: LspStage, method: string) => heard(stage.log).filter((each) => each.method === method);
export const starts = (stage: LspStage) => heard(stage.log).filter(({ started }) => started !== undefined).length;
