// Patterns of a model, a project and a user that a backtracking matcher never finishes (CONTRACT 6.4). How much work they are
// is counted in src/lib/automaton.test.ts; here they go in by every door, and the run comes to its end.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Block, stage } from "../support/stage.js";
import type { WireReply } from "../support/wire/anthropic.js";

const patterns = [`${"*a".repeat(30)}b`, `${"**/".repeat(30)}b`, `${"{a,aa}*".repeat(30)}b`, `${"[!b]*".repeat(30)}b`];
const name = "a".repeat(200);

test("globs of the model", async () => {
  const calls = patterns.flatMap((glob, i) => [
    { id: `f${i}`, name: "find_files", input: { glob } },
    { id: `g${i}`, name: "find_files", input: { glob: `deep/${glob}` } },
    { id: `s${i}`, name: "search_text", input: { pattern: "x", glob } },
  ]);
  const s = await stage([{ calls } as WireReply, { text: "done" }]);
  project(s.root);
  expect(await (await s.open()).send("go")).toMatchObject({ subtype: "success" });
  const results = (s.bodies().at(-1)?.messages.at(-1)?.content ?? []).filter(
    ({ type }: Block) => type === "tool_result",
  );
  expect(results).toHaveLength(calls.length);
  expect(results.some(({ is_error }) => is_error)).toBe(false);
});

test("lines of a project's .gitignore, and rules of the user", async () => {
  const calls = [
    { id: "l", name: "list_files", input: { path: "deep" } },
    { id: "w", name: "write_file", input: { path: `deep/${name}.txt`, content: "x\n" } },
    { id: "r", name: "run_command", input: { command: "echo x > made" } },
  ];
  const s = await stage([{ calls } as WireReply, { text: "done" }]);
  project(s.root);
  writeFileSync(join(s.root, ".gitignore"), `${patterns.flatMap((line) => [line, `deep/${line}/`]).join("\n")}\n`);
  const rules = patterns.map((pattern) => `Edit(deep/${pattern})`);
  const permissions = { mode: "auto" as const, deny: rules, ask: rules, protect: patterns };
  const session = await s.open({ settings: { permissions, env: { block: patterns } } });
  expect(await session.send("go")).toMatchObject({ subtype: "success" });
});

test("matchers of hooks, and what a script expects", async () => {
  const s = await stage([{ calls: [{ id: "l", name: "list_files", input: {} }] }, { text: "done" }]);
  writeFileSync(join(s.root, "script.json"), JSON.stringify([{ match: "^(a+)+$", text: "never" }]));
  const matcher = "^(([a-z_]+)+)+$|^(LS?)*!$";
  const hooks = { PreToolUse: [{ matcher, hooks: [{ type: "command" as const, command: "touch heard" }] }] };
  const permissions = { mode: "auto" as const };
  const session = await s.open({ settings: { permissions, hooks } });
  expect(await session.send("go")).toMatchObject({ subtype: "success" });
  const scripted = await s.open({ model: `scripted/${join(s.root, "script.json")}`, settings: { permissions } });
  const result = await scripted.send(`${"a".repeat(5_000)}!`);
  expect(result).toMatchObject({ is_error: true });
  expect(result.detail).toContain("expects /^(a+)+$/");
});

test("a glob that is too long is an error that says so", async () => {
  const call = { id: "f", name: "find_files", input: { glob: "a".repeat(2_000) } };
  const s = await stage([{ calls: [call] }, { text: "done" }]);
  await (await s.open()).send("go");
  expect(JSON.stringify(s.bodies().at(-1)?.messages)).toContain("a glob may have 1000 characters");
});

function project(root: string): void {
  mkdirSync(join(root, "deep", ...Array.from({ length: 40 }, () => "a")), { recursive: true });
  writeFileSync(join(root, "deep", name), "x\n");
  writeFileSync(join(root, "deep", ...Array.from({ length: 40 }, () => "a"), "c"), "x\n");
}
