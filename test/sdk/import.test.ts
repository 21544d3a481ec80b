// Sessions of other programs: what is taken over of each documented format, and that it goes on with every provider.
// Files that mean harm are import-hostile.test.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { placeOf } from "../../src/harness/place.js";
import { importSession } from "../../src/harness/sessions/import.js";
import { createHarness } from "../../src/index.js";
import type { Entry } from "../../src/session/index.js";
import { entriesIn, project } from "../support/imported.js";
import { root as repo, tempDir } from "../support/run.js";
import { stage } from "../support/stage.js";
import { requestFaults } from "../support/wire/faults.js";
import { protocols } from "../support/wire/protocols.js";

const data = join(repo, "test/data/import");
const sources = readdirSync(data).sort();
const fileOf = (source: string) => {
  const name = readdirSync(join(data, source)).find((file) => file.startsWith("session."));
  return join(data, source, name ?? "");
};

/** The session as text: who follows whom, and what was said. */
function told(entries: readonly Entry[]): string {
  const numbers = new Map(entries.map(({ id }, i) => [id, i]));
  const at = (id: string | null) => (id === null ? "-" : String(numbers.get(id)));
  const lines = entries.map((entry, i) => {
    const head = `${i} <${at(entry.parent)} ${entry.type}`;
    switch (entry.type) {
      case "message":
        return `${head} ${entry.data.role} ${entry.data.origin ?? ""} ${JSON.stringify(entry.data.parts, null, 1)}`;
      case "label":
        return `${head} ${at(entry.data.target)} ${entry.data.text}`;
      case "head":
        return `${head} ${at(entry.data.target)}`;
      case "note":
        return `${head} ${entry.data.text} ${JSON.stringify(entry.data.data, null, 1)}`;
      default:
        return head;
    }
  });
  return `${lines.join("\n")}\n`;
}

describe.each(sources)("%s", (source) => {
  test("is taken over as written down", async () => {
    const { place, logs } = project();
    const imported = await importSession(place, fileOf(source));
    expect(imported.format).toBe(source.replace("-early", ""));
    const [file = ""] = logs();
    await expect(told(entriesIn(file))).toMatchFileSnapshot(join(data, source, "expected.txt"));
  });

  test.each(protocols)("goes on with $name", async (protocol) => {
    const { home, cwd, place } = project();
    const { session, about } = await importSession(place, fileOf(source));
    const server = await protocol.start([{ text: "Going on." }, { text: "And on." }]);
    onTestFinished(() => server.close());
    const harness = createHarness({ cwd, home, model: protocol.id, env: protocol.env(server) });
    onTestFinished(() => harness.close());
    const opened = await harness.open({ resume: session });
    const result = await opened.send("Go on, please.");
    expect(result).toMatchObject({ subtype: "success", result: "Going on." });
    await opened.send("And on?");
    const bodies = server.requests.map(({ body }) => body);
    expect(bodies.map((body) => requestFaults(protocol.name, body))).toEqual([[], []]);
    expect(bodies[0]).toContain("Go on, please.");
    // What another model thought is not sent, and neither is anything of its instructions.
    expect(bodies[0]).not.toMatch(
      /A page, then|Counting|Look first|Read it\.|environment_context|You are a coding agent/,
    );
    expect([...opened.entries()].find(({ type }) => type === "prompt")).toMatchObject({ data: { cause: "import" } });
    expect(about.session).not.toBeNull();
  });
});

