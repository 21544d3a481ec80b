// `files.twoStage` with a model that goes on from the beginning of an answer: an open fence is put there, what closes it
// comes off, and no other request ever holds it.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Body, blocks, resultText, stage } from "../support/stage.js";
import { ok, on, run, write } from "../support/two-stage.js";
import { startBedrock } from "../support/wire/bedrock.js";

/** The opening at the end of a request, if there is one. */
function opening(request: Body | undefined): string | undefined {
  const last = request?.messages.at(-1);
  return last?.role === "assistant" ? last.content.map(({ text }) => text).join("") : undefined;
}

describe("the opening", () => {
  it("stands as the last bytes of that request alone, and says so in the question", async () => {
    const { bodies, server, text } = await run([write("a.ts"), { text: "\nf();\n```\n" }, ok]);
    expect(text("a.ts")).toBe("f();\n");
    expect(server.requests[1]?.body).toContain('{"role":"assistant","content":[{"type":"text","text":"```ts"}]}]');
    expect(blocks(bodies()[1] as Body).at(-2)).toContain("Your reply is begun for you");
    expect(bodies().map(opening)).toEqual([undefined, "```ts", undefined]);
    expect(resultText(bodies()[2], "w")).toMatch(/^created a\.ts.*The text, as you sent it:\nf\(\);\n$/s);
    expect(resultText(bodies()[2], "w")).not.toContain("note:");
  });

  it.each([
    ["a.py", "```py"],
    ["page.html", "```html"],
    ["Dockerfile", "```"],
    ["README.md", undefined],
    ["notes.txt", undefined],
    ["LICENSE", undefined],
    ["x.unknown", undefined],
  ])("for %s is %s", async (path, expected) => {
    const { bodies } = await run([write(path), { text: "\nx = 1\n" }, ok]);
    expect(opening(bodies()[1])).toBe(expected);
  });

  it("is left out for models that do not take it, or that think first", async () => {
    const newer = await run([write("a.ts"), { text: "f();\n" }, ok], { model: "anthropic/claude-sonnet-5-5" });
    expect(opening(newer.bodies()[1])).toBeUndefined();
    const thinking = { type: "enabled", budget_tokens: 2_000, budgetTokens: 2_000 };
    const settings = { ...on, models: { anthropic: { options: { thinking } } } };
    const thinks = await run([write("a.ts"), { text: "f();\n" }, ok], { settings });
    expect(opening(thinks.bodies()[1])).toBeUndefined();
    expect([newer.text("a.ts"), thinks.text("a.ts")]).toEqual(["f();\n", "f();\n"]);
  });

  it("is left out where the text may go on in a line", async () => {
    const call = { id: "a", name: "append_file", input: { path: "a.ts" } };
    const { bodies, text } = await run([{ calls: [call] }, { text: "b();\n" }, ok], {}, { "a.ts": "a(); " });
    expect(opening(bodies()[1])).toBeUndefined();
    expect(text("a.ts")).toBe("a(); b();\n");
  });

  it("is refused once and not used again in the session", async () => {
    const refusal = { status: 400, error: { type: "invalid_request_error", message: "prefill is not supported" } };
    const again = { calls: [{ id: "v", name: "write_file", input: { path: "b.ts" } }] };
    const { bodies, text } = await run([write("a.ts"), refusal, { text: "f();\n" }, again, { text: "g();\n" }, ok]);
    expect(bodies().map(opening)).toEqual([undefined, "```ts", undefined, undefined, undefined, undefined]);
    expect([text("a.ts"), text("b.ts")]).toEqual(["f();\n", "g();\n"]);
    const [first, second] = bodies()
      .slice(1)
      .map((body) => blocks(body));
    expect(second?.slice(0, -1)).toEqual(first?.slice(0, -2));
    const refused = await run([write("a.ts"), refusal, refusal, ok]);
    expect(refused.bodies()).toHaveLength(4);
    expect(resultText(refused.bodies()[3], "w")).toContain("Not run: its text was asked for and did not come");
  });

  it("works on Bedrock", async () => {
    const call = { id: "w", name: "write_file", input: { path: "a.ts" } };
    const server = await startBedrock([{ calls: [call] }, { text: "\nf();\n```" }, ok]);
    const env = { AWS_BEARER_TOKEN_BEDROCK: "k", AWS_ENDPOINT_URL_BEDROCK_RUNTIME: server.url };
    const model = "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0";
    const { text } = await run([], { model, env: { ...env, PATH: process.env["PATH"] } });
    await server.close();
    expect(text("a.ts")).toBe("f();\n");
    const bodies = server.requests.map(({ body }) => body);
    expect(bodies.map((body) => body.includes('{"role":"assistant","content":[{"text":"```ts"}]}'))).toEqual([
      false,
      true,
      false,
    ]);
  });
});

describe("what comes back", () => {
  it.each([
    ["closed and remarked on", "\nf();\n```\nThis calls f.", "f();\n", "left out what you said behind the text: This"],
    ["begun anew", "\n```ts\nf();\n```\n", "f();\n", "left out the ```ts fence"],
    ["not fenced at all", "f();\n", "f();\n", ""],
    ["with fences of its own inside", "\n/*\n```\nx\n```\n*/\n```\n", "/*\n```\nx\n```\n*/\n", ""],
  ])("%s", async (_, reply, content, note) => {
    const { bodies, text } = await run([write("a.ts"), { text: reply }, ok]);
    expect(text("a.ts")).toBe(content);
    expect(resultText(bodies()[2], "w")).toContain(note);
  });

  it("cut: the whole lines are kept, without the opening's line end", async () => {
    const lines = Array.from({ length: 30 }, (_, i) => `line(${i});\n`).join("");
    const { bodies, text } = await run([write("a.ts"), { text: `\n${lines}lin`, stop: "length" }, ok]);
    expect(text("a.ts")).toBe(lines);
    expect(resultText(bodies()[2], "w")).toContain("Kept: 30 whole lines");
  });

  it.each([["\n```"], [""], ["\n\n```\n"]])("nothing (%j): an error, and nothing is written", async (reply) => {
    const { bodies } = await run([write("a.ts"), { text: reply }, ok]);
    expect(resultText(bodies()[2], "w")).toContain("sent none");
  });
});

it("a ref is a text: nothing is asked for, and the refused content lands", async () => {
  const remove = { calls: [{ id: "d", name: "delete_file", input: { path: "a.ts" } }] };
  let ref = "";
  const set = await stage((_, index) => {
    if (index === 0) return { calls: [{ id: "r", name: "write_file", input: { path: "a.ts", content: "f();\n" } }] };
    if (index === 1) {
      ref = /with ref ([0-9a-f]{12})/.exec(resultText(set.bodies()[1], "r"))?.[1] ?? "";
      return remove;
    }
    return index === 2 ? { calls: [{ id: "w", name: "write_file", input: { path: "a.ts", ref } }] } : ok;
  });
  writeFileSync(join(set.root, "a.ts"), "old();\n");
  await (await set.open({ settings: on })).send("go");
  expect(ref).toMatch(/^\w{12}$/);
  expect(set.bodies()).toHaveLength(4);
  expect(resultText(set.bodies()[3], "w")).toMatch(/^rewrote a\.ts/);
  expect(readFileSync(join(set.root, "a.ts"), "utf8")).toBe("f();\n");
});
