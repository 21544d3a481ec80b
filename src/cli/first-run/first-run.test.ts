// The flow without a terminal: answers in, what was said and kept out. With a terminal: test/tui/first-run.test.ts.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { nodeFs } from "../../lib/fs.js";
import { firstRun } from "./first-run.js";
import { missingKey, variableOfKey } from "./needed.js";

const local = { id: "openai-compatible/qwen", server: "Ollama", baseUrl: "http://127.0.0.1:11434/v1", model: "qwen" };

async function answered(answers: (string | null)[], servers = [local]) {
  const config = mkdtempSync(join(tmpdir(), "first-run-"));
  onTestFinished(() => rmSync(config, { recursive: true }));
  const said: string[] = [];
  let looked = 0;
  const ask = {
    say: (text: string) => void said.push(text),
    line: async (prompt: string) => {
      said.push(prompt);
      return answers.shift() ?? null;
    },
  };
  const discover = async () => {
    looked++;
    return servers;
  };
  const run = () => firstRun({ ask, disk: nodeFs, config, wanted: null, discover });
  return { run, config, said: () => said.join("\n"), looked: () => looked };
}

test("no server is looked for before the user says so; one that answers is taken for now", async () => {
  const leaving = await answered(["3"]);
  expect(await leaving.run()).toBeNull();
  expect(leaving.looked()).toBe(0);
  const taking = await answered(["2", "", "n"]);
  expect(await taking.run()).toEqual({ model: local.id });
  expect(nodeFs.existsSync(join(taking.config, "settings.json"))).toBe(false);
});

test("from now on: in new settings; settings that are there are not touched", async () => {
  const fresh = await answered(["2", "1", "y"]);
  expect(await fresh.run()).toEqual({ model: local.id });
  expect(JSON.parse(readFileSync(join(fresh.config, "settings.json"), "utf8"))).toEqual({ model: local.id });
  const old = await answered(["2", "1", "y"]);
  writeFileSync(join(old.config, "settings.json"), "// mine\n{}");
  await old.run();
  expect(readFileSync(join(old.config, "settings.json"), "utf8")).toBe("// mine\n{}");
  expect(old.said()).toContain(`write into it: "model": "${local.id}"`);
});

test("nothing answers: said, and the choice comes again", async () => {
  const none = await answered(["2", null], []);
  expect(await none.run()).toBeNull();
  expect(none.said()).toMatch(/No server answers on Ollama 11434.*[\s\S]*1, 2 or 3\?/);
});

test("keys of several holders stand side by side", async () => {
  const { run, config } = await answered(["1", "sk-ant-0123456789abcdef", "1", "sk-or-0123456789abcdef"]);
  expect([await run(), await run()]).toEqual([{}, {}]);
  expect(JSON.parse(readFileSync(join(config, "keys.json"), "utf8"))).toEqual({
    ANTHROPIC_API_KEY: "sk-ant-0123456789abcdef",
    OPENROUTER_API_KEY: "sk-or-0123456789abcdef",
  });
});

test.each([
  ["nothing at all", undefined, {}, {}, {}, { wanted: null }],
  ["a key in the environment", undefined, { OPENAI_API_KEY: "k" }, {}, {}, undefined],
  ["a kept key", undefined, {}, { GEMINI_API_KEY: "k" }, {}, undefined],
  [
    "a kept key that the environment takes away",
    undefined,
    { GEMINI_API_KEY: "" },
    { GEMINI_API_KEY: "k" },
    {},
    { wanted: null },
  ],
  ["a command that prints it", undefined, {}, {}, { anthropic: { apiKeyHelper: "pass" } }, undefined],
  [
    "a named model whose key is another's",
    "openrouter/x",
    { OPENAI_API_KEY: "k" },
    {},
    {},
    { wanted: "OPENROUTER_API_KEY" },
  ],
  ["a named model with its key", "google/x", { GOOGLE_API_KEY: "k" }, {}, {}, undefined],
  ["a script needs none", "scripted/x", {}, {}, {}, undefined],
  ["Bedrock has more than one word", "bedrock/x", {}, {}, {}, undefined],
  ["local servers are taken unasked", undefined, {}, {}, { local: true }, undefined],
])("what is missing: %s", (_what, named, env, keys, models, expected) => {
  const settings = { models: { local: false, fallback: [], prices: {}, windows: {}, images: {}, ...models } };
  expect(missingKey({ named, settings, env, keys })).toEqual(expected);
});

test.each([
  ["sk-ant-api03-x", "ANTHROPIC_API_KEY"],
  ["sk-or-v1-x", "OPENROUTER_API_KEY"],
  ["sk-proj-x", "OPENAI_API_KEY"],
  ["AIzaSyX", "GEMINI_API_KEY"],
  ["x-y-z", null],
])("whose key %s is", (key, variable) => {
  expect(variableOfKey(key)).toBe(variable);
});
