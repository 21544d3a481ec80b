import { expect, test } from "vitest";
import { open } from "../../test/support/model.js";
import { startChat } from "../../test/support/wire/chat.js";
import { versioned } from "./ai-sdk.js";
import { catalogIds, factsOf } from "./catalog.js";
import { discoverLocal } from "./discover.js";
import { keyVariables, providerNames } from "./open.js";
import { pickModel } from "./pick.js";

test("an unknown provider is an error with the valid ones", async () => {
  await expect(open("antropic/x")).rejects.toMatchObject({
    exit: 2,
    fix: expect.stringContaining(providerNames().join(", ")),
  });
  await expect(open("gpt-5")).rejects.toMatchObject({ exit: 2 });
  await expect(open("anthropic/")).rejects.toMatchObject({
    exit: 2,
    fix: expect.stringContaining("anthropic/claude-"),
  });
});

test.each([
  ["anthropic/x", "ANTHROPIC_API_KEY"],
  ["openai/x", "OPENAI_API_KEY"],
  ["google/x", "GEMINI_API_KEY"],
  ["bedrock/x", "AWS_BEARER_TOKEN_BEDROCK"],
])("%s without a key is exit 3 and names %s", async (id, name) => {
  await expect(open(id)).rejects.toMatchObject({ exit: 3, message: expect.stringContaining(name) });
});

test("a base URL that is none is found before a request, and named", async () => {
  for (const url of ["notaurl", "localhost:8080/v1", "http://"]) {
    await expect(
      open("anthropic/x", { env: { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: url } }),
    ).rejects.toMatchObject({
      exit: 2,
      fix: expect.stringContaining("ANTHROPIC_BASE_URL or models.anthropic.baseUrl"),
    });
  }
});

test("keys: a helper, then a variable of the user's choice, then the provider's own", async () => {
  const seen: string[] = [];
  const fetch = (_: unknown, init: { headers?: unknown }) => {
    seen.push(new Headers(init.headers as Record<string, string>).get("x-api-key") ?? "");
    return Promise.reject(new Error("no network here"));
  };
  const env = { ANTHROPIC_API_KEY: "env-key", MINE: "my-key" };
  const use = async (settings: object) => {
    const deps = {
      env,
      fetch,
      models: { anthropic: settings },
      runHelper: async (command: string) => ` ${command}-key\n`,
    };
    const model = await open("anthropic/x", deps);
    for await (const _ of model.stream(
      { tools: [], stable: "s", context: "", messages: [], marks: [], maxOutput: 1 },
      new AbortController().signal,
    ));
  };
  await use({ apiKeyHelper: "vault", apiKeyEnv: "MINE" });
  await use({ apiKeyEnv: "MINE" });
  await use({});
  expect(seen).toEqual(["vault-key", "my-key", "env-key"]);
  await expect(use({ apiKeyEnv: "ABSENT" })).rejects.toMatchObject({
    exit: 3,
    message: expect.stringContaining("ABSENT"),
  });
  expect(keyVariables({ anthropic: { apiKeyEnv: "MINE" } })).toEqual(
    expect.arrayContaining(["MINE", "ANTHROPIC_API_KEY", "AWS_SECRET_ACCESS_KEY", "OPENROUTER_API_KEY"]),
  );
});

test.each([
  ["https://host", "v1", "https://host/v1"],
  ["https://host/", "v1", "https://host/v1"],
  ["https://host/v1", "v1", "https://host/v1"],
  ["https://host/v1/", "v1", "https://host/v1"],
  ["https://host/proxy", "v1", "https://host/proxy/v1"],
  ["https://host/v1beta/openai", "v1", "https://host/v1beta/openai"],
  ["http://v1:80", "v1", "http://v1:80/v1"],
])("base URL %s", (url, version, expected) => {
  expect(versioned(url, version)).toBe(expected);
});

