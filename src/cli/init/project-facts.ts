// What the files at the root of a project say about it: its name, languages, commands and folders. Reads only, a few small files.

import { join } from "node:path";
import type { Fs } from "../../lib/fs.js";
import { isObject, parseJson } from "../../lib/json.js";
import { readSmall } from "../../lib/small-file.js";

export interface ProjectFacts {
  name: string;
  about: string | null;
  /** A command and what it is for. */
  commands: { command: string; use: string }[];
  folders: string[];
}

const most = 256 * 1024;

export function factsOf(disk: Fs, root: string): ProjectFacts {
  const text = (name: string) => readSmall(disk, join(root, name), most)?.text;
  const pack = parseJson(text("package.json") ?? "");
  const own = isObject(pack) ? pack : {};
  return {
    name: typeof own["name"] === "string" ? own["name"] : (root.split("/").at(-1) ?? root),
    about: typeof own["description"] === "string" ? own["description"] : null,
    commands: [...scripts(own["scripts"]), ...targets(text("Makefile")), ...known(text)],
    folders: foldersOf(disk, root),
  };
}

/** The scripts that people type; steps that npm runs by itself are not among them. */
function scripts(scripts: unknown): ProjectFacts["commands"] {
  if (!isObject(scripts)) return [];
  const typed = Object.entries(scripts).filter(([name]) => !/^(pre|post)|^(prepare|install)$/.test(name));
  return typed
    .slice(0, 20)
    .map(([name, use]) => ({ command: name === "test" ? "npm test" : `npm run ${name}`, use: String(use) }));
}

function targets(makefile = ""): ProjectFacts["commands"] {
  const names = [...makefile.matchAll(/^([a-z][a-z0-9_-]*):(?!=)/gm)].map(([, name]) => name ?? "");
  return [...new Set(names)].slice(0, 20).map((name) => ({ command: `make ${name}`, use: "a target of the Makefile" }));
}

const manifests: readonly [string, string, string][] = [
  ["Cargo.toml", "cargo test", "Rust: builds and tests"],
  ["go.mod", "go test ./...", "Go: builds and tests"],
  ["pyproject.toml", "python -m pytest", "Python: tests"],
  ["pom.xml", "mvn test", "Java: builds and tests"],
  ["build.gradle", "./gradlew test", "Java: builds and tests"],
  ["Gemfile", "bundle exec rake", "Ruby: the default task"],
];

function known(text: (name: string) => string | undefined): ProjectFacts["commands"] {
  return manifests.filter(([file]) => text(file) !== undefined).map(([, command, use]) => ({ command, use }));
}

const dull = /^(\.|node_modules$|dist$|build$|target$|vendor$|coverage$)/;

function foldersOf(disk: Fs, root: string): string[] {
  const entries = disk.readdirSync(root, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && !dull.test(entry.name))
    .map(({ name }) => name)
    .sort();
}

const others: readonly [string, string][] = [
  ["CLAUDE.md", "is read where a directory has no AGENTS.md, once the project is trusted"],
  [".claude/settings.json", "its hooks can be written into .cinch/settings.json in the same form"],
  [".claude/skills", "skills are not loaded in this version; /skills lists them"],
  [".claude/agents", "agents there are used as they are, once the project is trusted"],
  [".mcp.json", "its servers are listed by `cinch trust`"],
  [".cursorrules", "is not read; what matters of it belongs into AGENTS.md"],
  [".cursor/rules", "is not read; what matters of it belongs into AGENTS.md"],
  [".github/copilot-instructions.md", "is not read; what matters of it belongs into AGENTS.md"],
  ["GEMINI.md", "is not read; what matters of it belongs into AGENTS.md"],
];

/** Settings of other agents, and what Cinch makes of each. */
export function elsewhere(disk: Fs, root: string): { file: string; use: string }[] {
  return others.filter(([file]) => disk.existsSync(join(root, file))).map(([file, use]) => ({ file, use }));
}
