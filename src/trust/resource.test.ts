// What a fingerprint covers: a table of commands, and what changes it.

import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../test/support/run.js";
import { nodeFs } from "../lib/fs.js";
import { fingerprint, type Resource } from "./resource.js";

function project() {
  const root = tempDir();
  for (const folder of ["scripts", "my tools", "bin"]) mkdirSync(join(root, folder));
  const files = {
    "scripts/x.sh": "echo x\n",
    "my tools/y.sh": "echo y\n",
    "rules.json": "{}",
    "bin/lint": "#!/bin/sh\n",
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  chmodSync(join(root, "bin/lint"), 0o755);
  symlinkSync("scripts/x.sh", join(root, "link.sh"));
  symlinkSync("/etc/passwd", join(root, "outside.sh"));
  const of = (text: string, args?: string[]) => {
    const command = args ? { text, args } : { text };
    const resource: Resource = {
      kind: "allow rule",
      name: "n",
      source: "s:1",
      entry: { text, args: args ?? [] },
      command,
    };
    return fingerprint(resource, { disk: nodeFs, root, path: `${root}/bin:/usr/bin:/bin` });
  };
  return { root, of };
}

test.each([
  ["sh scripts/x.sh", ["scripts/x.sh"]],
  ["./scripts/x.sh --rules=rules.json", ["rules.json", "scripts/x.sh"]],
  ['"$CLAUDE_PROJECT_DIR"/scripts/x.sh', ["scripts/x.sh"]],
  ["$" + "{CINCH_PROJECT_DIR}/scripts/x.sh", ["scripts/x.sh"]],
  ["'my tools/y.sh' && cat rules.json", ["my tools/y.sh", "rules.json"]],
  ["my\\ tools/y.sh", ["my tools/y.sh"]],
  ["bash -c 'sh scripts/x.sh; cat <rules.json'", ["rules.json", "scripts/x.sh"]],
  ["A=1 sh link.sh", ["scripts/x.sh"]],
  ["scripts/../rules.json", ["rules.json"]],
  ["lint", ["bin/lint"]],
  ["sh outside.sh", []],
  ["sh ../x.sh", []],
  ["echo hello", []],
])("%s covers what it names", (text, files) => {
  expect(
    project()
      .of(text)
      .files.map(({ path }) => path),
  ).toEqual(files);
});

test("arguments of the exec form are names as they stand", () => {
  const { of } = project();
  expect(of("sh", ["my tools/y.sh"]).files.map(({ path }) => path)).toEqual(["my tools/y.sh"]);
});

test("the program is an absolute path, wherever it is", () => {
  const { root, of } = project();
  const programs = ["lint", "scripts/x.sh", "nothing-of-that-name", "$TOOL x"].map((text) => of(text).program);
  expect(programs).toEqual([join(root, "bin/lint"), join(root, "scripts/x.sh"), null, null]);
  expect(of("sh x").program).toMatch(/^\//);
});

test("A 15, 16: a changed byte in a file that is named is another fingerprint, one elsewhere is not", () => {
  const { root, of } = project();
  const before = of("sh scripts/x.sh").hash;
  writeFileSync(join(root, "rules.json"), "[]");
  expect(of("sh scripts/x.sh").hash).toBe(before);
  writeFileSync(join(root, "scripts/x.sh"), "echo X\n");
  expect(of("sh scripts/x.sh").hash).not.toBe(before);
});

test("a link that leads elsewhere is another fingerprint", () => {
  const { root, of } = project();
  const before = of("sh link.sh");
  nodeFs.unlinkSync(join(root, "link.sh"));
  symlinkSync("my tools/y.sh", join(root, "link.sh"));
  expect(of("sh link.sh").hash).not.toBe(before.hash);
});

test("A 17: what is not covered is said", () => {
  const { root, of } = project();
  writeFileSync(join(root, "scripts/lib.sh"), "true\n");
  writeFileSync(
    join(root, "scripts/x.sh"),
    '. "$(dirname "$0")/lib.sh"\n. ./lib.sh\ncat "$CLAUDE_PROJECT_DIR/rules.json"\n',
  );
  expect(of("sh scripts/x.sh").uncovered).toEqual([
    "scripts/lib.sh, which scripts/x.sh names",
    "rules.json, which scripts/x.sh names",
  ]);
  expect(of('sh "$HOOK" scripts ./gone.sh').uncovered).toEqual([
    "what $HOOK stands for",
    "the folder scripts",
    "./gone.sh, which is not there",
  ]);
});

/** A hook of the project over these files. */
function hooked(files: Record<string, string>) {
  const root = tempDir();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  const of = (text: string, args?: string[]) => {
    const command = { text, manifests: true, ...(args ? { args } : {}) };
    const resource: Resource = { kind: "hook", name: "n", source: "s:1", entry: { text }, command };
    return fingerprint(resource, { disk: nodeFs, root, path: "/usr/bin:/bin" });
  };
  return { root, of };
}

const tree = {
  "package.json": JSON.stringify({
    scripts: { lint: "node tools/lint.js && npm run more", premore: "sh a.sh", more: "x" },
  }),
  ".npmrc": "script-shell=./evil\n",
  "tools/lint.js": 'require("./rules");\nrequire("eslint");\n',
  "tools/rules.js": "",
  "a.sh": "",
  Makefile: "include extra.mk\nall:\n\tsh build.sh\n",
  "extra.mk": "",
  "build.sh": "",
  justfile: "",
  "Cargo.toml": "",
  "build.rs": "",
  ".cargo/config.toml": "",
  "checks/__main__.py": "import helper\n",
  "checks/helper.py": "",
  "pyproject.toml": "",
  "pom.xml": "",
  mvnw: "#!/bin/sh\n",
  "sub/package.json": "{}",
  "eslint.config.mjs": "",
  "README.txt": "",
  ".env": "",
  "node_modules/.bin/tool": "#!/usr/bin/env node\n",
};

test.each([
  ["npm run lint", [".npmrc", "a.sh", "package.json", "tools/lint.js", "tools/rules.js"]],
  ["npm test >&2 || exit 2", [".npmrc", "package.json"]],
  ["CI=1 pnpm run other", [".npmrc", "package.json"]],
  ["bash -c 'cd sub && yarn x'", [".npmrc", "package.json", "sub/package.json"]],
  ["timeout 5 make all", ["Makefile", "build.sh", "extra.mk"]],
  ["just x", ["justfile"]],
  ["cargo clippy", [".cargo/config.toml", "Cargo.toml", "build.rs"]],
  ["python3 -m checks", ["checks/__main__.py", "checks/helper.py", "pyproject.toml"]],
  ["./mvnw verify", ["mvnw", "pom.xml"]],
  ["npx tool --fix", ["node_modules/.bin/tool"]],
  ["cat >/dev/null; echo no >&2; exit 2", []],
])("a hook that runs %j covers what tells it what to run", (text, files) => {
  const covered = hooked(tree).of(text);
  expect(covered.refused).toBe(null);
  expect(covered.files.map(({ path }) => path)).toEqual(expect.arrayContaining(files));
  if (files.length === 0) expect(covered.files).toEqual([]);
});

test("a program nobody knows covers whatever configures programs in the root", () => {
  const paths = hooked(tree)
    .of("frobnicate --check")
    .files.map(({ path }) => path);
  expect(paths).toEqual(expect.arrayContaining(["Makefile", "eslint.config.mjs", "package.json", "pyproject.toml"]));
  expect(paths).not.toContain(".env");
  expect(paths).not.toContain("README.txt");
});

test.each([
  ["npx cowsay", "would download cowsay"],
  ["npm exec -- x", "would download"],
  ["pnpm dlx cowsay", "would download cowsay"],
  ["uvx ruff", "would download ruff"],
  ['make -C "$WHERE"', "is only known then"],
  ["npm --prefix=$(pwd)/x run y", "is only known then"],
  ["npm run build --workspaces", "other packages"],
])("%s is refused: nobody can see what it runs", (text, why) => {
  expect(hooked(tree).of(text).refused).toContain(why);
});

test("a manifest that comes to be, or one that is read in place of the approved, is another fingerprint", () => {
  const { root, of } = hooked({ Makefile: "all:\n" });
  const [made, script] = [of("make").hash, of("npm run x").hash];
  writeFileSync(join(root, "GNUmakefile"), "all:\n\ttouch ran\n");
  writeFileSync(join(root, "package.json"), "{}");
  expect([of("make").hash === made, of("npm run x").hash === script]).toEqual([false, false]);
});
