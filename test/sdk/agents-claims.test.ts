// Agents of one session side by side in one project: whose a file is, by whatever name or way it is changed, and what each
// is told of the others (SEEDS D 41 to 45).

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { JsonObject } from "../../src/core/json.js";
import { agentFile, agentStage, call, submit, write } from "../support/agents.js";

const until = (file: string) => call("run_command", { command: `until [ -e ${file} ]; do sleep 0.02; done` });
const touch = (file: string) => call("run_command", { command: `touch ${file}` });
const calls = (...all: [tool: string, input: JsonObject][]) => ({
  calls: all.map(([tool, input]) => ({ tool, input })),
});

/** `first` holds a.js, and is at work until `second` has tried what it is told to. */
async function beside(second: (root: string) => ReturnType<typeof call>[]) {
  const at = agentStage(
    {},
    {
      "project/a.js": "a\n",
      "home/agents/first.md": agentFile("first", "tools: full"),
      "home/agents/second.md": agentFile("second", "tools: full"),
    },
  );
  const hold = call("append_file", { path: "a.js", content: "more\n" });
  at.play({
    main: [
      call("announce_work", { kind: "file_created", text: "mine.js" }),
      submit(["first", "second"].map((name) => ({ agent_name: name, prompt: "go" }))),
      { text: "done", repeat: 2 },
    ],
    agents: {
      first: [hold, touch("held"), until("free"), { text: "done" }],
      second: [until("held"), ...second(at.root), touch("free"), { text: "done" }],
    },
  });
  const { session, events } = await at.open();
  await session.send("go");
  const idOf = (name: string) => at.records().find((record) => record.agent === name)?.id ?? "";
  const ended = events.flatMap((event) =>
    event.type === "call.end" && event.agent === idOf("second") ? [[event.tool, event.status, event.text]] : [],
  );
  return { at, session, idOf, ended, text: readFileSync(join(at.root, "a.js"), "utf8") };
}

test("D 42, 44: every name of a claimed file and every way to change it is refused with the owner's name", async () => {
  const { idOf, ended, text } = await beside((root) => [
    calls(
      ["append_file", { path: "./a.js", content: "x" }],
      ["append_file", { path: join(root, "a.js"), content: "x" }],
      ["edit_file", { path: "a.js", old_string: "a", new_string: "b", replace_all: true }],
      ["delete_file", { path: "a.js" }],
      ["run_command", { command: "echo x > ./a.js" }],
      ["run_command", { command: "echo x >> a.js && echo y" }],
    ),
  ]);
  const refused = ended.filter(([, status]) => status === "conflict");
  expect(refused.map(([tool]) => tool)).toEqual([
    ...["append_file", "append_file", "edit_file", "delete_file", "run_command", "run_command"],
  ]);
  for (const [, , said] of refused) expect(said).toContain(`CONFLICT: a.js is being worked on by ${idOf("first")}`);
  expect(text).toBe("a\nmore\n");
});

test("D 45: an agent is told what others hold and have announced, not its own, and as much as fits", async () => {
  const announced = Array.from({ length: 20 }, (_, i) => [
    "announce_work",
    { kind: "file_created", text: `own-${i}.js` },
  ]);
  const { at, idOf, session } = await beside(() => [
    calls(["append_file", { path: "own.js", content: "x" }]),
    calls(...(announced as [string, JsonObject][])),
    submit([{ agent_name: "review", prompt: "look" }]),
  ]);
  const told = (name: string) => {
    const { session = "" } = at.records().find((record) => record.agent === name) ?? {};
    const [project = ""] = readdirSync(join(at.home, "sessions"));
    const folder = join(at.home, "sessions", project, "agents");
    const file =
      readdirSync(folder, { recursive: true, encoding: "utf8" }).find((path) => path.includes(session)) ?? "";
    return readFileSync(join(folder, file), "utf8")
      .split("\n")
      .filter((line) => line.includes('"context":true'))
      .join("\n");
  };
  // `review` was begun by `second`, while `first` was at work.
  const said = told("review");
  expect(said).toContain(`- a.js: ${idOf("first")}`);
  expect(said).toContain(`own-19.js (${idOf("second")})`);
  expect(said).toContain("own-5.js");
  expect(said).not.toContain("own-4.js");
  // And the one above, with its next request: of theirs, not of its own, and once.
  await session.send("again");
  const main = [...session.entries()].filter(
    ({ type, data }) => type === "message" && JSON.stringify(data).includes("Announced by agents"),
  );
  expect(main).toHaveLength(1);
  expect(JSON.stringify(main)).toContain("own-19.js");
  expect(JSON.stringify([...session.entries()])).toContain("mine.js");
  expect(JSON.stringify(main)).not.toContain("mine.js");
});

test("siblings do not change one file at a time, and a failed agent's files are free again (D 41, 43)", async () => {
  const at = agentStage(
    {
      main: [
        submit(["first", "second"].map((agent_name) => ({ agent_name, prompt: "go" }))),
        submit([{ agent_name: "third", prompt: "go" }]),
      ],
      agents: {
        first: [write("a.js", "1\n"), until("tried"), { fail: "request" }],
        second: [until("a.js"), write("./a.js", "2\n"), write("tried", "")],
        third: [call("append_file", { path: "a.js", content: "3\n" })],
      },
    },
    Object.fromEntries(
      ["first", "second", "third"].map((name) => [`home/agents/${name}.md`, agentFile(name, "tools: coding")]),
    ),
  );
  const { session, events } = await at.open();
  await session.send("go");
  const first = at.records().find(({ agent: name }) => name === "first");
  const conflict = events.find((event) => event.type === "call.end" && event.status === "conflict");
  expect(conflict?.type === "call.end" && conflict.text).toContain(`CONFLICT: a.js is being worked on by ${first?.id}`);
  expect(readFileSync(join(at.root, "a.js"), "utf8")).toBe("1\n3\n");
});
