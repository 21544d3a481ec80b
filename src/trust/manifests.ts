// What a program reads in a project to learn what to run: package.json for npm, a Makefile for make. For a hook these files are
// covered like a script that it names (resource.ts). Pure.
// Invariant: a program is either known to run nothing of a project, or known by the files that tell it what to run, or taken
// for one that may read any configuration in its directory. A program that is missing in the tables covers more, never less.

import { isObject, parseJson } from "../lib/json.js";

interface Runner {
  programs: RegExp;
  /** Names and patterns, each in the directory where it is started or in one that the command names. */
  manifests: readonly (string | RegExp)[];
}

const packages = [
  ...["package.json", ".npmrc", ".yarnrc", ".yarnrc.yml", "bunfig.toml", "pnpm-workspace.yaml", ".pnpmfile.cjs"],
  ...["turbo.json", "nx.json", "lerna.json"],
];
const python = [
  ...["pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "noxfile.py", "pytest.ini", "conftest.py", "Pipfile"],
  ...["manage.py", "sitecustomize.py", "usercustomize.py"],
];

const runners: readonly Runner[] = [
  { programs: /^(?:npm|pnpm|yarn|bun|npx|bunx|pnpx|corepack|turbo|nx|lerna)$/, manifests: packages },
  { programs: /^(?:g|b|re|n)?make$/, manifests: ["GNUmakefile", "BSDmakefile", "makefile", "Makefile", /\.mk$/] },
  { programs: /^just$/, manifests: [/^\.?justfile$/i, /\.just$/] },
  { programs: /^(?:go-)?task$/, manifests: [/^taskfile(?:\.dist)?\.ya?ml$/i] },
  {
    programs: /^(?:cargo|rustc|rustup)$/,
    manifests: [
      "Cargo.toml",
      "build.rs",
      ".cargo/config.toml",
      ".cargo/config",
      "rust-toolchain.toml",
      "rust-toolchain",
    ],
  },
  { programs: /^go$/, manifests: ["go.mod", "go.work", /\.go$/] },
  { programs: /^(?:py\.?test|tox|nox|poetry|uv|uvx|hatch|pdm|pipenv|rye|pipx)$/, manifests: python },
  {
    programs: /^gradlew?$/,
    manifests: [/\.gradle(?:\.kts)?$/, "gradle.properties", "gradle/wrapper/gradle-wrapper.properties"],
  },
  { programs: /^mvnw?$/, manifests: ["pom.xml", ".mvn/extensions.xml", ".mvn/maven.config", ".mvn/jvm.config"] },
  { programs: /^deno$/, manifests: ["deno.json", "deno.jsonc", "package.json"] },
];

/** Run nothing of a project but what they are given as a file or a text, and those are looked at by themselves. */
const plain = new Set(
  [
    "[ [[ : . alias basename base64 break builtin bzip2 cat cd chmod chown cksum cmp column comm command continue cp curl cut date",
    "declare df diff dirname du echo egrep eval exec exit export expr false fgrep file find fmt fold getopts grep gunzip gzip hash",
    "head hostname iconv id install jobs join jq kill less let ln local logger logname ls md5sum mkdir mkfifo mktemp more mv nl",
    "nproc od paste pathchk pgrep pr printenv printf ps pushd popd pwd read readlink realpath return rg rm rmdir sed seq set sha1sum",
    "sha256sum shasum shift shopt sleep sort source split stat stty sum tac tail tee test time times touch tr trap true truncate tsort",
    "tty type ulimit umask uname unexpand uniq unset uptime wait wc wget which who whoami xxd yes zcat if then elif else fi while until",
    "do done for in case esac select function { } !",
    "notify-send osascript say terminal-notifier",
    "sh bash dash zsh ksh node nodejs python python2 python3 perl ruby php lua awk gawk mawk",
  ].flatMap((line) => line.split(" ")),
);

/** Configuration of whatever program: by its name in the directory itself. */
const configuration =
  /^(?!\.env|\.DS_Store|\.git$|.*[-.]lock\b)(?:\..+|[\w.-]+\.(?:json[c5]?|toml|ya?ml|[cm]?[jt]s|mk|gradle|kts|xml|py|rb|cfg|ini|conf|bzl|cmake|exs?|nix|php|lua|sh)|[A-Z][\w.-]*file|[jJ]ustfile|makefile|BUILD|WORKSPACE)$/;

export type Manifests = readonly (string | RegExp)[];

/** The files that tell a program what to run; empty when no file does. */
export function manifestsOf(program: string): Manifests {
  const name = program.replace(/^.*\//, "");
  const known = runners.find(({ programs }) => programs.test(name));
  if (known) return known.manifests;
  return plain.has(name) || /^python[\d.]*$/.test(name) ? [] : [configuration];
}

/** The words of a command line, and which of them are programs. */
export function programsOf(words: readonly { text: string; isFirst: boolean }[]): string[] {
  const known = words.filter(({ text }) => runners.some(({ programs }) => programs.test(text.replace(/^.*\//, ""))));
  return [...new Set([...words.filter(({ isFirst }) => isFirst), ...known].map(({ text }) => text))];
}

const packageRunners = /^(?:npm|pnpm|yarn|bun)$/;
const places =
  /^(?:cd|-C|-f|-w|-p|--(?:prefix|cwd|dir|directory|file|makefile|justfile|working-directory|workspace|project|manifest-path))$/;

/** Why it cannot be told which files say what these words run; null when it can. `has`: whether a path is there. */
export function untold(words: readonly string[], has: (path: string) => boolean): string | null {
  for (const [at, word] of words.entries()) {
    const program = word.replace(/^.*\//, "");
    const next = words.slice(at + 1).find((each) => !each.startsWith("-"));
    const [first = "", second = ""] = words.slice(at + 1);
    if (places.test(word) && /[$`]/.test(first) && runs(words)) return `where it runs, ${first}, is only known then`;
    if (/^--[\w-]+=.*[$`]/s.test(word) && runs(words)) return `what ${word} stands for is only known then`;
    if (/^(?:npx|bunx|pnpx)$/.test(program) && !isLocal(first, has)) return fetches(word, next);
    if (fetching.test(`${program} ${first}`) && !isLocal(second, has)) {
      return fetches(`${word} ${first}`, second);
    }
    if (/^(?:uvx|pipx)$/.test(program)) return fetches(word, next);
    const rest = words.slice(at + 1);
    if (packageRunners.test(program) && rest.some((each) => manyPackages.test(each))) {
      return `${word} runs scripts of other packages here; name the folder of one with --prefix`;
    }
  }
  return null;
}

const fetching = /^(?:(?:npm|bun) x|npm exec|(?:pnpm|yarn) dlx|(?:npm|pnpm|yarn|bun) (?:create|init))$/;
const manyPackages = /^(?:-r|--recursive|--workspaces|-ws|--filter(?:=.*)?|workspaces?)$/;

function runs(words: readonly string[]): boolean {
  return words.some((word) => runners.some(({ programs }) => programs.test(word.replace(/^.*\//, ""))));
}

function isLocal(name: string, has: (path: string) => boolean): boolean {
  return /^[\w.-]+$/.test(name) && !name.startsWith("-") && has(`node_modules/.bin/${name}`);
}

function fetches(program: string, what = "something"): string {
  return `${program} would download ${what}, and nobody has seen that; install it and name its file`;
}

/** The scripts of a package.json that these words run, by name, as far as they name them. */
export function scriptsOf(manifest: string, words: readonly string[]): Map<string, string> {
  const all = scriptTable(manifest);
  const found = new Map<string, string>();
  const pending = words.flatMap((word) => [...(implied[word] ?? []), word]);
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    for (const each of [`pre${name}`, name, `post${name}`]) {
      const text = all.get(each);
      if (text === undefined || found.has(each)) continue;
      found.set(each, text);
      pending.push(...text.split(/[\s;&|()<>"']+/));
    }
  }
  return found;
}

const installs = ["install", "prepublish", "prepare"];
const implied: Readonly<Record<string, readonly string[]>> = { t: ["test"], tst: ["test"], i: installs, ci: installs };

function scriptTable(manifest: string): Map<string, string> {
  const scripts = new Map<string, string>();
  const parsed = parseJson(manifest);
  const table = isObject(parsed) ? parsed["scripts"] : undefined;
  for (const [name, text] of isObject(table) ? Object.entries(table) : []) {
    if (typeof text === "string") scripts.set(name, text);
  }
  return scripts;
}
