// A path is judged by every name it has: as given, at each link on the way, at its end, and by the governing names that are
// links to it. And the names that govern other tools are the same for file tools, commands and the sandbox.

import { existsSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { isProtectedPath } from "../../src/permission/protected.js";
import { needs } from "../support/needs.js";
import { resultText, stage } from "../support/stage.js";
import type { WireReply } from "../support/wire/anthropic.js";

type Call = NonNullable<WireReply["calls"]>[number];

/** What governs other tools, where they look for it. */
const governing = [
  ...[".github/copilot-instructions.md", ".github/prompts/a.prompt.md", ".github/instructions/a.instructions.md"],
  ...[
    ".github/chatmodes/a.chatmode.md",
    ".cursor/rules/a.mdc",
    ".windsurf/rules/a.md",
    ".windsurfrules",
    ".clinerules",
  ],
  ...[".roo/rules/a.md", ".kilocode/rules/a.md", ".continue/config.yaml", ".aider.conf.yml", "opencode.json"],
  ...["opencode.jsonc", ".opencode/agent/a.md", ".kiro/steering/a.md", ".junie/guidelines.md", ".amazonq/rules/a.md"],
  ...[".augment/rules/a.md", ".augment-guidelines", ".goosehints", "crush.json", ".crush.json", "QWEN.md"],
  ...[".qwen/settings.json", ".trae/rules/a.md", ".zed/settings.json", ".idea/workspace.xml", ".fleet/run.json"],
  ...[
    ".helix/config.toml",
    ".nvim.lua",
    ".cargo/config.toml",
    ".cargo/config",
    "rust-toolchain",
    "rust-toolchain.toml",
  ],
  ...[".envrc", ".mise.toml", "mise.local.toml", ".tool-versions", ".npmrc", ".yarnrc.yml", ".pnp.cjs"],
  ...[".pre-commit-config.yaml", "lefthook.yml", ".husky/pre-commit", ".devcontainer/devcontainer.json"],
  ...[".vscode/tasks.json", "a.code-workspace", "a.sublime-project", ".dir-locals.el", ".exrc", ".lvimrc"],
  ...[".tmuxinator.yml", ".buildkite/pipeline.yml", ".drone.yml", "Jenkinsfile", ".gitlab-ci.yml", "AGENTS.md"],
];
const ordinary = ["package.json", "Makefile", "tsconfig.json", "conftest.py", ".editorconfig", ".gitignore", "mise.ts"];

function put(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** Calls in acceptEdits with nobody to ask; which of them were denied. */
async function play(
  calls: Call[],
  make: (root: string) => void,
  permissions: { protect?: string[]; deny?: string[]; allow?: string[]; mode?: "acceptEdits" | "ask" } = {},
) {
  const at = await stage([{ calls }, { text: "done" }]);
  make(at.root);
  const session = await at.open({ settings: { permissions: { mode: "acceptEdits", ...permissions } } });
  await session.send("go");
  await session.close();
  const body = at.bodies()[1];
  const told = new Map(calls.map(({ id }) => [id as string, resultText(body, id as string) as string]));
  const denied = calls.flatMap(({ id }) => (/^Denied/.test(told.get(id as string) ?? "") ? [id as string] : []));
  return { root: at.root, told, denied };
}

const ids = (calls: readonly Call[]) => calls.map(({ id }) => id as string);

describe.each([
  ["at the root", ""],
  ["at depth", "packages/app/"],
])("what governs other tools, %s", (_where, below) => {
  const paths = governing.map((path) => below + path);
  const there = (root: string) => {
    for (const path of paths) put(root, path, "old\n");
  };

  it("is in the one table", () => expect(paths.filter((path) => !isProtectedPath(path.split("/")))).toEqual([]));

  it("is not created, extended or deleted unasked", async () => {
    for (const [name, input] of [
      ["append_file", { content: "x\n" }],
      ["delete_file", {}],
    ] as const) {
      const calls = paths.map((path, i) => ({ id: `c${i}`, name, input: { path, ...input } }));
      expect((await play(calls, there)).denied).toEqual(ids(calls));
    }
    const calls = paths.map((path, i) => ({ id: `c${i}`, name: "write_file", input: { path, content: "x\n" } }));
    expect((await play(calls, () => undefined)).denied).toEqual(ids(calls));
  });

  it("is not edited unasked", async () => {
    const calls = paths.flatMap((path, i) => [
      { id: `r${i}`, name: "read_file", input: { path } },
      { id: `c${i}`, name: "edit_file", input: { path, old_string: "old", new_string: "new" } },
    ]);
    const { root } = await play(calls, there);
    expect(paths.filter((path) => readFileSync(join(root, path), "utf8") !== "old\n")).toEqual([]);
  });

  it("is not the target of a redirect unasked", async () => {
    const calls = paths.map((path, i) => ({
      id: `c${i}`,
      name: "run_command",
      input: { command: `echo x > ${path}` },
    }));
    const { root, denied } = await play(calls, there);
    expect(denied).toEqual(ids(calls));
    expect(paths.filter((path) => readFileSync(join(root, path), "utf8") !== "old\n")).toEqual([]);
  });
});

needs("bwrap")("what governs other tools at the root is not there after a command in a sandbox", async () => {
  const at = await stage([
    { calls: [{ id: "c", name: "run_command", input: { command: "bash ./run.sh" } }] },
    { text: "done" },
  ]);
  const words = governing.join(" ");
  put(
    at.root,
    "run.sh",
    `for f in ${words}; do mkdir -p "$(dirname "$f")" && echo evil > "$f"; done 2>/dev/null; true`,
  );
  const session = await at.open({ settings: { permissions: { mode: "auto" }, sandbox: { mode: "auto" } } });
  await session.send("go");
  await session.close();
  expect(governing.filter((path) => existsSync(join(at.root, path)))).toEqual([]);
});

it("ordinary files of a project are ordinary", async () => {
  const calls = ordinary.map((path, i) => ({ id: `c${i}`, name: "write_file", input: { path, content: "{}\n" } }));
  expect((await play(calls, () => undefined)).denied).toEqual([]);
});

describe("links", () => {
  const write = (path: string): Call => ({ id: path, name: "append_file", input: { path, content: "x\n" } });
  const shell = (path: string): Call => ({
    id: `$ ${path}`,
    name: "run_command",
    input: { command: `echo x >> ${path}` },
  });
  const make = (root: string) => {
    for (const path of ["docs/guide.md", "docs/plain.md", "scripts/check.sh", "gh/workflows/ci.yml", "AGENTS.md"])
      put(root, path, "old\n");
    mkdirSync(join(root, ".git/hooks"), { recursive: true });
    const links: Record<string, string> = {
      "CLAUDE.md": "docs/guide.md",
      ".git/hooks/pre-commit": "../../scripts/check.sh",
      ".github": "gh",
      "GEMINI.md": "one.md",
      "one.md": "two.md",
      "two.md": "docs/plain2.md",
      "ordinary.md": "AGENTS.md",
      "chain.md": "ordinary.md",
      "plain-link.md": "docs/plain.md",
      here: ".",
    };
    put(root, "docs/plain2.md", "old\n");
    for (const [name, to] of Object.entries(links)) symlinkSync(to, join(root, name));
  };
  const guarded = [
    ...["CLAUDE.md", ".git/hooks/pre-commit", ".github/workflows/ci.yml", "GEMINI.md", "ordinary.md", "chain.md"],
    // By the ordinary name of what a governing name leads to.
    ...["docs/guide.md", "scripts/check.sh", "gh/workflows/ci.yml", "docs/plain2.md", "one.md", "here/CLAUDE.md"],
  ];
  const free = ["docs/plain.md", "plain-link.md", "here/docs/plain.md"];

  it("a governing name counts wherever it stands on the way, for tools and commands", async () => {
    const calls = [...guarded, ...free].flatMap((path) => [write(path), shell(path)]);
    const { denied } = await play(calls, make);
    expect(denied.filter((id) => !id.startsWith("$"))).toEqual(guarded);
    for (const path of guarded) expect(denied).toContain(`$ ${path}`);
  });

  it("deny and protect take one name to fit, allow takes all", async () => {
    const calls = ["plain-link.md", "docs/plain.md"].map(write);
    expect((await play(calls, make, { deny: ["Edit(/plain-link.md)"] })).denied).toEqual(["plain-link.md"]);
    expect((await play(calls, make, { protect: ["/plain-link.md"] })).denied).toEqual(["plain-link.md"]);
    const allowed = { mode: "ask", allow: ["Edit(docs/**)"] } as const;
    expect((await play(calls, make, { ...allowed, allow: [...allowed.allow] })).denied).toEqual(["plain-link.md"]);
    const both = ["Edit(docs/**)", "Edit(/plain-link.md)"];
    expect((await play(calls, make, { mode: "ask", allow: both })).denied).toEqual([]);
  });

  it("a rule that denies reading means every name, for tools and commands", async () => {
    const calls: Call[] = [
      { id: "read", name: "read_file", input: { path: "plain-link.md" } },
      { id: "search", name: "search_text", input: { pattern: "old", path: "here/docs" } },
      { id: "cat", name: "run_command", input: { command: "cat plain-link.md" } },
      { id: "free", name: "read_file", input: { path: "docs/plain.md" } },
    ];
    const { denied } = await play(calls, make, { deny: ["Read(/plain-link.md)", "Read(/here/docs)"] });
    expect(denied).toEqual(["read", "search", "cat"]);
  });

  it("a hard link is a file of its own name, as the page says", async () => {
    const { denied } = await play([write("twin.md")], (root) => {
      make(root);
      linkSync(join(root, "AGENTS.md"), join(root, "twin.md"));
    });
    expect(denied).toEqual([]);
  });
});
