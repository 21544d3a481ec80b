import { expect, test } from "vitest";
import type { Message } from "../core/message.js";
import { KnownSecrets } from "./known.js";
import { redactedEntry } from "./redacted.js";

const known = new KnownSecrets();
known.learn("S", "cAn4ry-value");

const message = (...parts: Message["parts"]) => ({ role: "assistant" as const, parts });

test("a thinking part that holds a secret is dropped whole, the others and the text stay", () => {
  const signed = { type: "thinking" as const, text: "nothing secret", by: "p/m" };
  const told = { type: "thinking" as const, text: "so it is cAn4ry-value", by: "p/m" };
  const text = { type: "text" as const, text: "It is cAn4ry-value." };
  const clean = redactedEntry(known, "message", message(signed, told, text) as never) as { parts: unknown[] };
  expect(clean.parts).toEqual([signed, { type: "text", text: "It is [redacted:S]." }]);
});

test("data without a secret is the very same object", () => {
  const data = message({ type: "thinking", text: "hm", by: "p/m" }) as never;
  expect(redactedEntry(known, "message", data)).toBe(data);
});
