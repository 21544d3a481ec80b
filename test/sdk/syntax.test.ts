// The syntax verdict as the model reads it: after each write, in pieces, after edits, and once at the end of a run.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { HarnessOptions } from "../../src/index.js";
import { type Body, blocks, resultText, stage } from "../support/stage.js";
import type { WireReply } from "../support/wire/server.js";

const write = (id: string, path: string, content: string) => ({ id, name: "write_file", input: { path, content } });
const append = (id: string, path: string, content: string) => ({ id, name: "append_file", input: { path, content } });
const edit = (id: string, path: string, old_string: string, new_string: string) => ({
  id,
  name: "edit_file",
  input: { path, old_string, new_string },
});
const read = (id: string, path: string) => ({ id, name: "read_file", input: { path } });
const done: WireReply = { text: "done" };

async function run(script: WireReply[], files: Record<string, string> = {}, options: Partial<HarnessOptions> = {}) {
  const at = await stage(script);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(at.root, name), text);
  const session = await at.open(options);
  const result = await session.send("go");
  await session.close();
  const all = () => at.bodies().at(-1);
  return { ...at, session, result, line: (call: string) => resultText(all(), call).split("\n").at(-1) };
}

describe("a write", () => {
  it("ends with the verdict, and has happened whatever that is", async () => {
    const calls = [
      write("good", "good.py", "x = 1\n"),
      write("bad", "bad.py", "x = 1\ny = = 2\n"),
      write("prose", "notes.md", "y = = 2\n"),
      write("plain", "a.txt", "((\n"),
    ];
    const { line, root, bodies, result } = await run([{ calls }, done, done]);
    expect(line("good")).toBe("syntax: ok");
    expect(line("bad")).toBe("syntax error at 2:5: cannot be read (`=`)");
    expect(resultText(bodies()[1], "prose") + resultText(bodies()[1], "plain")).not.toContain("syntax");
    expect(readFileSync(join(root, "bad.py"), "utf8")).toBe("x = 1\ny = = 2\n");
    expect(result.files).toHaveLength(4);
    expect(JSON.stringify(result.files)).not.toContain("syntax");
  });

  it("needs no program of the project", async () => {
    const calls = [
      write("py", "a.py", "print(1)\n"),
      write("js", "a.js", "let a;\n"),
      write("no", "b.py", "def f(:\n  x\n"),
    ];
    const at = await stage([{ calls }, done, done]);
    const env = { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: at.server.url, PATH: "/nowhere" };
    await (await at.open({ env })).send("go");
    const [, next] = at.bodies();
    expect(["py", "js", "no"].map((id) => resultText(next, id).split("\n").at(-1))).toEqual([
      "syntax: ok",
      "syntax: ok",
      "syntax error at 1:7: `)` is missing",
    ]);
  });

  it("of a path with blanks, quotes and a command is checked and executes nothing", async () => {
    const path = 'a b/it\'s "$(touch pwned)" `touch pwned`;&.py';
    const { line, root } = await run([
      { calls: [write("w", path, "def f():\n  return (\n"), append("a", path, "  1)\n")] },
      done,
    ]);
    expect(line("a")).toBe("syntax: ok");
    expect(readFileSync(join(root, path), "utf8")).toContain("return");
    expect(existsSync(join(root, "pwned"))).toBe(false);
  });

  it("that could not be checked says so", async () => {
    const { line } = await run([{ calls: [write("w", "a.js", "// @flow\nlet a: number = (;\n")] }, done]);
    expect(line("w")).toBe("syntax: not checked (Flow types)");
  });
});

describe("a file in pieces", () => {
  it("is only advised about what further pieces can close, and each piece lands once", async () => {
    const pieces = ["<html>\n<head>\n", "<script>\nlet a = [\n", "1];\n</script>\n</head>\n<body></body>\n</html>\n"];
    const script = [
      { calls: [write("p1", "a.html", pieces[0] ?? "")] },
      { calls: [append("p2", "a.html", pieces[1] ?? "")] },
      { calls: [append("p3", "a.html", pieces[2] ?? "")] },
      done,
    ];
    const { line, root, bodies, events } = await run(script);
    expect(line("p1")).toBe(
      "syntax so far (partial): open at 1:1: `<html>` is not closed; at 2:1: `<head>` is not closed",
    );
    expect(line("p2")).toContain("syntax so far (partial): error at 1:1");
    expect(line("p3")).toBe("syntax: ok");
    expect(readFileSync(join(root, "a.html"), "utf8")).toBe(pieces.join(""));
    expect(bodies()).toHaveLength(4);
    expect(events.filter((event) => event.type === "notice")).toEqual([]);
  });

  it("with a fault that nothing can close is told at once, with the line", async () => {
    const { line } = await run([
      { calls: [write("w", "a.py", "x = 1\n"), append("bad", "a.py", "def f(:\n    pass\n")] },
      { calls: [edit("e", "a.py", "f(:", "f():")] },
      done,
    ]);
    expect(line("bad")).toBe("syntax error at 2:7: `)` is missing");
    expect(line("e")).toBe("syntax: ok");
  });
});

