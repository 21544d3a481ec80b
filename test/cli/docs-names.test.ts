// What the pages name is there: settings keys, variables, exit codes, commands of an attached terminal. What they show to be
// copied is taken by the built program: settings, a formation, a plan, servers, hooks, calls of tools, control lines.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { exitOf } from "../../src/core/result.js";
import { blockOf, page, tableOf } from "../house/pages.js";
import { shipped, tests } from "../house/source.js";
import { codeOf, exampleOf, guides } from "../support/doc-lines.js";
import { cinch, root, tempDir } from "../support/run.js";

const spans = () => guides().flatMap((of) => codeOf(of).filter(({ info }) => info === null));

test("each settings key that a page names is one", async () => {
  const { stdout } = await cinch(["config", "--explain", "--json"], { cwd: tempDir() });
  const { settings } = JSON.parse(stdout) as { settings: { key: string }[] };
  const keys = settings.map(({ key }) => key);
  const groups = [...new Set(keys.filter((key) => key.includes(".")).map((key) => key.split(".")[0] ?? ""))];
  expect(groups).toContain("tasks");
  const named = spans().filter(({ where, text }) => {
    const shaped = /^([a-z]+)\.[a-zA-Z<>._-]+$/.exec(text);
    // A file, an event, and in the SDK's page what a session and a harness can do.
    return (
      shaped && groups.includes(shaped[1] ?? "") && !/\.(?:ts|json|md)$/.test(text) && !where.startsWith("docs/sdk.md")
    );
  });
  expect(named.length).toBeGreaterThan(60);
  // Names of the same shape: events, a port, a member of a result, and keys without their last part.
  const other = [
    ...["loop.nudge", "loop.stop", "files.commit", "tasks.<id>.answer"],
    ...["models.windows", "models.prices", "models.images"],
  ];
  expect(named.filter(({ text }) => ![...keys, ...other].includes(text))).toEqual([]);
});

test("each environment variable that a page names is read somewhere", () => {
  const program = shipped()
    .map(({ text }) => text)
    .join("\n");
  const suite = [...tests().map(({ text }) => text), readFileSync(join(root, "vitest.config.ts"), "utf8")].join("\n");
  const isRead = (name: string) => program.includes(name) || suite.includes(`process.env["${name}"]`);
  const named = spans().flatMap(({ where, text }) =>
    [...text.matchAll(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g)].map(([name]) => ({ where, name })),
  );
  expect(named.length).toBeGreaterThan(25);
  // What is said of it is that it is not read.
  const unread = ["HTTPS_PROXY"];
  expect(named.filter(({ name }) => !unread.includes(name) && !isRead(name))).toEqual([]);
});

