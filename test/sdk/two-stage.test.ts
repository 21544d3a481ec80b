// `files.twoStage`: a call that comes without its text is checked first; then one request asks for the text alone, its
// bytes land, and the conversation goes on as if that request had never been part of it.

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Event, HarnessOptions } from "../../src/index.js";
import { fixedClock } from "../../src/lib/fixed.js";
import { type Body, blocks, resultText, type Stage, stage } from "../support/stage.js";
import type { WireReply } from "../support/wire/server.js";

const on = { permissions: { mode: "auto" }, files: { twoStage: true } } as const;
const write = (path: string, id = "w"): WireReply => ({ calls: [{ id, name: "write_file", input: { path } }] });
const append = (path: string, id = "a"): WireReply => ({ calls: [{ id, name: "append_file", input: { path } }] });
const body = (text: string, more: Partial<WireReply> = {}): WireReply => ({ text, ...more });
const ok: WireReply = { text: "ok" };
const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => `const line${from + i} = ${from + i};\n`).join("");

async function run(script: WireReply[], options: Partial<HarnessOptions> = {}, files: Record<string, string> = {}) {
  const staged = await stage(script);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(staged.root, name), text);
  const session = await staged.open({ settings: on, ...options });
  const result = await session.send("go");
  return { ...staged, session, result, text: (name: string) => readFileSync(join(staged.root, name), "utf8") };
}

/** The question of a request that asks for a text; an opening of the answer may stand behind it. */
const question = (request: Body | undefined) =>
  blocks(request as Body).findLast((block) => block.startsWith("user ")) ?? "";
