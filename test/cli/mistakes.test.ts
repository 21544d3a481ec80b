// A mistake in settings stops every subcommand as it stops a run: what they would go by instead is looser (SPEC 1.16). Those
// that show mistakes do so.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commands } from "../../src/cli/commands/index.js";
import { cliStage } from "../support/cli.js";

/** A verb with its words, where a command wants some. */
const words: Record<string, string[]> = {
  permissions: ["explain", "ls"],
  sessions: ["list"],
  completion: ["bash"],
  build: ["a page", "--yes"],
};

const shown = ["config", "doctor"];
const strict = commands.filter(({ name, load }) => load && !shown.includes(name)).map(({ name }) => name);

function staged() {
  const stage = cliStage();
  const settings = (text: string) => {
    const file = join(stage.project, "mistaken.json");
    writeFileSync(file, text);
    return file;
  };
  return { ...stage, settings };
}

test.each(strict)("cinch %s: --settings that cannot be used is exit 2, with nothing on stdout", async (name) => {
  const at = staged();
  const wrong: [string, RegExp][] = [
    ["/nonexistent/settings.json", /no such file/],
    [at.settings('{"permisions": {"deny": ["Bash"]}}'), /permisions.*permissions/],
  ];
  for (const [file, why] of wrong) {
    const { exit, stdout, stderr } = await at.bare([name, ...(words[name] ?? []), "--settings", file]);
    expect([exit, stdout, stderr]).toEqual([2, "", expect.stringMatching(why)]);
  }
});

test("a deny rule that is none stops those who would judge without it, wherever the user wrote it", async () => {
  const at = staged();
  const rule = '{"permissions": {"deny": ["Bash(ls:*"]}}';
  const named = ["--settings", at.settings(rule)];
  const subcommands = [
    ["permissions", "explain", "ls", "--json"],
    ["permissions", "list", "--json"],
    ["trust", "status"],
  ];
  for (const args of subcommands)
    expect(await at.bare([...args, ...named])).toMatchObject({
      exit: 2,
      stdout: "",
      stderr: expect.stringContaining("is no rule"),
    });
  writeFileSync(join(at.home, "settings.json"), rule);
  for (const args of subcommands)
    expect(await at.bare(args)).toMatchObject({ exit: 2, stdout: "", stderr: expect.stringContaining("is no rule") });
});

test("config and doctor show the mistake; one in the project's file stops nobody", async () => {
  const at = staged();
  const named = ["--settings", at.settings('{"permisions": {}}')];
  const config = await at.bare(["config", "--explain", ...named]);
  expect([config.exit, config.stderr]).toEqual([2, expect.stringContaining("permisions")]);
  const doctor = await at.bare(["doctor", ...named]);
  expect([doctor.exit, doctor.stdout]).toEqual([1, expect.stringContaining("permisions")]);
  mkdirSync(join(at.project, ".cinch"));
  writeFileSync(join(at.project, ".cinch", "settings.json"), '{"permisions": {}}');
  const { exit, stderr } = await at.bare(["permissions", "explain", "ls"]);
  expect([exit, stderr]).toEqual([0, expect.stringContaining("permisions")]);
});
