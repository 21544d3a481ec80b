// Which configurations of a repository are known to run nothing (SECURITY A 9): a table, and git itself asked what it reads.

import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { tempDir } from "../../../test/support/run.js";
import { configTrouble } from "./git-config.js";

test("what git init and git clone write is harmless", () => {
  const clone = [
    "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true",
    '[remote "origin"]\n\turl = https://example.com/a.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*',
    '[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main',
    '[submodule "lib"]\n\tactive = true\n\turl = ../lib.git',
    "[user]\n\tname = A\n\temail = a@example.com ; a comment",
    '# a comment\n[pull] rebase = false\n[color "diff"]\n\tmeta = yellow',
  ].join("\n");
  expect(configTrouble(clone)).toBeNull();
  expect(configTrouble("")).toBeNull();
});

describe("what can run something is named", () => {
  it.each([
    ["core", "fsmonitor"],
    ["core", "hooksPath"],
    ["core", "pager"],
    ["core", "editor"],
    ["core", "sshCommand"],
    ["core", "askPass"],
    ["core", "gitProxy"],
    ["core", "attributesFile"],
    ["core", "excludesFile"],
    ["core", "worktree"],
    ["core", "alternateRefsCommand"],
    ["diff", "external"],
    ['diff "x"', "textconv"],
    ['diff "x"', "command"],
    ["diff", "tool"],
    ['filter "x"', "clean"],
    ['filter "x"', "smudge"],
    ['filter "x"', "process"],
    ['merge "x"', "driver"],
    ["merge", "tool"],
    ["gpg", "program"],
    ['gpg "ssh"', "program"],
    ["alias", "st"],
    ["credential", "helper"],
    ["pager", "log"],
    ["sequence", "editor"],
    ["log", "showSignature"],
    ["commit", "gpgSign"],
    ["init", "templateDir"],
    ["include", "path"],
    ['includeIf "gitdir:/"', "path"],
    ["http", "proxy"],
    ["protocol", "allow"],
    ["uploadpack", "packObjectsHook"],
    ['url "ext::sh"', "insteadOf"],
    ['remote "o"', "uploadpack"],
    ['remote "o"', "vcs"],
    ["submodule", "update"],
    ["extensions", "partialClone"],
    ["nothing", "known"],
  ])("[%s] %s", (section, key) => {
    for (const text of [
      `[${section}]\n\t${key} = sh -c x\n`,
      `[${section}] ${key}=x`,
      `[${section.toUpperCase().replace(/".*"/, (name) => name.toLowerCase())}]\n${key.toUpperCase()} = x`,
      `[core]\n\tbare = false\n[${section}]\n; c\n\n  ${key}\n`,
    ]) {
      expect(configTrouble(text), text).not.toBeNull();
    }
  });
});

describe("what is written to be overlooked", () => {
  it.each([
    ["a comment that seems to go on", "[core]\n# see \\\n\tfsmonitor = x"],
    ["a continued line", "[core]\n\tfsmon\\\nitor = x"],
    ["a section in the old spelling", "[remote.o]\n\tuploadpack = x"],
    ["a carriage return", "[core]\r\n\tfsmonitor = x\r\n"],
    ["a byte order mark", "\ufeff[core]\n\tfsmonitor = x"],
    ["a NUL", "[core]\n\tbare = false\0\n\tfsmonitor = x"],
    ["two sections in a line", "[core] bare = false\n[user] name = a\n[core] fsmonitor = x"],
    ["a quote that goes on", '[user]\n\tname = "a\\\n[core]"\n\tfsmonitor = x'],
    ["a helper that is named by an address", '[remote "o"]\n\turl = ext::sh -c x'],
    ["no section at all", "fsmonitor = x"],
    ["a section that does not close", "[core\n\tfsmonitor = x"],
  ])("%s", (_what, text) => {
    expect(configTrouble(text)).not.toBeNull();
  });
});

test("what git reads as a program is never called harmless, however it is spelled", () => {
  const file = join(tempDir(), "config");
  const words = ["[core]", "[user]", '[remote "o"]', "fsmonitor", "bare", "name", "x", "\n", "\n", "\\\n"];
  const marks = ["=", '"', " ", "#", ";", "\r", "\f", "\u00a0", "\\", "[", "]"];
  let read = 0;
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...words, ...marks), { maxLength: 14 }), (pieces) => {
      const text = `[core]\n${pieces.join("")}`;
      if (!text.includes("fsmonitor") || configTrouble(text) !== null) return;
      writeFileSync(file, text);
      expect(namesIn(file), JSON.stringify(text)).not.toMatch(/fsmonitor/i);
      read++;
    }),
    { numRuns: 20_000 },
  );
  expect(read).toBeGreaterThan(100);
});

/** The keys that git finds in a file; none when it refuses the file. */
function namesIn(file: string): string {
  const { stdout } = spawnSync("git", ["config", "--file", file, "--list", "--name-only"], { encoding: "utf8" });
  return stdout;
}
