// `cinch init` and `cinch completion`: what they write, and that shells take it.

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cliStage } from "../support/cli.js";
import { needs } from "../support/needs.js";

test("init writes what it finds, lists other tools' settings, and changes nothing that is there", async () => {
  const stage = cliStage();
  const put = (name: string, text: string) => writeFileSync(join(stage.project, name), text);
  put(
    "package.json",
    '{"name": "pond", "description": "Ducks.", "scripts": {"test": "vitest", "build": "tsc", "prepare": "x"}}',
  );
  put("Makefile", "all: build\nclean:\n\trm -rf out\nV := 1\n");
  put(".cursorrules", "be kind\n");
  mkdirSync(join(stage.project, "src"));
  const first = await stage.bare(["init"]);
  expect([first.exit, first.stdout]).toEqual([0, expect.stringMatching(/AGENTS\.md is written[\s\S]*\.cursorrules/)]);
  const text = readFileSync(join(stage.project, "AGENTS.md"), "utf8");
  expect(text).toContain("# pond\n\nDucks.\n");
  expect(text).toMatch(/- `npm test`: vitest\n- `npm run build`: tsc\n- `make all`[^\n]*\n- `make clean`/);
  expect(text).not.toContain("prepare");
  expect(text).toContain("- `src/`");
  const again = await stage.bare(["init", "--json"]);
  expect(JSON.parse(again.stdout).text).toContain("is there already; nothing was changed");
  expect(readFileSync(join(stage.project, "AGENTS.md"), "utf8")).toBe(text);
});

test("a completion for bash completes commands, flags and values", async () => {
  const { stdout } = await cliStage().bare(["completion", "bash"]);
  const complete = (...words: string[]) => {
    const program = `${stdout}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cinch; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync("bash", ["-c", program, "bash", ...words], { encoding: "utf8" })
      .trim()
      .split("\n");
  };
  expect(complete("cinch", "compl")).toEqual(["completion"]);
  expect(complete("cinch", "--permission-m")).toEqual(["--permission-mode"]);
  expect(complete("cinch", "--permission-mode", "a")).toEqual(["ask", "acceptEdits", "auto"]);
});

for (const shell of ["zsh", "fish"]) {
  needs(shell)(`${shell} reads its completion`, async () => {
    const at = cliStage();
    const file = join(at.home, "completion");
    writeFileSync(file, (await at.bare(["completion", shell])).stdout);
    expect(execFileSync(shell, ["-n", file], { encoding: "utf8" })).toBe("");
  });
}

test("another shell is named with those there are", async () => {
  const { exit, stderr } = await cliStage().bare(["completion", "tcsh"]);
  expect([exit, stderr]).toEqual([2, expect.stringContaining("bash, zsh or fish")]);
});
