// `files.twoStage`: a call that comes without its text is checked first; then one request asks for the text alone, its
// bytes land, and the conversation goes on as if that request had never been part of it (two-stage-prefix.test).

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { HarnessOptions } from "../../src/index.js";
import { type Body, resultText, stage } from "../support/stage.js";
import { append, asks, body, ok, on, question, run, write } from "../support/two-stage.js";
import type { WireReply } from "../support/wire/server.js";

/** The data of all entries of a type in the session files below a home. */
function logged(home: string, type: string): unknown[] {
  const files = readdirSync(home, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".jsonl"));
  const text = files.map((name) => readFileSync(join(home, name), "utf8")).join("");
  const entries = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string; data: unknown });
  return entries.filter((entry) => entry.type === type).map(({ data }) => data);
}

/** Does the request tell the model that it may leave the content out of calls of this tool? */
function mayLeaveOut(request: Body | undefined, tool: string): boolean {
  const found = ((request?.tools ?? []) as Declared[]).find(({ name }) => name === tool);
  const demanded = found?.input_schema.required?.includes("content") ?? false;
  return (found?.description.includes("Leave content out") ?? false) && !demanded;
}

interface Declared {
  name: string;
  description: string;
  input_schema: { required?: string[] };
}

describe("the setting", () => {
  it("is off by default: the text is demanded and missing it is an error", async () => {
    const { bodies, root } = await run([write("a.js"), ok], { settings: { permissions: { mode: "auto" } } });
    expect(mayLeaveOut(bodies()[0], "write_file")).toBe(false);
    expect(bodies()).toHaveLength(2);
    expect(resultText(bodies()[1], "w")).toContain("content");
    expect(existsSync(join(root, "a.js"))).toBe(false);
  });

  it.each([
    [["claude-*"], true],
    [["openai/*", "anthropic/claude-sonnet-4-5"], true],
    [["anthropic/**"], true],
    [["gpt-*"], false],
    [[], false],
  ])("%j: for this model %s", async (twoStage, applies) => {
    const settings = { ...on, files: { twoStage } };
    const { bodies } = await run([ok], { settings });
    expect(mayLeaveOut(bodies()[0], "write_file")).toBe(applies);
    expect(mayLeaveOut(bodies()[0], "append_file")).toBe(applies);
    expect(mayLeaveOut(bodies()[0], "edit_file")).toBe(false);
  });

  it("refuses a pattern that is too long", async () => {
    const { open } = await stage([]);
    const settings = { files: { twoStage: ["a*".repeat(2_000)] } };
    await expect(open({ settings })).rejects.toThrow(/^files\.twoStage: .*"a\*a.*1000 characters/);
  });

  it("keeps the first request small", async () => {
    const { bodies } = await run([ok]);
    const [first] = bodies();
    expect(JSON.stringify([first?.tools, first?.system, first?.messages]).length / 4).toBeLessThanOrEqual(1_400);
  });

  it("leaves a call alone that brings its text", async () => {
    const { bodies, text } = await run([
      { calls: [{ id: "w", name: "write_file", input: { path: "a.js", content: "" } }] },
      ok,
    ]);
    expect(text("a.js")).toBe("");
    expect(bodies()).toHaveLength(2);
  });
});

describe("what is checked before the text is asked for", () => {
  it.each([
    ["exists with other content", { "a.js": "mine\n" }, "a.js", "exists already"],
    ["exists and is empty", { "a.js": "" }, "a.js", "exists already and is empty"],
    ["is outside", {}, "../a.js", "outside the project"],
    ["is a directory", {}, ".git", "directory"],
  ])("a path that %s costs no request", async (_, files, path, says) => {
    const { bodies } = await run([write(path), ok], {}, files);
    expect(bodies().filter(asks)).toEqual([]);
    expect(bodies()).toHaveLength(2);
    expect(resultText(bodies()[1], "w")).toContain(says);
  });

  it("nor does what is denied, by the profile or because nobody can be asked", async () => {
    const settings = { files: { twoStage: true } };
    const headless = await run([write("a.js"), ok], { settings });
    expect(headless.bodies()).toHaveLength(2);
    expect(headless.result).toMatchObject({ exit_code: 7, permission_denials: [{ tool_use_id: "w" }] });

    const readonly = await run([write("a.js"), ok], { settings: { ...on, tools: { profile: "readonly" } } });
    expect(readonly.bodies()).toHaveLength(2);
    expect(readonly.result.permission_denials).toHaveLength(1);
  });

  it("an append whose file is not as long as expected costs no request", async () => {
    const call = { id: "a", name: "append_file", input: { path: "a.js", expected_size: 3 } };
    const { bodies, text } = await run([{ calls: [call] }, ok], {}, { "a.js": "mine\n" });
    expect(bodies()).toHaveLength(2);
    expect(resultText(bodies()[1], "a")).toContain("has 5 bytes, not 3");
    expect(text("a.js")).toBe("mine\n");
  });
});

describe("the text", () => {
  const odd = '\tif (a < "b\\n") {\n  \u2028é𝄞 `x` </contents>\n}\n\n';

  it("lands byte for byte, is told to the model, and is the input of the intent", async () => {
    const { bodies, text, session, home } = await run([write("a.txt"), body(odd), ok]);
    expect(text("a.txt")).toBe(odd);
    expect(bodies()).toHaveLength(3);
    expect(asks(bodies()[1] as Body)).toBe(true);
    expect(resultText(bodies()[1], "w")).toContain("Nothing is written yet");
    expect(resultText(bodies()[2], "w")).toMatch(/^created a\.txt/);
    expect(resultText(bodies()[2], "w").endsWith(`The text, as you sent it:\n${odd}`)).toBe(true);
    const messages = [...session.entries()].filter(({ type }) => type === "message");
    expect(messages).toHaveLength(4);
    expect(logged(home, "intent")).toMatchObject([{ call: "w", input: { path: "a.txt", content: odd } }]);
    expect(logged(home, "note")).toMatchObject([{ code: "text.apart", data: { call: "w", usage: { output: 5 } } }]);
  });

  it("replaces a file that was deleted just before", async () => {
    const remove = { id: "d", name: "delete_file", input: { path: "a.js" } };
    const calls = [remove, ...(write("a.js").calls ?? [])];
    const { bodies, text, result } = await run([{ calls }, body("f();\n"), ok], {}, { "a.js": "old();\n" });
    expect(text("a.js")).toBe("f();\n");
    expect(bodies()).toHaveLength(3);
    expect(result.files).toMatchObject([{ before: expect.any(String), after: expect.any(String) }]);
  });

  it("keeps the missing line end, and loses its wrappers with a note", async () => {
    const bare = await run([write("a.js"), body("f()"), ok]);
    expect(bare.text("a.js")).toBe("f()");
    const fenced = await run([write("a.js"), body("```js\nf();\n```\n"), ok]);
    expect(fenced.text("a.js")).toBe("f();\n");
    expect(resultText(fenced.bodies()[2], "w")).toContain("note: left out the ```js fence");
  });

  it("is added to a file, whose end the question shows", async () => {
    const { bodies, text } = await run([append("a.js"), body("\nb();\n"), ok], {}, { "a.js": "// 1\na();" });
    expect(text("a.js")).toBe("// 1\na();\nb();\n");
    const asked = question(bodies()[1]);
    expect(asked).toContain("the text to add to the end of a.js");
    expect(asked).toContain("without a line end");
    expect(asked).toContain("// 1\\na();");
  });

  it("is asked for in order: what came before has run, what comes after has not", async () => {
    const script: WireReply[] = [
      {
        calls: [
          { id: "r", name: "read_file", input: { path: "spec.txt" } },
          { id: "w", name: "write_file", input: { path: "a.sh" } },
          { id: "x", name: "run_command", input: { command: "sh a.sh" } },
          { id: "v", name: "use_tool", input: { name: "write_file", input: { path: "b.sh" } } },
        ],
      },
      body("echo made\n"),
      body("echo more\n"),
      ok,
    ];
    const { bodies, text } = await run(script, {}, { "spec.txt": "say made\n" });
    const [, first, second, last] = bodies();
    expect(resultText(first, "r")).toContain("say made");
    expect(resultText(first, "x")).toBe("Not run yet.");
    expect(resultText(second, "x")).toContain("made");
    expect(resultText(last, "v")).toContain("created b.sh");
    expect(text("b.sh")).toBe("echo more\n");
  });

  it("is shown to the user as part of what is approved", async () => {
    const views: unknown[] = [];
    const ask: HarnessOptions["ask"] = async ({ view }) => {
      views.push(view);
      return { decision: "deny", feedback: "no" };
    };
    const { bodies, root } = await run([write("a.js"), body("f();\n"), ok], {
      settings: { files: { twoStage: true } },
      ask,
    });
    expect(views).toEqual([{ type: "diff", path: "a.js", diff: "@@ -0,0 +1 @@\n+f();" }]);
    expect(existsSync(join(root, "a.js"))).toBe(false);
    const aside = /The text you sent is in (.+?)\.\]/.exec(resultText(bodies()[2], "w"))?.[1] ?? "";
    expect(readFileSync(aside, "utf8")).toBe("f();\n");
  });

  it("is not asked for again when the call is repeated", async () => {
    const { bodies, text } = await run([write("a.js"), body("f();\n"), write("a.js"), ok]);
    expect(text("a.js")).toBe("f();\n");
    expect(bodies()).toHaveLength(4);
    expect(bodies().filter(asks)).toHaveLength(1);
  });

  it.each([
    ["nothing", {}],
    ["blanks only", { text: " \n\n" }],
    ["a call", { text: "Here it is:", calls: [{ id: "z", name: "run_command", input: { command: "touch z" } }] }],
    ["a refusal", { text: "I will not", stop: "refusal" }],
    ["a rejected request", { status: 400, error: { message: "bad" } }],
  ] as [string, WireReply][])("%s: an error, and nothing is written or run", async (_, reply) => {
    const { bodies, root, result } = await run([write("a.txt"), reply, ok]);
    expect(result.subtype).toBe("success");
    expect(resultText(bodies()[2], "w")).toMatch(/^Not run: .*Make the call again with the text in it\.$/s);
    expect(existsSync(join(root, "a.txt"))).toBe(false);
    expect(existsSync(join(root, "z"))).toBe(false);
  });
});