const asks = (request: Body) => question(request).includes("Now send the ");

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

  it("refuses what is no pattern", async () => {
    const { open } = await stage([]);
    await expect(open({ settings: { files: { twoStage: ["[z-a]"] } } })).rejects.toThrow(/files\.twoStage: "\[z-a\]"/);
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
    const aside = /The text you sent is in (\S+)\.\]/.exec(resultText(bodies()[2], "w"))?.[1] ?? "";
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

describe("a text that does not arrive whole", () => {
  it("is kept up to its last whole line when the limit cuts it, and can be continued", async () => {
    const { bodies, text } = await run([
      write("a.js"),
      body(`${lines(1, 30)}const li`, { stop: "length" }),
      append("a.js"),
      body(lines(31, 40)),
      ok,
    ]);
    expect(text("a.js")).toBe(lines(1, 40));
    expect(resultText(bodies()[2], "w")).toContain(
      'Kept: 30 whole lines, the last one is "const line30 = 30;". The file is not complete: go on with the line after that one with append_file.',
    );
    expect(question(bodies()[3])).toContain("const line30 = 30;");
  });

  it("is an error when not one line is whole", async () => {
    const { bodies, root } = await run([write("a.js"), body("const li", { stop: "length" }), ok]);
    expect(resultText(bodies()[2], "w")).toContain("cut before the end of the first line");
    expect(existsSync(join(root, "a.js"))).toBe(false);
  });

  it("is asked for again when little had come before the connection broke, else kept", async () => {
    const broken = (upTo: number) => body(lines(1, upTo), { chunk: 20_000, cutAfter: 4 });
    const clock = fixedClock();
    const few = await run([write("a.js"), broken(5), body("f();\n"), ok], { clock });
    expect(few.text("a.js")).toBe("f();\n");
    expect(few.bodies()[2]).toEqual(few.bodies()[1]);
    expect(few.events.some((event) => event.type === "notice" && event.code === "retry")).toBe(true);
    expect(few.events.some((event) => event.type === "turn.retry")).toBe(false);

    const many = await run([write("a.js"), broken(40), ok], { clock });
    expect(many.text("a.js")).toBe(lines(1, 40));
    // The last one asks for the rest.
    expect(many.bodies()).toHaveLength(4);
    expect(resultText(many.bodies()[2], "w")).toContain("Kept: 40 whole lines");
  });

  it("is dropped when the run is cancelled", async () => {
    const { open, root, server, events } = await stage([
      write("a.js"),
      body(lines(1, 200), { chunk: 40, stallAfter: 30 }),
      ok,
    ]);
    const session = await open({ settings: on });
    const seen = (async () => {
      for await (const event of session.events()) if (event.type === "call.progress") return session.cancel();
    })();
    const result = await session.send("go");
    await seen;
    expect(result.subtype).toBe("error_cancelled");
    await server.closed(1);
    expect(server.requests).toHaveLength(2);
    expect(existsSync(join(root, "a.js"))).toBe(false);
    expect(ended(events, "w")).toMatchObject({ status: "cancelled" });
  });
});

const ended = (events: readonly Event[], call: string) =>
  events.find((event) => event.type === "call.end" && event.call === call);

describe("what it costs", () => {
  const script: WireReply[] = [
    write("a.js"),
    body(lines(1, 3), { usage: { input: 7, output: 30, read: 100, write: 4 } }),
    append("a.js"),
    body(lines(4, 5), { usage: { input: 8, output: 20, read: 200, write: 5 } }),
    write("b.js", "w2"),
    body("f();\n"),
    ok,
  ];

  it("is counted, and in the log", async () => {
    const { result, events } = await run(script);
    expect(result.num_turns).toBe(7);
    expect(result.usage).toEqual({
      input_tokens: 5 * 10 + 7 + 8,
      output_tokens: 5 * 5 + 30 + 20,
      cache_read_input_tokens: 300,
      cache_creation_input_tokens: 9,
    });
    const turns = events.filter((event) => event.type === "turn.end");
    expect(turns.map((event) => event.turn)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    const spent = turns.reduce((sum, event) => sum + (event.cost ?? 0), 0);
    expect(result.total_cost_usd).toBeCloseTo(spent, 10);
  });

  it("counts against the budget before it is asked for", async () => {
    const settings = { ...on, limits: { turns: 1 } };
    const { bodies, result, root } = await run(script, { settings });
    expect(bodies()).toHaveLength(1);
    expect(result.subtype).toBe("error_max_turns");
    expect(existsSync(join(root, "a.js"))).toBe(false);
  });

  it("is streamed line by line inside its call", async () => {
    const { events } = await run([write("a.js"), body("one\ntwo\n", { chunk: 3 }), ok]);
    const mine = events.filter((event) => "call" in event && event.call === "w");
    expect(mine.map(({ type }) => type)).toEqual(["call.start", "call.progress", "call.progress", "call.end"]);
    expect(mine.flatMap((event) => (event.type === "call.progress" ? [event.line] : []))).toEqual(["one", "two"]);
    expect(events.some((event) => event.type === "text.delta" && event.text.includes("one"))).toBe(false);
  });

  it("leaves the conversation's prefix whole, to the byte", async () => {
    const { bodies, events } = await run(script);
    const requests = bodies();
    const head = ({ tools, system }: Body) => JSON.stringify([tools, system]);
    expect(new Set(requests.map(head)).size).toBe(1);
    const own = requests.filter((request) => !asks(request));
    expect(own).toHaveLength(4);
    for (const [i, request] of own.slice(1).entries()) expectPrefix(own[i] as Body, request);
    for (const [i, request] of requests.entries()) {
      if (!asks(request)) continue;
      // All but the placeholder result, the question and the opening of the answer is in the request before and in the one after.
      const shared = blocks(request).slice(0, -3);
      expect(blocks(request).at(-1)).toContain("assistant ");
      const before = requests.slice(0, i).findLast((each) => !asks(each)) as Body;
      const after = requests.slice(i).find((each) => !asks(each)) as Body;
      expect(shared.slice(0, blocks(before).length)).toEqual(blocks(before));
      expect(blocks(after).slice(0, shared.length)).toEqual(shared);
    }
    expect(events.some((event) => event.type === "cache.break")).toBe(false);
  });

  it("marks for the cache only what the next request will have as well", async () => {
    const { bodies } = await run(script);
    for (const request of bodies().filter(asks)) {
      const marked = request.messages.flatMap(({ content }) => content.map(({ cache_control }) => !!cache_control));
      expect(marked.slice(-3)).toEqual([false, false, false]);
      expect(marked.at(-4)).toBe(true);
      expect(marked.filter(Boolean).length).toBeLessThanOrEqual(3);
    }
  });
});

function expectPrefix(before: Body, after: Body): void {
  expect(blocks(after).slice(0, blocks(before).length)).toEqual(blocks(before));
}

it("goes on after a resume with the same prefix", async () => {
  const at: Stage = await stage([write("a.js"), body("f();\n"), ok, append("a.js"), body("g();\n"), ok]);
  const first = await at.open({ settings: on });
  await first.send("go");
  await first.close();
  const second = await at.open({ settings: on }, first.id);
  await second.send("more");
  expect(readFileSync(join(at.root, "a.js"), "utf8")).toBe("f();\ng();\n");
  const own = at.bodies().filter((request) => !asks(request));
  expectPrefix(own[1] as Body, own[2] as Body);
  expect(at.events.some((event) => event.type === "cache.break")).toBe(false);
});