test("each exit code that a page names is in the table, and the table is the program's", () => {
  const codes = tableOf(page("docs/cli.md"), "## Exit codes").flatMap(([cell = ""]) => cell.split(", ").map(Number));
  const own = [2, 129, 143, ...Object.values(exitOf)];
  expect([...codes].sort()).toEqual([...new Set(own)].sort());
  const ends = page("docs/headless.md").text.matchAll(/^\| (`(?:success|error_).*?) \| (\d+)/gm);
  const told = [...ends].flatMap(([, names = "", exit = ""]) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, name = ""]) => [name, Number.parseInt(exit, 10)]),
  );
  expect(Object.fromEntries(told)).toEqual(exitOf);
  // 137 is how the system tells of SIGKILL.
  const named = guides().flatMap(({ path, text }) =>
    [...text.matchAll(/\bexit (?:code )?(\d+)/gi)].map(([, code]) => ({ path, code: Number(code) })),
  );
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(({ code }) => ![...codes, 137].includes(code))).toEqual([]);
});

/** Settings as the pages show them: a block, members of a span (`"sandbox": {…}`), or a key with its value. */
function settingsShown(): { where: string; text: string }[] {
  const groups = [
    "models",
    "permissions",
    "sandbox",
    "files",
    "limits",
    "loop",
    "hooks",
    "ui",
    "lsp",
    "tools",
    "tasks",
    "compaction",
  ];
  const shown = spans().flatMap(({ where, text }) => {
    const [, group = "", key = "", value = ""] = /^(\w+)\.(\w+): (.+)$/.exec(text) ?? [];
    if (groups.includes(group)) return [{ where, text: JSON.stringify({ [group]: { [key]: JSON.parse(value) } }) }];
    const members = text.startsWith('"') && text.includes(": ") ? `{${text}}` : text;
    return groups.some((name) => members.startsWith(`{"${name}":`)) ? [{ where, text: members }] : [];
  });
  const hooks = blockOf(page("docs/hooks.md"), "jsonc");
  return [...shown, { where: "docs/hooks.md", text: hooks }];
}

test("settings that a page shows are taken as they stand there", async () => {
  const shown = settingsShown();
  expect(shown.length).toBeGreaterThan(8);
  for (const { where, text } of shown) {
    const project = tempDir();
    writeFileSync(join(project, "shown.json"), text);
    const { exit, stderr } = await cinch(["config", "--explain", "--settings", "shown.json"], { cwd: project });
    expect([where, text, exit, stderr]).toEqual([where, text, 0, ""]);
  }
});

/** A project with a home beside it. */
function place() {
  const base = tempDir();
  const [project, home] = [join(base, "project"), join(base, "home")];
  for (const folder of [project, join(home, "formations"), join(home, "agents")])
    mkdirSync(folder, { recursive: true });
  return { project, home, run: (...args: string[]) => cinch(args, { cwd: project, env: { CINCH_HOME: home } }) };
}

test("the formation, the plan, the agent and the servers of the pages hold", async () => {
  const { project, home, run } = place();
  writeFileSync(join(home, "formations/feature-impl.yaml"), exampleOf("docs/build.md", "## Formations"));
  expect(await run("formations", "validate")).toMatchObject({ exit: 0, stderr: "" });
  writeFileSync(join(project, "plan.yaml"), exampleOf("docs/build.md", "## Plans"));
  // A plan that does not hold is exit 2, and said before a model is looked for.
  const built = await run("build", "--plan", "plan.yaml", "--yes");
  expect([built.exit, built.stderr]).toEqual([3, expect.stringContaining("model")]);
  writeFileSync(join(home, "lsp.json"), exampleOf("docs/lsp.md", "## Which server serves a file"));
  const lsp = await run("lsp", "status", "--json");
  expect([lsp.exit, lsp.stderr]).toEqual([0, ""]);
  expect(lsp.stdout).toContain('"mine"');
  writeFileSync(join(home, "agents/migration-writer.md"), exampleOf("docs/agents.md", "## Writing one"));
  writeFileSync(join(home, "script.json"), "[]");
  const agents = await run("-m", `scripted/${home}/script.json`, "-p", "/agents");
  expect([agents.exit, agents.stderr]).toEqual([0, ""]);
  expect(agents.stdout).toContain("migration-writer");
});

test("the control lines of docs/headless.md are taken", async () => {
  const { project, home } = place();
  const rows = tableOf(page("docs/headless.md"), "## Talking during a run: `--input-format stream-json`");
  const lines = rows.flatMap(
    ([cell = "", text = ""]) =>
      [cell, text].join(" ").match(/`\{"type":"(?:user|steer|approval|cancel)".*?\}`(?= |;|$)/g) ?? [],
  );
  expect(lines.length).toBe(5);
  writeFileSync(join(home, "script.json"), "[]");
  const formats = ["--input-format", "stream-json", "--output-format", "stream-json"];
  const input = lines.map((line) => `${line.slice(1, -1)}\n`).join("");
  const { stdout } = await cinch(["-m", `scripted/${home}/script.json`, ...formats], {
    cwd: project,
    env: { CINCH_HOME: home },
    input,
  });
  const acks = stdout
    .split("\n")
    .filter((line) => line.includes('"ack"'))
    .map((line) => JSON.parse(line) as { ok: boolean; error?: string });
  const refused = acks.filter(({ ok }) => !ok);
  // The answer is to a question of another day.
  expect([acks.length, refused.map(({ error }) => error)]).toEqual([5, ['no question "…" is open']]);
});

test("calls of tools that a page shows have an input that the tool takes", async () => {
  const blocks = guides().flatMap(({ text }) =>
    [...text.matchAll(/^```\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block),
  );
  const calls = blocks.flatMap((block) =>
    [...block.matchAll(/^([a-z]+(?:_[a-z]+)+) (\{[\s\S]*?\})\n(?=→)/gm)].map(([, name = "", input = ""]) => ({
      name,
      input,
    })),
  );
  expect(calls.map(({ name }) => name)).toContain("submit_agent_tasks");
  for (const { name, input } of calls) {
    const { default: tool } = await import(join(root, "src/tools", `${name.replaceAll("_", "-")}.ts`));
    expect(() => tool.parse(JSON.parse(input)), input).not.toThrow();
  }
});
