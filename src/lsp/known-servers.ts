// Common language servers: how each is started, which files it serves, how a project shows that it has such files, and what
// of the project it would run. Data; the first server of a language that is there is the one that is used.
// Invariant: nothing here makes a server download anything or reach the network.

import type { Json } from "../core/json.js";

export interface KnownServer {
  name: string;
  command: readonly [program: string, ...args: string[]];
  /** File name extension -> language id of the protocol. */
  languages: Readonly<Record<string, string>>;
  /** Names in a directory that make it the root of a project for this server. */
  marks: readonly string[];
  /** The program counts only if the package it is from is this one, and at least this new. */
  package?: { name: string; major: number };
  /**
   * Files that it would run if the project has them: with them it is a matter of trust. It looks for them in its root and
   * above, so that its root is always the project's.
   */
  runs?: readonly string[];
  /** It runs what the project configures, whatever that is. */
  runsProject?: string;
  /** Answers to `workspace/configuration`, by section. */
  settings?: Json;
  initializationOptions?: Json;
  env?: Readonly<Record<string, string>>;
  /** Notifications that it gets when it has started. */
  notices?: readonly string[];
}

const script = {
  ".ts": "typescript",
  ".tsx": "typescriptreact",
  ".mts": "typescript",
  ".cts": "typescript",
  ".js": "javascript",
  ".jsx": "javascriptreact",
  ".mjs": "javascript",
  ".cjs": "javascript",
};
const scriptMarks = ["tsconfig.json", "jsconfig.json", "package.json"];
const python = { ".py": "python", ".pyi": "python" };
const pythonMarks = ["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "pyrightconfig.json", "Pipfile"];
const cFamily = {
  ".c": "c",
  ".h": "c",
  ".cc": "cpp",
  ".cpp": "cpp",
  ".cxx": "cpp",
  ".hpp": "cpp",
  ".hh": "cpp",
  ".m": "objective-c",
  ".mm": "objective-cpp",
};
const jsonText = { ".json": "json", ".jsonc": "jsonc" };

export const knownServers: readonly KnownServer[] = [
  {
    name: "typescript",
    command: ["tsc", "--lsp", "--stdio"],
    package: { name: "typescript", major: 7 },
    languages: script,
    marks: scriptMarks,
  },
  {
    name: "typescript-preview",
    command: ["tsgo", "--lsp", "--stdio"],
    package: { name: "@typescript/native-preview", major: 7 },
    languages: script,
    marks: scriptMarks,
  },
  {
    name: "typescript-language-server",
    command: ["typescript-language-server", "--stdio"],
    languages: script,
    marks: scriptMarks,
    runs: ["node_modules/typescript/lib", ".vscode/pnpify/typescript/lib", ".yarn/sdks/typescript/lib"].flatMap((lib) =>
      ["tsserver.js", "_tsserver.js", "typescript.js"].map((file) => `${lib}/${file}`),
    ),
    initializationOptions: { disableAutomaticTypingAcquisition: true, hostInfo: "cinch" },
  },
  {
    name: "basedpyright",
    command: ["basedpyright-langserver", "--stdio"],
    languages: python,
    marks: pythonMarks,
  },
  { name: "pyright", command: ["pyright-langserver", "--stdio"], languages: python, marks: pythonMarks },
  {
    name: "gopls",
    command: ["gopls", "serve"],
    languages: { ".go": "go", ".mod": "go.mod", ".work": "go.work" },
    marks: ["go.work", "go.mod"],
    env: { GOPROXY: "off", GOTOOLCHAIN: "local", GOFLAGS: "-mod=readonly" },
  },
  {
    name: "rust-analyzer",
    command: ["rust-analyzer"],
    languages: { ".rs": "rust" },
    marks: ["Cargo.toml", "rust-project.json"],
    runsProject: "cargo runs what the project configures",
    env: { CARGO_NET_OFFLINE: "true" },
  },
  {
    name: "clangd",
    command: ["clangd", "--log=error", "--background-index=false"],
    languages: cFamily,
    marks: ["compile_commands.json", "compile_flags.txt", "CMakeLists.txt", "meson.build", "configure.ac", "Makefile"],
  },
  {
    name: "jdtls",
    command: ["jdtls"],
    languages: { ".java": "java" },
    marks: ["pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle"],
    runsProject: "it runs the project's build",
  },
  {
    name: "bash",
    command: ["bash-language-server", "start"],
    languages: { ".sh": "shellscript", ".bash": "shellscript" },
    marks: [],
    settings: { bashIde: { globPattern: "**/*@(.sh|.inc|.bash|.command)", explainshellEndpoint: "" } },
  },
  {
    name: "yaml",
    command: ["yaml-language-server", "--stdio"],
    languages: { ".yaml": "yaml", ".yml": "yaml" },
    marks: [],
    settings: { yaml: { schemaStore: { enable: false, url: "" }, validate: true }, "[yaml]": {}, editor: {} },
    // It then asks here for schemas that a file names, and is given none, in place of fetching them.
    notices: ["yaml/registerContentRequest"],
  },
  {
    name: "json",
    command: ["vscode-json-language-server", "--stdio"],
    languages: jsonText,
    marks: [],
    settings: { json: { validate: { enable: true }, format: { enable: false } }, http: {} },
    initializationOptions: { provideFormatter: false, handledSchemaProtocols: ["file"] },
  },
  {
    name: "html",
    command: ["vscode-html-language-server", "--stdio"],
    languages: { ".html": "html", ".htm": "html" },
    marks: [],
    settings: { html: { validate: { scripts: true, styles: true } }, css: {}, javascript: {} },
    initializationOptions: { embeddedLanguages: { css: true, javascript: true }, provideFormatter: false },
  },
  {
    name: "css",
    command: ["vscode-css-language-server", "--stdio"],
    languages: { ".css": "css", ".scss": "scss", ".less": "less" },
    marks: [],
    settings: {
      css: { validate: true, lint: {} },
      scss: { validate: true, lint: {} },
      less: { validate: true, lint: {} },
    },
    initializationOptions: { provideFormatter: false },
  },
  { name: "lua", command: ["lua-language-server"], languages: { ".lua": "lua" }, marks: [".luarc.json"] },
  {
    name: "zls",
    command: ["zls"],
    languages: { ".zig": "zig" },
    marks: ["build.zig"],
    runsProject: "it runs build.zig",
  },
  {
    name: "ruby-lsp",
    command: ["ruby-lsp"],
    languages: { ".rb": "ruby" },
    marks: ["Gemfile"],
    runsProject: "it loads the project's gems",
  },
  {
    name: "intelephense",
    command: ["intelephense", "--stdio"],
    languages: { ".php": "php" },
    marks: ["composer.json"],
  },
];

/** The known servers for whose files a directory with these names in it has signs. */
export function wantedBy(names: readonly string[]): KnownServer[] {
  const extensions = new Set(names.map((name) => name.slice(Math.max(name.lastIndexOf("."), 0))));
  return knownServers.filter(
    ({ marks, languages }) =>
      marks.some((mark) => names.includes(mark)) || Object.keys(languages).some((each) => extensions.has(each)),
  );
}
