import { expect, test } from "vitest";
import { failureOf } from "./failure.js";
import { KnownFailure } from "./known-failure.js";

const context = { id: "vendor/model", secrets: ["the-whole-key"], keyFrom: undefined, now: 0, partial: undefined };

function http(statusCode: number, message: string, more: object = {}): Error {
  return Object.assign(new Error(message), { statusCode, ...more });
}

test.each([
  [400, "prompt is too long: 210000 tokens > 200000 maximum", "overflow"],
  [400, "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000", "overflow"],
  [400, "This model's maximum context length is 8192 tokens", "overflow"],
  [400, "the request exceeds the available context size, try increasing it", "overflow"],
  [400, "The input token count (1200000) exceeds the maximum number of tokens allowed", "overflow"],
  [413, "request_too_large", "overflow"],
  [400, "max_tokens: 300000 > 128000, which is the maximum allowed number of output tokens", "request"],
  [400, "tools.0.custom.input_schema: JSON schema is invalid", "request"],
  [422, "unprocessable", "request"],
  [402, "credit balance is too low", "request"],
  [401, "nope", "auth"],
  [403, "not allowed", "auth"],
  [408, "timeout", "network"],
  [429, "too many tokens per minute", "rate"],
  [503, "unavailable", "network"],
  [529, "overloaded", "network"],
  [200, "Failed to process successful response", "network"],
])("HTTP %i, %s: %s", (status, message, kind) => {
  expect(failureOf(http(status, message), context)).toMatchObject({ type: "fail", kind, status });
});

test("what vendors send inside a stream", () => {
  const kinds = (errors: unknown[]) => errors.map((error) => failureOf(error, context).kind);
  expect(
    kinds([
      { type: "overloaded_error", message: "Overloaded" },
      { type: "rate_limit_error", message: "slow" },
      { type: "invalid_request_error", message: "bad" },
      { message: "Rate limit reached", type: "tokens", code: "rate_limit_exceeded" },
      { type: "error", error: { type: "server_error", code: "server_error", message: "sorry" } },
      { code: "context_length_exceeded", message: "Your input exceeds the context window" },
      { message: "unknown", code: 500 },
      "connection lost",
      undefined,
    ]),
  ).toEqual(["network", "rate", "request", "rate", "network", "overflow", "network", "network", "network"]);
});

test("waiting: seconds, milliseconds, dates, and nonsense", () => {
  const after = (responseHeaders: object, now = 0) =>
    failureOf(http(429, "slow", { responseHeaders }), { ...context, now }).retryAfter;
  expect(after({ "retry-after": "2" })).toBe(2000);
  expect(after({ "retry-after": "0.5" })).toBe(500);
  expect(after({ "retry-after": "-3" })).toBeUndefined();
  expect(after({ "retry-after": "soon" })).toBeUndefined();
  expect(after({ "retry-after-ms": "1500", "retry-after": "9" })).toBe(1500);
  expect(after({ "retry-after": "Thu, 01 Jan 1970 00:01:00 GMT" }, 20_000)).toBe(40_000);
  expect(after({ "retry-after": "Thu, 01 Jan 1970 00:00:10 GMT" }, 20_000)).toBe(0);
});

test("texts are one line, bounded, and without keys", () => {
  const long = `bad\nkey the-whole-key and sk-ant-REDACTED and ${"x".repeat(900)}`;
  const { text } = failureOf(http(400, long), context);
  expect(text).toContain("vendor/model rejected the request (HTTP 400): bad key [key] and [key] and x");
  expect(text).not.toContain("\n");
  expect(text.length).toBeLessThan(600);
});

test("causes are told, and a known failure keeps its words", () => {
  const wrapped = new Error("Cannot connect", { cause: new Error("connect ECONNREFUSED 127.0.0.1:1") });
  expect(failureOf(wrapped, context).text).toContain("Cannot connect: connect ECONNREFUSED 127.0.0.1:1");
  expect(failureOf(new KnownFailure("request", "Exactly this."), context)).toEqual({
    type: "fail",
    kind: "request",
    text: "Exactly this.",
  });
});
