// What a session has cost, as the shipped program says it: from outside, and in a conversation.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cliStage, jsonLines } from "../support/cli.js";

const script = [
  { calls: [{ tool: "list_files", input: { path: "." } }], usage: { in: 2_000, out: 10 } },
  { text: "one", usage: { in: 500, out: 10, read: 1_500 } },
  { text: "two", usage: { in: 100, out: 10, read: 1_900 } },
];

function priced() {
  const stage = cliStage(script);
  const model = `scripted/${join(stage.home, "..", "script.json")}`;
  const prices = { [model]: { input: 10, output: 50, cacheRead: 1 } };
  writeFileSync(join(stage.home, "settings.json"), JSON.stringify({ models: { prices } }));
  return stage;
}

const usd = (2_600 * 10 + 3_400 * 1) / 1e6;

test("cinch sessions show --cost: figures, and each tool result over the requests that carried it", async () => {
  const stage = priced();
  const lines = ["first", "second"].map((text) => JSON.stringify({ type: "user", text }));
  const stream = ["--input-format", "stream-json", "--output-format", "stream-json"];
  const { stdout } = await stage.run(stream, { input: lines.join("\n") });
  const results = jsonLines(stdout).filter(({ type }) => type === "result");
  expect(results.map(({ cache }) => cache)).toEqual([
    { hit_rate: 1_500 / 4_000, breaks: [] },
    { hit_rate: 1_900 / 2_000, breaks: [] },
  ]);
  const shown = await stage.bare(["sessions", "show", "--cost", "--json"]);
  expect(shown.exit).toBe(0);
  expect(JSON.parse(shown.stdout)).toMatchObject({
    requests: 3,
    usage: { input_tokens: 2_600, output_tokens: 30, cache_read_input_tokens: 3_400, cache_creation_input_tokens: 0 },
    hit_rate: 3_400 / 6_000,
    total_cost_usd: expect.closeTo(usd + (30 * 50) / 1e6),
    unpriced_models: [],
    misses: [],
    results: [{ tool: "list_files", requests: 2, usd: expect.any(Number) }],
  });
  const text = await stage.bare(["sessions", "show", "--cost"]);
  expect(text.stdout).toMatch(
    /cost +\$0\.03\d+, 3 requests[\s\S]*56\.7 %[\s\S]*misses +none[\s\S]*list_files \(\w{8}\)/,
  );
});

test("/cost in a conversation, with --explain the results as well; an unknown price stays unknown", async () => {
  const stage = cliStage(script);
  const lines = ["first", "/cost", "/cost --explain", "/cost all"].map((text) =>
    JSON.stringify({ type: "user", text }),
  );
  const stream = ["--input-format", "stream-json", "--output-format", "stream-json"];
  const { stdout } = await stage.run(stream, { input: lines.join("\n") });
  const [, short, long, wrong] = jsonLines(stdout).filter(({ type }) => type === "result");
  expect(short?.["result"]).toMatch(
    /^cost +price unknown \(models\.prices knows nothing of scripted\/.*\), 2 requests/,
  );
  expect(short?.["result"]).not.toContain("list_files");
  expect(long?.["result"]).toContain("list_files");
  expect(wrong).toMatchObject({ is_error: true });
});
