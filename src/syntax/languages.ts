// From the name of a file to its checker. A table: a further language is a further row.
// Invariant: nothing is loaded before a text of that language is to be checked, and then once. What is not in the table
// has no verdict at all; in doubt (.h, scripts without extension) the first line or the wider language decides.

import type { Checker } from "./checker.js";

export interface Language {
  name: string;
  load(): Promise<Checker>;
}

const script = (dialect: "js" | "cjs" | "ts" | "tsx" | "dts") => async () =>
  (await import("./script.js")).scriptChecker(dialect);
const tree = (grammar: string) => async () => (await import("./tree.js")).treeChecker({ grammar });
const data = (name: "jsonChecker" | "jsoncChecker" | "yamlChecker" | "tomlChecker") => async () =>
  (await import("./data.js"))[name]();

const loaders: Readonly<Record<string, () => Promise<Checker>>> = {
  javascript: script("js"),
  commonjs: script("cjs"),
  typescript: script("ts"),
  tsx: script("tsx"),
  declarations: script("dts"),
  json: data("jsonChecker"),
  jsonc: data("jsoncChecker"),
  yaml: data("yamlChecker"),
  toml: data("tomlChecker"),
  html: async () => (await import("./markup.js")).markupChecker(embedded),
  css: async () => dialectOf(import("./tree.js"), (await import("./stylesheet.js")).stylesheet),
  python: async () => dialectOf(import("./tree.js"), (await import("./python.js")).python),
  c: async () => dialectOf(import("./tree.js"), (await import("./c-family.js")).cFamily),
  rust: tree("rust"),
  go: tree("go"),
  java: tree("java"),
  bash: tree("bash"),
  csharp: tree("c-sharp"),
  php: tree("php"),
  ruby: tree("ruby"),
  powershell: tree("powershell"),
};

async function dialectOf(module: Promise<typeof import("./tree.js")>, dialect: import("./tree.js").Dialect) {
  return (await module).treeChecker(dialect);
}

async function embedded() {
  const [scripts, style, json] = await Promise.all(
    ["javascript", "css", "json"].map((name) => checkerFor(name).catch(() => null)),
  );
  return { script: scripts ?? null, style: style ?? null, json: json ?? null };
}

const extensions: Readonly<Record<string, string>> = {
  javascript: "js mjs jsx",
  commonjs: "cjs",
  typescript: "ts mts cts",
  tsx: "tsx",
  json: "json webmanifest geojson ipynb har avsc",
  jsonc: "jsonc code-workspace",
  yaml: "yaml yml",
  toml: "toml",
  html: "html htm",
  css: "css",
  python: "py pyi pyw",
  c: "c h cc cpp cxx hh hpp hxx",
  rust: "rs",
  go: "go",
  java: "java",
  bash: "sh bash",
  csharp: "cs",
  php: "php phtml",
  ruby: "rb rake gemspec ru",
  powershell: "ps1 psm1 psd1",
};

/** Whole names, before extensions. */
const names: readonly (readonly [RegExp, string])[] = [
  [/\.d\.(?:[a-z]+\.)?[mc]?ts$/, "declarations"],
  [
    /^[tj]sconfig(?:\..*)?\.json$|^(?:\.eslintrc|\.babelrc|\.swcrc|\.jshintrc|devcontainer|\.devcontainer|api-extractor)(?:\.json)?$/,
    "jsonc",
  ],
  [/^(?:language-configuration|.*\.code-snippets|deno|turbo|nx|wrangler|biome|renovate)\.json$/, "jsonc"],
  [/^(?:Gemfile|Rakefile|Vagrantfile|Podfile|Brewfile)$/, "ruby"],
  [/^\.(?:bashrc|bash_profile|bash_aliases|bash_logout|profile)$|^(?:PKGBUILD|APKBUILD)$/, "bash"],
  [/^(?:Cargo|poetry|uv|pdm)\.lock$|^Pipfile$/, "toml"],
  [/^(?:\.clang-format|\.clang-tidy|\.yamllint)$/, "yaml"],
];

const interpreters: readonly (readonly [RegExp, string])[] = [
  [/\b(?:ba|da|k)?sh\b/, "bash"],
  [/\bpython3?(?:\.\d+)?\b/, "python"],
  [/\bnode\b/, "javascript"],
  [/\bruby\b/, "ruby"],
  [/\bphp\b/, "php"],
  [/\bpwsh\b/, "powershell"],
];

let byExtension: Map<string, string> | undefined;
const loaded = new Map<string, Promise<Checker>>();

/** The language of a file, by its name and, when the name says nothing, by its first line; null = no checker. */
export function languageOf(path: string, text: string): Language | null {
  const name = nameOf(path, text);
  return name === null ? null : { name, load: () => checkerFor(name) };
}

function nameOf(path: string, text: string): string | null {
  const file = path.slice(path.lastIndexOf("/") + 1);
  const named = names.find(([pattern]) => pattern.test(file))?.[1];
  if (named !== undefined) return named;
  const dot = file.lastIndexOf(".");
  if (dot <= 0) return text.startsWith("#!") ? byFirstLine(text) : null;
  byExtension ??= new Map(
    Object.entries(extensions).flatMap(([language, list]) => list.split(" ").map((each) => [each, language])),
  );
  const language = byExtension.get(file.slice(dot + 1).toLowerCase()) ?? null;
  // Editors read the settings they keep beside a project with comments.
  return language === "json" && /(?:^|\/)\.(?:vscode|devcontainer|zed)\//.test(path) ? "jsonc" : language;
}

function byFirstLine(text: string): string | null {
  const line = text.slice(0, 200).split("\n", 1)[0] ?? "";
  return interpreters.find(([pattern]) => pattern.test(line))?.[1] ?? null;
}

/** Loaded once; a checker that could not be loaded is not tried again. */
function checkerFor(name: string): Promise<Checker> {
  let checker = loaded.get(name);
  if (!checker) {
    checker = loaders[name]?.() ?? Promise.reject(new Error(`no checker for ${name}`));
    // Whoever waits sees the failure; nobody may be waiting any more.
    checker.catch(() => undefined);
    loaded.set(name, checker);
  }
  return checker;
}
