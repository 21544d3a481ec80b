import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { isProtectedPath } from "./protected.js";
import { isSecretPath } from "./secret-files.js";

interface PathCase {
  id: string;
  path: string;
  protected_write?: boolean;
}
const { cases } = JSON.parse(readFileSync(new URL("../../test/data/path-cases.json", import.meta.url), "utf8")) as {
  cases: PathCase[];
};
const split = (path: string) => path.split("/").filter((name) => name !== "" && name !== ".");

describe("path cases P084 to P103", () => {
  const rows = cases.filter((row) => row.protected_write);
  it("are there", () => expect(rows.length).toBeGreaterThanOrEqual(12));
  it.each(rows)("$id $path", ({ path }) => expect(isProtectedPath(split(path))).toBe(true));
});

it("protects no other case that lies inside", () => {
  const plain = cases.filter((row) => !row.protected_write && !/\.git|\.cinch/.test(row.path));
  expect(plain.filter(({ path }) => isProtectedPath(split(path))).map(({ id }) => id)).toEqual([]);
});

test.each([
  ".GIT/hooks/x",
  ".git /config",
  ".Cinch/Settings.json",
  "a/b/.git/x",
  ".git::$INDEX_ALLOCATION/config",
  "CINCH~1/x",
  "MCP~1.JSO",
  "Agents.md",
  ".github/workflows/a.yml",
  "x.code-workspace",
  ".bashrc",
  "sub/.npmrc.",
])("%s is protected", (path) => expect(isProtectedPath(split(path))).toBe(true));

test.each([
  "src/a.ts",
  "git/config",
  ".gitignore",
  ".github/ISSUE_TEMPLATE.md",
  "gitx~1/a",
  "docs/agents.md.txt",
  "legit/x",
  ".env",
])("%s is not", (path) => expect(isProtectedPath(split(path))).toBe(false));

it("is not fooled by case, ignorable characters, trailing dots and blanks", () => {
  const noise = fc.constantFrom("", "\u200c", "\u200d", "\ufeff", "\u00ad", "\u2060", "\u{e0041}");
  const tail = fc.constantFrom("", ".", " ", ". .", "..");
  fc.assert(
    fc.property(
      fc.constantFrom(".git", ".cinch", ".vscode"),
      fc.array(noise, { maxLength: 8 }),
      tail,
      fc.boolean(),
      (name, extra, end, upper) => {
        const odd = [...name].map((char, i) => char + (extra[i] ?? "")).join("") + end;
        expect(isProtectedPath([upper ? odd.toUpperCase() : odd, "x"])).toBe(true);
      },
    ),
  );
});

test.each([
  ".env",
  ".env.local",
  "prod.env",
  "deploy/server.pem",
  "id_ed25519",
  ".ssh/other",
  ".aws/credentials",
  "service-account.json",
  "secrets.yml",
  ".ENV",
  "prod.tfvars",
])("%s is secret", (path) => expect(isSecretPath(split(path))).toBe(true));

test.each([
  ".env.example",
  "env.ts",
  "id_ed25519.pub",
  ".ssh/known_hosts",
  "keys.ts",
  "src/secrets.ts",
  "monkey",
  "package.json",
])("%s is not secret", (path) => expect(isSecretPath(split(path))).toBe(false));
