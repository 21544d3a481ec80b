// What a confined command must not make or change although nothing is mounted on it by name: every protected name where it
// was missing (SECURITY 4.5), and what `permissions.protect` adds. What it did is looked for on the disk.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { isProtectedPath } from "../../src/permission/protected.js";
import { needs } from "../support/needs.js";
import { pathCases } from "../support/path-cases.js";
import { resultText, stage } from "../support/stage.js";

const sandboxed = needs("bwrap");

interface Set {
  files?: Record<string, string>;
  protect?: string[];
  write?: string[];
}

/** One command in a script, so that its analysis does not see what it does. */
async function play(script: string, { files = {}, protect = [], write = [] }: Set = {}) {
  const at = await stage([
    { calls: [{ id: "c", name: "run_command", input: { command: "bash ./run.sh" } }] },
    { text: "done" },
  ]);
  for (const [path, text] of Object.entries({ ...files, "run.sh": script })) {
    mkdirSync(dirname(join(at.root, path)), { recursive: true });
    writeFileSync(join(at.root, path), text);
  }
  const session = await at.open({
    settings: { permissions: { mode: "auto", protect }, sandbox: { mode: "auto", write } },
  });
  await session.send("go");
  const told = resultText(at.bodies()[1], "c");
  await session.close();
  const text = (path: string) => (existsSync(join(at.root, path)) ? readFileSync(join(at.root, path), "utf8") : null);
  return { root: at.root, told, text, names: (path = ".") => readdirSync(join(at.root, path)).sort() };
}

sandboxed("every protected name of the path cases that is missing: none is there afterwards", async () => {
  const paths = pathCases
    .filter((row) => row.protected_write && !/^(\/|~|\.\.)/.test(row.path))
    .map(({ path }) => path);
  expect(paths.length).toBeGreaterThan(10);
  const words = paths.map((path) => `'${path.replaceAll("'", "'\\''")}'`).join(" ");
  const { root, names } = await play(
    `for f in ${words}; do mkdir -p "$(dirname "$f")" && echo evil > "$f"; done 2>/dev/null; true`,
  );
  const left = names().filter((name) => name !== ".git" && isProtectedPath([name]));
  expect(left).toEqual([]);
  expect(names(".git").filter((name) => ["config", "hooks", "commondir"].includes(name))).toEqual([]);
  for (const outer of [".github", ".config"].filter((name) => existsSync(join(root, name))))
    expect(names(outer).filter((name) => isProtectedPath([outer, name]))).toEqual([]);
});

sandboxed(
  "what appeared keeps its bytes beside its name, and the model is told; what is no such name stays",
  async () => {
    const script =
      "echo a > .npmrc; echo b > .envrc; mkdir .husky .github .github/workflows; echo c > .husky/pre-commit; echo d > JENKINSFILE; echo e > .github/workflows/ci.yml; echo f > .github/CODEOWNERS; echo g > .editorconfig";
    const { told, text, names } = await play(script);
    for (const name of [".npmrc", ".envrc", ".husky", "JENKINSFILE", ".github/workflows"])
      expect(told).toMatch(new RegExp(`${name} is a protected name: it was made and is now .*${name}\\.set-aside-1`));
    expect([text(".npmrc"), text(".npmrc.set-aside-1"), text(".husky.set-aside-1/pre-commit")]).toEqual([
      null,
      "a\n",
      "c\n",
    ]);
    expect([text(".github/CODEOWNERS"), text(".editorconfig")]).toEqual(["f\n", "g\n"]);
    expect(names(".github")).toEqual(["CODEOWNERS", "workflows.set-aside-1"]);
  },
);

sandboxed("`sandbox.write` lets one appear", async () => {
  expect((await play("echo a > .npmrc", { write: [".npmrc"] })).text(".npmrc")).toBe("a\n");
});

sandboxed("`permissions.protect`: read-only where it is, not made where it is not, at any depth", async () => {
  const files = { "deploy/prod.yml": "good", "a/b/keys.lock": "good", "plain.txt": "old" };
  const script =
    "echo evil > deploy/prod.yml; rm -rf deploy; echo evil > deploy/new.yml; echo evil > a/b/keys.lock; mkdir -p c; echo evil > c/more.lock; echo new > plain.txt; mv a gone";
  const { told, text, names } = await play(script, { files, protect: ["deploy/", "*.lock"] });
  expect([text("deploy/prod.yml"), names("deploy"), text("plain.txt")]).toEqual(["good", ["prod.yml"], "new\n"]);
  expect([text("a/b/keys.lock"), text("c/more.lock")]).toEqual(["good", null]);
  expect(text("c/more.lock.set-aside-1")).toBe("evil\n");
  expect(told).toContain("c/more.lock is a protected name");
});
