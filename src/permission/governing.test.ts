import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../test/support/run.js";
import { nodeFs } from "../lib/fs.js";
import { governingIn } from "./governing.js";
import { speaks, startsThings } from "./protected.js";

function tree(files: readonly string[]): string {
  const root = tempDir();
  for (const file of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    if (!file.endsWith("/")) writeFileSync(join(root, file), "");
    else mkdirSync(join(root, file));
  }
  return root;
}

/** Names below the root, sorted. */
function found(root: string) {
  const shown = (paths: string[]) => paths.map((path) => path.slice(root.length + 1)).sort();
  const { fixed, held, absent, watched } = governingIn(nodeFs, root);
  return { fixed: shown(fixed), held: shown(held), absent: shown(absent), watched: shown(watched) };
}

test("in an empty directory every name that starts or says something is kept free", () => {
  const { fixed, held, absent, watched } = found(tree([]));
  expect({ fixed, held }).toEqual({ fixed: [], held: [] });
  expect(absent).toEqual([...startsThings].sort());
  expect(watched).toEqual([".git", ...speaks].sort());
});

test("what is there is fixed, in any letter case, and everything else is left alone", () => {
  const { fixed, held } = found(
    tree([".cinch/settings.json", "agents.md", ".npmrc", "src/a.ts", "package.json", ".env"]),
  );
  expect(fixed).toEqual([".cinch", ".npmrc", "agents.md"]);
  expect(held).toEqual([]);
});

test("a directory around a fixed one stays where it is", () => {
  const { fixed, held } = found(tree([".github/workflows/ci.yml", ".github/FUNDING.yml", ".config/other/x"]));
  expect(fixed).toEqual([".github/workflows"]);
  expect(held).toEqual([".github"]);
});

test("in .git only what git runs by is fixed, also when it is not there yet", () => {
  const { fixed, held, watched } = found(tree([".git/config", ".git/HEAD", ".git/objects/", ".git/modules/a/config"]));
  expect(fixed).toEqual([".git/config", ".git/modules"]);
  expect(held).toEqual([".git"]);
  expect(watched).toEqual([".git/commondir", ".git/hooks", ...speaks].sort());
});

test("a link is compared afterwards: nothing can be mounted on it", () => {
  const root = tree(["real/settings.json"]);
  symlinkSync("real", join(root, ".cinch"));
  const { fixed, absent, watched } = found(root);
  expect(fixed).toEqual([]);
  expect(absent).not.toContain(".cinch");
  expect(watched).toContain(".cinch");
});

test("a directory that is not there holds nothing", () => {
  expect(governingIn(nodeFs, join(tempDir(), "gone")).fixed).toEqual([]);
});
