import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../test/support/run.js";
import { nodeFs } from "../lib/fs.js";
import { armedSequencers, governingInGit, isRoutine } from "./git-directory.js";

function git(files: Record<string, string>): string {
  const directory = tempDir();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  return directory;
}

test.each([
  "HEAD",
  "ORIG_HEAD",
  "FETCH_HEAD",
  "index",
  "index.lock",
  "config.lock",
  "COMMIT_EDITMSG",
  "MERGE_MSG",
  "objects",
])("%s comes and goes with everyday work", (name) => expect(isRoutine(name)).toBe(true));

test.each(["config", "config.worktree", "hooks", "info", "commondir", "modules", "worktrees", "anything", "indexx"])(
  "%s governs",
  (name) => expect(isRoutine(name)).toBe(false),
);

test("what is not routine is found", () => {
  const directory = git({ HEAD: "", "hooks/a": "", "objects/a": "", config: "" });
  expect(governingInGit(nodeFs, directory).sort()).toEqual([`${directory}/config`, `${directory}/hooks`]);
  expect(governingInGit(nodeFs, `${directory}/none`)).toEqual([]);
});

test.each([
  ["pick 1 a\nfixup 2 b\n# exec c\n\n", false],
  ["pick 1 a\nexec touch x\n", true],
  ["x touch x\n", true],
  ["pick 1 a\n\texec y\n", true],
])("the steps %j are armed: %s", (todo, isArmed) => {
  const directory = git({ "rebase-merge/git-rebase-todo": todo });
  expect(armedSequencers(nodeFs, directory)).toEqual(isArmed ? [`${directory}/rebase-merge`] : []);
});