describe("an edit", () => {
  const good = '{\n  "a": 1,\n  "b": 2\n}\n';

  it("that breaks a file is told, one that does no harm is not", async () => {
    const { line } = await run(
      [
        { calls: [read("r", "a.json")] },
        { calls: [edit("harmless", "a.json", "1", "10"), edit("breaks", "a.json", "10,", "10")] },
        { calls: [edit("mends", "a.json", "10", "10,")] },
        done,
      ],
      { "a.json": good },
    );
    expect(line("harmless")).toBe("syntax: ok");
    expect(line("breaks")).toBe("syntax error at 3:3: `,` is expected");
    expect(line("mends")).toBe("syntax: ok");
  });

  it("of a file that was broken already is not blamed, nor is the run at its end", async () => {
    const { line, bodies, events } = await run(
      [{ calls: [read("r", "a.py")] }, { calls: [edit("e", "a.py", "x = 1", "x = 2")] }, done],
      { "a.py": "x = 1\ny = (\n" },
    );
    expect(line("e")).toBe("syntax: nothing new; as before, error at 2:5: `(` is not closed");
    expect(bodies()).toHaveLength(3);
    expect(events.some((event) => event.type === "notice")).toBe(false);
  });
});

describe("the end of a run", () => {
  const bad = { calls: [write("w", "a.js", "let a = ;\n"), write("v", "b.js", "f(\n")] };
  const list =
    "These files do not parse since you changed them: a.js (1:9: Unexpected token); b.js (2:1: Expected `)` but found `EOF`). Mend them, or say why they are so.";

  it("lists what is broken once, and the model mends it", async () => {
    const mend = { calls: [edit("e", "a.js", "= ;", "= 1;"), edit("f", "b.js", "f(", "f()")] };
    const { bodies, result, events, session } = await run([bad, { text: "first answer" }, mend, { text: "mended" }]);
    expect(blocks(bodies()[2] as Body).at(-1)).toContain(JSON.stringify(list).slice(1, -1));
    expect(result).toMatchObject({ subtype: "success", result: "mended", num_turns: 4 });
    expect(events.some((event) => event.type === "notice" && event.code === "undone")).toBe(false);
    const told = [...session.entries()].filter((entry) => JSON.stringify(entry).includes("do not parse"));
    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject({ type: "message", data: { role: "user", origin: "harness" } });
  });

  it("asks no second time, and tells the user what stays broken", async () => {
    const { bodies, result, events } = await run([bad, { text: "first answer" }, { text: "it is meant so" }]);
    expect(bodies()).toHaveLength(3);
    expect(result).toMatchObject({ subtype: "success", exit_code: 0, result: "it is meant so" });
    const notices = events.filter((event) => event.type === "notice" && event.code === "undone");
    expect(notices).toEqual([
      expect.objectContaining({ level: "warning", text: expect.stringContaining("b.js (2:1") }),
    ]);
  });

  it("does not turn a finished run into one over its budget", async () => {
    const settings = { permissions: { mode: "auto" }, limits: { turns: 2 } } as const;
    const { bodies, result } = await run([bad, { text: "answer" }], {}, { settings });
    expect(bodies()).toHaveLength(2);
    expect(result).toMatchObject({ subtype: "success", result: "answer" });
  });

  it("looks at the files as they are then: a command may have mended them", async () => {
    const command = { id: "c", name: "run_command", input: { command: "rm b.js; echo 'let a;' > a.js" } };
    const { bodies } = await run([bad, { calls: [command] }, done]);
    expect(bodies()).toHaveLength(3);
  });

  it("holds against a run only what that run broke", async () => {
    const at = await stage([bad, { text: "one" }, { text: "two" }, { text: "three" }]);
    const session = await at.open();
    await session.send("go");
    await session.send("what now?");
    expect(at.bodies()).toHaveLength(4);
  });
});

describe("content that is one JSON string literal", () => {
  it("is decoded when the text in it parses and the literal does not say more", async () => {
    const { root, line } = await run([
      { calls: [write("w", "a.js", JSON.stringify("let a = 1;\nlet b = 2;\n"))] },
      done,
    ]);
    expect(readFileSync(join(root, "a.js"), "utf8")).toBe("let a = 1;\nlet b = 2;\n");
    expect(line("w")).toBe("syntax: ok");
  });
});
