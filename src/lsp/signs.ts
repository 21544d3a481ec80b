// Which programs could serve which files, for the quick look before a session: is there any language server worth a closer
// one? Data. Invariant: says what known-servers.ts says, in as few bytes as can be (signs.test.ts holds them together).

/** Programs, and names that a project's root has when it has files for them; `.x` stands for any name that ends so. */
export const signs: readonly (readonly [programs: string, names: string])[] = [
  [
    "tsc tsgo typescript-language-server",
    "tsconfig.json jsconfig.json package.json .ts .tsx .mts .cts .js .jsx .mjs .cjs",
  ],
  [
    "basedpyright-langserver pyright-langserver",
    "pyproject.toml setup.py setup.cfg requirements.txt pyrightconfig.json Pipfile .py .pyi",
  ],
  ["gopls", "go.work go.mod .go .mod .work"],
  ["rust-analyzer", "Cargo.toml rust-project.json .rs"],
  [
    "clangd",
    "compile_commands.json compile_flags.txt CMakeLists.txt meson.build configure.ac Makefile .c .h .cc .cpp .cxx .hpp .hh .m .mm",
  ],
  ["jdtls", "pom.xml build.gradle build.gradle.kts settings.gradle .java"],
  ["bash-language-server", ".sh .bash"],
  ["yaml-language-server", ".yaml .yml"],
  ["vscode-json-language-server", ".json .jsonc"],
  ["vscode-html-language-server", ".html .htm"],
  ["vscode-css-language-server", ".css .scss .less"],
  ["lua-language-server", ".luarc.json .lua"],
  ["zls", "build.zig .zig"],
  ["ruby-lsp", "Gemfile .rb"],
  ["intelephense", "composer.json .php"],
];

/** The programs that could serve a directory with these names in it. */
export function programsFor(names: readonly string[]): string[] {
  const there = new Set(names.flatMap((name) => [name, name.slice(Math.max(name.lastIndexOf("."), 0))]));
  const fitting = signs.filter(([, each]) => each.split(" ").some((sign) => there.has(sign)));
  return fitting.flatMap(([programs]) => programs.split(" "));
}