test("which model when none is named", () => {
  expect(pickModel({}, {})).toBeNull();
  expect(pickModel({ OPENAI_API_KEY: "k" }, { model: "google/x" })).toEqual({
    id: "google/x",
    source: "setting model",
  });
  expect(pickModel({ OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k" }, {})?.source).toBe("ANTHROPIC_API_KEY");
  const order = [
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "OPENROUTER_API_KEY",
    "AWS_BEARER_TOKEN_BEDROCK",
  ];
  const picked = order.map((name) => pickModel({ [name]: "k" }, {})?.id.split("/")[0]);
  expect(picked).toEqual(["anthropic", "openai", "google", "openrouter", "bedrock"]);
  const helped = { anthropic: { apiKeyHelper: "pass anthropic" } };
  expect(pickModel({ OPENAI_API_KEY: "k" }, { models: helped })?.source).toBe("models.anthropic.apiKeyHelper");
  const named = { google: { apiKeyEnv: "MINE" } };
  expect(pickModel({ MINE: "k" }, { models: named })).toMatchObject({ source: "MINE" });
  expect(pickModel({}, { models: named })).toBeNull();
  for (const name of order.slice(0, 2)) expect(factsOf(pickModel({ [name]: "k" }, {})?.id ?? "").prices).toBeDefined();
});

test("facts: known, unknown, of another spelling, overridden", () => {
  expect(factsOf("anthropic/claude-sonnet-4-5")).toMatchObject({
    window: 200_000,
    maxOutput: 64_000,
    prices: { input: 3, output: 15 },
  });
  expect(factsOf("anthropic/claude-sonnet-4-5-20250929")).toEqual(factsOf("anthropic/claude-sonnet-4-5"));
  expect(factsOf("bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0")).toMatchObject({ window: 200_000 });
  expect(factsOf("bedrock/us.amazon.nova-pro-v1:0")).toMatchObject({ window: 300_000, maxOutput: 5120 });
  expect(factsOf("bedrock/amazon.nova-future-v9:0").maxOutput).toBe(5120);
  expect(factsOf("openai-compatible/mystery")).toEqual({ window: 128_000, maxOutput: 8192 });
  const overrides = {
    windows: { mystery: 32_000, "openai/gpt-5": { maxOutput: 100 } },
    prices: { "openai-compatible/mystery": { input: 1, output: 2, cacheRead: 0.1 } },
  };
  expect(factsOf("openai-compatible/mystery", overrides)).toEqual({
    window: 32_000,
    maxOutput: 8192,
    prices: { input: 1, output: 2, cacheRead: 0.1, date: "settings" },
  });
  expect(factsOf("openai/gpt-5", overrides)).toMatchObject({ window: 400_000, maxOutput: 100 });
});

test.each<[string, Record<string, boolean>, boolean]>([
  ["anthropic/claude-sonnet-4-5", {}, true],
  ["openai/gpt-of-tomorrow", {}, true],
  ["bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", {}, true],
  ["bedrock/us.amazon.nova-pro-v1:0", {}, true],
  ["bedrock/us.amazon.nova-micro-v1:0", {}, false],
  ["openrouter/qwen/qwen3-coder", {}, false],
  ["openai-compatible/mystery", {}, false],
  ["openai-compatible/mystery", { mystery: true }, true],
  ["openai-compatible/mystery", { "openai-compatible/mystery": true, mystery: false }, true],
  ["openai/gpt-5", { "openai/gpt-5": false }, false],
])("images: %s with %j", (id, images, takes) => {
  expect(factsOf(id, { images }).images === true).toBe(takes);
});

test("the catalogue holds together", () => {
  expect(catalogIds().length).toBeGreaterThan(40);
  for (const id of catalogIds()) {
    const facts = factsOf(id);
    expect(providerNames()).toContain(id.split("/")[0]);
    expect(facts.maxOutput).toBeLessThanOrEqual(facts.window);
    if (!facts.prices) continue;
    expect(facts.prices.date).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(facts.prices.output).toBeGreaterThan(facts.prices.input);
    expect(facts.prices.cacheRead ?? 0).toBeLessThan(facts.prices.input);
  }
});

test("local servers: those that answer in time, in order, ready for -m", async () => {
  const one = await startChat([], ["qwen3:8b", "llama"]);
  const silent = await startChat([{ stallAfter: -1 }]);
  const other = await startChat([{ status: 404 }]);
  const port = ({ url }: { url: string }) => Number(new URL(url).port);
  const servers = [
    { name: "silent", port: port(silent) },
    { name: "other", port: port(other) },
    { name: "nobody", port: 1 },
    { name: "Ollama", port: port(one) },
  ];
  const found = await discoverLocal({ servers, timeout: 300 });
  expect(found).toEqual([
    { id: "openai-compatible/qwen3:8b", server: "Ollama", baseUrl: `${one.url}/v1`, model: "qwen3:8b" },
    { id: "openai-compatible/llama", server: "Ollama", baseUrl: `${one.url}/v1`, model: "llama" },
  ]);
  await Promise.all([one.close(), silent.close(), other.close()]);
});
