// Reads outside the project, through the public face (SPEC 1.21): asked about by the canonical path, in every mode and by
// whatever way; denied where nobody can be asked; never a way to write.

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Approval, HarnessOptions } from "../../src/index.js";
import { tempDir } from "../support/run.js";
import { resultText, stage } from "../support/stage.js";
import type { WireReply } from "../support/wire/server.js";

type Settings = NonNullable<HarnessOptions["settings"]>;

const ways = {
  read_file: (path: string) => ({ path: `${path}/a.txt` }),
  list_files: (path: string) => ({ path }),
  find_files: (path: string) => ({ glob: "*.txt", path }),
  search_text: (path: string) => ({ pattern: "CANARY|plain", path }),
};

/** One call on a directory outside that holds a file and a secret one, reached as `path` says. */
async function play(tool: keyof typeof ways, path: string | null, more: Partial<HarnessOptions>) {
  const outside = tempDir("cinch-outside-");
  writeFileSync(join(outside, "a.txt"), "plain\n");
  writeFileSync(join(outside, ".env"), "CANARY\n");
  const at = await stage([{ calls: [{ id: "r", name: tool, input: ways[tool](path ?? outside) }] }, { text: "done" }]);
  symlinkSync(outside, join(at.root, "link"));
  const { settings = {}, ...options } = more;
  const rules = JSON.parse(JSON.stringify(settings).replaceAll("OUT", outside)) as Settings;
  const result = await (await at.open({ settings: rules, ...options })).send("go");
  return { outside, result, told: resultText(at.bodies()[1], "r") };
}

const tools = Object.keys(ways) as (keyof typeof ways)[];

describe.each(tools)("%s", (tool) => {
  it.each([
    ["ask", null],
    ["auto", null],
    ["auto", "link"],
  ] as const)("headless in %s, by %s: denied, exit 7 with the flag for the place it leads to", async (mode, path) => {
    const { outside, result, told } = await play(tool, path, { settings: { permissions: { mode } } });
    const place = tool === "read_file" ? `${outside}/a.txt` : outside;
    expect([result.exit_code, result.detail]).toEqual([7, expect.stringContaining(`--allow 'Read(/${place})'`)]);
    expect(told).toContain("outside the project");
    expect(told).not.toMatch(/plain|CANARY|a\.txt/);
  });

  it.each([null, "link"])("a rule with a path reads, by %s, and the secret stays withheld", async (path) => {
    const settings: Settings = { permissions: { mode: "ask", allow: ["Read(/OUT)"] } };
    const { result, told } = await play(tool, path, { settings });
    expect(result.exit_code).toBe(0);
    expect(told).toMatch(tool === "read_file" || tool === "search_text" ? /plain/ : /a\.txt/);
    expect(told).not.toContain("CANARY");
  });

  it("the question shows where a link leads; a yes reads", async () => {
    const asked: Approval[] = [];
    const { outside, told } = await play(tool, "link", {
      ask: async (question) => {
        asked.push(question);
        return { decision: "allow" };
      },
    });
    expect(asked).toMatchObject([{ summary: expect.stringContaining(outside) }]);
    expect(told).not.toContain("Denied");
  });
});

it("what is not there is told nobody who was not allowed to look", async () => {
  const at = await stage([
    { calls: [{ id: "r", name: "read_file", input: { path: "../home/none" } }] },
    { text: "done" },
  ]);
  const result = await (await at.open()).send("go");
  expect(result.exit_code).toBe(7);
  expect(resultText(at.bodies()[1], "r")).not.toMatch(/not exist|Beside/);
});

it("a secret file outside takes a rule that names it, and a write none at all", async () => {
  const home = tempDir("cinch-outside-");
  mkdirSync(join(home, ".ssh"));
  writeFileSync(join(home, ".ssh/id_rsa"), "CANARY\n");
  const read = (id: string) => ({ id, name: "read_file", input: { path: join(home, ".ssh/id_rsa") } });
  const write = { id: "w", name: "append_file", input: { path: join(home, "new.txt"), content: "x" } };
  const go = async (allow: string[]) => {
    const at = await stage([{ calls: [read("r"), write] }, { text: "done" }]);
    await (await at.open({ settings: { permissions: { mode: "auto", allow } } })).send("go");
    return ["r", "w"].map((id) => resultText(at.bodies()[1], id));
  };
  expect(await go(["Read(//**)", "Edit(//**)"])).toEqual([
    expect.stringContaining("Denied (secret)"),
    expect.stringContaining("outside the project"),
  ]);
  expect((await go([`Read(/${home}/.ssh/**)`]))[0]).toBe("1:CANARY");
});

it("what was put aside for this session is read and searched unasked, what lies beside it is not", async () => {
  const long = "x".repeat(99).concat("\n").repeat(400);
  const script = (request: { body: string }, turn: number): WireReply => {
    const path = /\/[^"\\]+\/spill\/[\w/.]+\w/.exec(request.body)?.[0] ?? "";
    if (turn === 0) return { calls: [{ id: "c", name: "run_command", input: { command: "cat long.txt" } }] };
    if (turn > 1) return { text: "done" };
    const r = { id: "r", name: "read_file", input: { path, limit: 1 } };
    const s = { id: "s", name: "search_text", input: { path, pattern: "x{99}" } };
    return { calls: [r, s, { id: "b", name: "list_files", input: { path: join(path, "../..") } }] };
  };
  const at = await stage(script);
  writeFileSync(join(at.root, "long.txt"), long);
  await (await at.open({ settings: { permissions: { mode: "ask" } } })).send("go");
  const [r, s, b] = ["r", "s", "b"].map((id) => resultText(at.bodies()[2], id));
  expect(r).toContain("1:xxx");
  expect(s).toContain("xxx");
  expect(b).toContain("Denied (outside)");
});