describe("what was compacted begins anew, and the way there is another branch", () => {
  const text = (words: string) => [{ type: "text", text: words }];
  const message = (role: string, words: string) => ({ type: "message", role, content: text(words) });
  const claude = (uuid: string, parentUuid: string | null, more: object) =>
    JSON.stringify({ sessionId: "s", type: "user", uuid, parentUuid, ...more });
  const codex = (type: string, payload: object) => JSON.stringify({ type, payload });
  const files = {
    "claude-code": [
      claude("a", null, { message: { content: "old" } }),
      claude("b", null, { type: "system", subtype: "compact_boundary", logicalParentUuid: "a" }),
      claude("c", "b", { isCompactSummary: true, message: { content: "in short" } }),
      claude("d", "c", { message: { content: "new" } }),
    ],
    codex: [
      codex("session_meta", { id: "s" }),
      codex("response_item", message("user", "old")),
      codex("compacted", { message: "in short" }),
      codex("response_item", message("user", "new")),
    ],
    "codex with its history": [
      codex("session_meta", { id: "s" }),
      codex("response_item", message("user", "old")),
      codex("compacted", { message: "", replacement_history: [message("user", "in short")] }),
      codex("response_item", message("user", "new")),
    ],
    "pi with its tail": [
      JSON.stringify({ type: "session", version: 3, id: "s", cwd: "/" }),
      JSON.stringify({ type: "message", id: "1", parentId: null, message: { role: "user", content: "old" } }),
      JSON.stringify({
        type: "compaction",
        id: "2",
        parentId: "1",
        summary: "in short",
        retainedTail: [{ role: "user", content: "new" }],
      }),
    ],
    opencode: [
      JSON.stringify({
        info: { id: "s" },
        messages: [
          { info: { role: "user" }, parts: text("old") },
          { info: { role: "assistant", summary: true }, parts: text("in short") },
          { info: { role: "user" }, parts: text("new") },
        ],
      }),
    ],
  };

  test.each(Object.entries(files))("%s", async (_name, lines) => {
    const { place, logs } = project();
    const file = join(tempDir(), "session");
    writeFileSync(file, lines.join("\n"));
    await importSession(place, file);
    const messages = entriesIn(logs()[0] ?? "").filter((entry) => entry.type === "message");
    const words = messages.map(({ data }) => data.parts.map((part) => (part.type === "text" ? part.text : "")).join());
    expect(words).toEqual(["old", "in short", "new"]);
    expect(messages.map(({ parent }) => parent)).toEqual([null, null, messages[1]?.id]);
  });
});

describe("Cinch's own", () => {
  const script = [
    { calls: [{ id: "w", name: "write_file", input: { path: "a.txt", content: "one\n" } }] },
    { thinking: { text: "hm", signature: "sig" }, text: "written" },
    { text: "other branch" },
  ];

  async function exported() {
    const set = await stage(script);
    const session = await set.open();
    await session.send("make a file");
    const [first] = [...session.entries()].filter((entry) => entry.type === "message");
    await session.label(first?.id ?? "", "the start");
    await session.rewind();
    await session.send("something else");
    await session.close();
    const { exportSession } = await import("../../src/harness/sessions/export.js");
    const at = { ...placeOf({ cwd: set.root, home: set.home }), models: {} };
    const { text } = await exportSession(at, session.id, "jsonl", false);
    const file = join(tempDir(), `${session.id}.jsonl`);
    writeFileSync(file, text);
    return { set, session, file };
  }

  test("comes back from its export with branches, labels and figures; nothing of the other machine does", async () => {
    const { file, session } = await exported();
    const { place, logs, home } = project();
    const imported = await importSession(place, file);
    expect(imported).toMatchObject({ format: "cinch", about: { session: session.id } });
    const entries = entriesIn(logs()[0] ?? "");
    const kinds = new Set(entries.map(({ type }) => type));
    expect([...kinds].sort()).toEqual(["header", "label", "message", "model", "note"]);
    const text = told(entries);
    for (const words of ["make a file", "written", "something else", "other branch", "the start"]) {
      expect(text).toContain(words);
    }
    expect(text).not.toContain("hm");
    expect(entries.filter((entry) => entry.type === "message" && entry.data.usage)).toHaveLength(3);
    expect(imported.dropped.get("entry of type prompt")).toBeGreaterThan(0);
    expect(entries[0]).toMatchObject({ data: { parentSession: session.id } });
    // Which model goes on is not for a file to say.
    const harness = createHarness({ cwd: place.root, home, env: { OPENAI_API_KEY: "k" } });
    onTestFinished(() => harness.close());
    expect((await harness.open({ resume: imported.session })).init.model).toMatch(/^openai\//);
  });

  test("damage in it is counted", async () => {
    const { file } = await exported();
    writeFileSync(file, readFileSync(file, "utf8").replace("something else", "something evil"));
    const { place, logs } = project();
    const { dropped } = await importSession(place, file);
    expect(dropped.get("damaged or unfinished line")).toBe(1);
    expect(told(entriesIn(logs()[0] ?? ""))).not.toContain("evil");
  });
});
