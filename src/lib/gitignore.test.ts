import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { tempDir } from "../../test/support/run.js";
import { gitignore } from "./gitignore.js";

/** What git says of these paths, in a repository with those directories. */
function asGit(root: string, lines: string): boolean[] {
  writeFileSync(join(root, ".gitignore"), lines);
  const args = ["-c", "core.excludesFile=", "check-ignore", "--no-index", "-v", "-n", "-z", "--stdin"];
  const run = () =>
    execFileSync("git", args, {
      cwd: root,
      input: paths.map((path) => path.replace(/\/$/, "")).join("\0"),
      encoding: "utf8",
    });
  let out = "";
  try {
    out = run();
  } catch (error) {
    out = String((error as { stdout?: unknown }).stdout);
  }
  const fields = out.split("\0");
  return paths.map((_, i) => {
    const pattern = fields[i * 4 + 2] ?? "";
    return pattern !== "" && !pattern.startsWith("!");
  });
}

const paths = ["ab", "a.b", "a/", "a/b", "a/a/", "a/a/b", "b/", "b/a", "b/a/b", "a b", "a ", "[", "-", "]", "x/a/b"];

test("a .gitignore means what it means to git", () => {
  const piece = fc.constantFrom(
    "a",
    "b",
    "*",
    "**",
    "?",
    "/",
    "**/",
    "/**",
    "[ab]",
    "[!a]",
    "[^b]",
    "[a-c]",
    "[]a]",
    "[a",
    "\\",
    "\\*",
    ".",
    " ",
    "[[:alpha:]]",
    "-",
    "!",
    "#",
  );
  const line = fc
    .array(piece, { minLength: 1, maxLength: 5 })
    .map((pieces) => pieces.join(""))
    // git compares the letters in front by themselves, and then takes `**` in the middle of a name for one at its start.
    .filter((text) => !/[^/*]\*\*/.test(text));
  const lines = fc.array(line, { minLength: 1, maxLength: 3 }).map((all) => all.join("\n"));
  const root = tempDir();
  execFileSync("git", ["init", "-q"], { cwd: root });
  for (const path of paths) if (path.endsWith("/")) mkdirSync(join(root, path), { recursive: true });
  fc.assert(
    fc.property(lines, (text) => {
      const mine = gitignore(text);
      expect(paths.map((path) => mine(path).ignored)).toEqual(asGit(root, text));
    }),
    { numRuns: 600, examples: [["a\n!/**\n\\*"], ["[a-[^b]"]] },
  );
}, 120_000);
