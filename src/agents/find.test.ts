import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../test/support/run.js";
import { nodeFs } from "../lib/fs.js";
import { readAgent } from "./definition.js";
import { findAgents } from "./find.js";

const whole = `---
name: docs-writer
description: Writes pages.
model: fast
tools: [Read, Write, search_text]
disallowedTools: Bash
maxTurns: 12
maxCost: 0.5
isolation: worktree
output:
  type: object
  required: [pages]
---

You write pages.

---
Keep them short.
`;

test("a file with every field", async () => {
  expect(await readAgent(whole, "a.md")).toEqual({
    agent: {
      name: "docs-writer",
      description: "Writes pages.",
      instructions: "You write pages.\n\n---\nKeep them short.",
      model: "fast",
      profile: "full",
      tools: ["Read", "Write", "search_text"],
      disallowed: ["Bash"],
      maxTurns: 12,
      maxCost: 0.5,
      isolation: "worktree",
      output: { type: "object", required: ["pages"] },
      source: "a.md",
    },
    problems: [],
    notices: [],
  });
});

test("as other programs write it: a list with commas, a size, a colon in a text, a colour", async () => {
  const text = `---
name: critic
description: Use this when: a change is done. Example: <example>user: "go"</example>
tools: Read, Grep , Glob
model: haiku
color: red
permissionMode: plan
---
You judge.`;
  const { agent, problems, notices } = await readAgent(text, ".claude/agents/critic.md");
  expect(problems).toEqual([]);
  expect(agent).toMatchObject({ model: "fast", profile: "full", tools: ["Read", "Grep", "Glob"] });
  expect(agent?.description).toContain("Use this when: a change is done.");
  expect(notices).toEqual([".claude/agents/critic.md:7: permissionMode means nothing here and was left out."]);
});

test.each([
  ["a profile", "tools: readonly", { profile: "readonly", tools: null }],
  ["no tools at all", "tools: []", { profile: "full", tools: [] }],
  ["tools left out", "color: red", { profile: "full", tools: null }],
  ["a model by its id", "model: anthropic/claude-haiku-4-5", { model: "anthropic/claude-haiku-4-5" }],
  ["a size that is no tier", "model: sonnet", { model: "inherit" }],
])("%s", async (_case, line, expected) => {
  const { agent } = await readAgent(`---\nname: a\ndescription: b\n${line}\n---\nc`, "a.md");
  expect(agent).toMatchObject(expected);
});

test.each([
  ["no fields", "You judge.", "a.md:1: it does not begin with a line of ---."],
  ["fields without end", "---\nname: a", "a.md:1: its fields have no end: a second line of --- is missing."],
  ["no YAML", "---\nname: a\nb: [\n---\nc", "a.md:3: Flow sequence"],
  ["a list", "---\n- a\n---\nb", "a.md:2: the fields are not of the form `name: value`."],
  ["no name", "---\ndescription: b\n---\nc", "a.md:1: name is missing; it has to be small letters, digits and -."],
  ["a name that is a path", "---\ndescription: b\nname: ../a\n---\nc", 'a.md:3: name is "../a"; it has to be small'],
  ["no description", "---\nname: a\n---\nc", "a.md:1: description is missing: it says when to give the agent a task."],
  ["no text", "---\nname: a\ndescription: b\n---\n", "a.md:2: there is no text behind the fields"],
  ["a model that is none", "---\nname: a\ndescription: b\nmodel: big\n---\nc", 'a.md:4: model is "big"; it has to be'],
  [
    "tools that are no list",
    "---\nname: a\ndescription: b\ntools: 3\n---\nc",
    "a.md:4: tools is 3; it has to be a list",
  ],
  [
    "half a turn",
    "---\nname: a\ndescription: b\nmaxTurns: 0.5\n---\nc",
    "a.md:4: maxTurns is 0.5; it has to be a whole",
  ],
  [
    "no money",
    "---\nname: a\ndescription: b\nmaxCost: 0\n---\nc",
    "a.md:4: maxCost is 0; it has to be a number above 0.",
  ],
  [
    "an isolation",
    "---\nname: a\ndescription: b\nisolation: vm\n---\nc",
    'a.md:4: isolation is "vm"; it has to be none',
  ],
  [
    "a schema",
    "---\nname: a\ndescription: b\noutput: text\n---\nc",
    'a.md:4: output is "text"; it has to be a JSON Schema.',
  ],
])("%s is a problem with its line, and there is no agent", async (_case, text, problem) => {
  const { agent, problems } = await readAgent(text, "a.md");
  expect(agent).toBeNull();
  expect(problems.join("\n")).toContain(problem);
});

function place(files: Record<string, string>) {
  const base = tempDir("cinch-agents-");
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(base, name)), { recursive: true });
    writeFileSync(join(base, name), text);
  }
  return { disk: nodeFs, root: join(base, "project"), config: join(base, "config") };
}

const agent = (name: string, text: string) => `---\nname: ${name}\ndescription: d\n---\n${text}`;

test("the project's before the user's before the built-in ones, and only what is trusted", async () => {
  const at = place({
    "project/.cinch/agents/a.md": agent("review", "of the project"),
    "project/.claude/agents/b.md": agent("other", "not trusted"),
    "project/.claude/agents/notes.txt": "no agent",
    "config/agents/c.md": agent("review", "of the user"),
    "config/agents/d.md": agent("mine", "of the user"),
    "config/agents/e.md": "no agent",
  });
  const trusted = (path: string) => (path === ".cinch/agents/a.md" ? agent("review", "of the project") : null);
  const { agents, remarks } = await findAgents({ ...at, trusted });
  expect([...agents.keys()]).toEqual(["explore", "implement", "mine", "review", "test"]);
  expect(agents.get("review")?.instructions).toBe("of the project");
  const users = join(at.config, "agents");
  expect(remarks).toEqual([
    `${users}/c.md: there is an agent review in .cinch/agents/a.md already, which is used.`,
    `${users}/e.md:1: it does not begin with a line of ---. The agent was left out.`,
  ]);
});
