// Rules about files and commands that only read: a deny or an ask counts for them as well, by every way to name the file.

import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, test } from "vitest";
import type { HarnessOptions } from "../../src/index.js";
import { resultText, stage } from "../support/stage.js";

type Permissions = NonNullable<NonNullable<HarnessOptions["settings"]>["permissions"]>;

/** What a command was answered with in a project with `src/a`, a link to it, and a directory `build`. */
async function told(command: string, permissions: Permissions) {
  const at = await stage([{ calls: [{ id: "r", name: "run_command", input: { command } }] }, { text: "done" }]);
  for (const name of ["src", "build"]) mkdirSync(join(at.root, name));
  writeFileSync(join(at.root, "src/a"), "CANARY\n");
  writeFileSync(join(at.root, "a.txt"), "plain\n");
  symlinkSync("src", join(at.root, "link"));
  const result = await (await at.open({ settings: { permissions } })).send("go");
  return {
    text: resultText(at.bodies()[1], "r"),
    exit: result.exit_code,
    has: (path: string) => existsSync(join(at.root, path)),
  };
}

test.each([
  "cat src/a",
  "cat link/a",
  "cat ./src/../src/a",
  "cd src && cat a",
  "ls a.txt; head -n 1 src/a",
  "env X=1 cat src/a",
  "bash -c 'cat src/a'",
  "wc -l < src/a",
  "node src/a",
])("deny Read(src/**): %s", async (command) => {
  const { text } = await told(command, { mode: "auto", deny: ["Read(src/**)"] });
  expect(text).toContain("Denied (deny Read(src/**))");
  expect(text).not.toContain("CANARY");
});

it("an ask rule asks, a rule about changes lets reading go on, one about other files says nothing", async () => {
  expect(await told("cat src/a", { mode: "auto", ask: ["Read(src/**)"] })).toMatchObject({ exit: 7 });
  expect((await told("cat src/a", { deny: ["Edit(src/**)"] })).text).toBe("CANARY");
  expect((await told("cat a.txt", { deny: ["Read(src/**)"] })).text).toBe("plain");
});

it("a rule about changes is meant by what a command writes", async () => {
  for (const command of ["echo x > src/new", "touch src/new", "cp a.txt src/new", "cd src; touch new"]) {
    const { text, has } = await told(command, { mode: "auto", deny: ["Edit(src/**)"] });
    expect([command, text, has("src/new")]).toEqual([command, expect.stringContaining("deny Edit(src/**)"), false]);
  }
});

it("a tree that holds what may not be read is no read-only look", async () => {
  for (const command of ["grep -r CANARY .", "rg CANARY", "rg CANARY src"]) {
    expect([command, await told(command, { deny: ["Read(src/**)"] })]).toEqual([
      command,
      expect.objectContaining({ exit: 7 }),
    ]);
  }
});

it("a plain word is no directory of that name", async () => {
  const { text } = await told("printf %s build; true build", { mode: "auto", deny: ["Edit(build/)", "Read(build/)"] });
  expect(text).toBe("build");
});

it("deny of a command that only reads holds in every mode that has commands", async () => {
  for (const mode of ["ask", "acceptEdits", "auto"] as const)
    expect((await told("ls src", { mode, deny: ["Bash(ls *)"] })).text).toContain("Denied (deny Bash(ls *))");
});

// `../home` is where this session's Cinch keeps its settings, its records and the user's answers.
test.each([
  'echo "{}" > ../home/settings.json',
  "echo x >> ../home/permissions/project.json",
  "tee ../home/trust.json",
  "cp a.txt ../home/agents/a.md",
  "sed -i s/a/b/ ../home/permissions/project.json",
  "python3 a.txt ../home/settings.json",
  "cat ../home/settings.json",
  "cat link/../../home/settings.json",
  "rm -rf ../home",
  "rm -rf ..",
  "mv .. elsewhere",
  "chmod -R 777 ..",
])("what Cinch goes by is out of reach for a command nobody said yes to: %s", async (command) => {
  const { text, exit } = await told(command, { mode: "auto", allow: ["Bash(*)", "Bash"] });
  expect(text).toContain("Denied (danger)");
  expect(exit).toBe(7);
});

test.each([
  ["the profile readonly", { tools: { profile: "readonly" } }],
  ["the mode plan", { permissions: { mode: "plan" } }],
] as const)("%s: a command that only reads runs, any other does not, and none is declared", async (_what, settings) => {
  const call = (id: string, command: string) => ({ calls: [{ id, name: "run_command", input: { command } }] });
  const at = await stage([call("r", "cat a.txt"), call("w", "touch b.txt"), { text: "done" }]);
  writeFileSync(join(at.root, "a.txt"), "plain\n");
  await (await at.open({ settings })).send("go");
  expect(resultText(at.bodies()[1], "r")).toBe("plain");
  expect(resultText(at.bodies()[2], "w")).toMatch(/Denied \((profile:readonly|mode:plan)\)/);
  expect(existsSync(join(at.root, "b.txt"))).toBe(false);
  expect(JSON.stringify(at.bodies()[0]?.["tools"])).not.toContain('"run_command"');
});
