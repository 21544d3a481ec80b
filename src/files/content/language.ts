// What a path says about its text: which comments the language has, and whether tags or fences could be meant at its start.
// Invariant: judged by name alone, and an unknown name gets the answer under which the text is left alone.
// Not here: finding comments in a text (comments.ts).

/** How comments look: the families that share one scanner. `line` = only at the start of a line, for unknown names. */
export type Syntax = "slash" | "script" | "hash" | "dash" | "lisp" | "percent" | "style" | "markup" | "prose" | "line";

export interface Language {
  syntax: Syntax;
  /**
   * `code` and `data`: no text of this kind can begin with an element, and none is a fence as a whole.
   * `markup`: an element can be meant, a fence around everything cannot. `prose`: both can. `other`: nobody knows.
   */
  nature: "code" | "data" | "markup" | "prose" | "other";
}

const table: readonly (readonly [Syntax, Language["nature"], string])[] = [
  ["script", "code", "js mjs cjs ts mts cts"],
  // Elements are expressions here, or the file begins as a template.
  ["script", "markup", "jsx tsx"],
  ["slash", "markup", "php phtml"],
  [
    "slash",
    "code",
    "c h cc cpp cxx hh hpp hxx m mm java kt kts scala go rs swift cs dart groovy gradle proto zig v sol scss less glsl wgsl",
  ],
  ["slash", "data", "jsonc json5 json"],
  ["style", "code", "css"],
  ["hash", "code", "py pyi pyw rb sh bash zsh fish ksh pl pm r jl ex exs cr nim ps1 mk cmake tf hcl nix awk tcl"],
  ["hash", "data", "yaml yml toml env cfg conf properties"],
  ["dash", "code", "sql lua hs elm adb ads vhd vhdl"],
  ["lisp", "code", "lisp el clj cljs cljc edn scm rkt asm s"],
  ["lisp", "data", "ini"],
  ["percent", "code", "erl hrl pro"],
  ["percent", "prose", "tex latex sty bib"],
  [
    "markup",
    "markup",
    "html htm xhtml shtml xml xsl xslt xsd svg rss atom plist csproj vue svelte astro hbs handlebars mustache njk jinja jinja2 j2 twig liquid ejs erb jsp cshtml razor blade tmpl tpl wxml axml qml fxml",
  ],
  [
    "prose",
    "prose",
    "md mdx markdown mdown mkd mkdn mdwn mdc mdtext rmd qmd rst adoc asciidoc org textile txt text prompt",
  ],
];

const names: Readonly<Record<string, Syntax>> = {
  dockerfile: "hash",
  containerfile: "hash",
  makefile: "hash",
  gnumakefile: "hash",
  justfile: "hash",
  rakefile: "hash",
  gemfile: "hash",
  procfile: "hash",
  vagrantfile: "hash",
  "cmakelists.txt": "hash",
  jenkinsfile: "slash",
};

const unknown: Language = { syntax: "line", nature: "other" };
const plain: Language = { syntax: "prose", nature: "prose" };
let byExtension: Map<string, Language> | undefined;

export function languageOf(path: string): Language {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const known = Object.hasOwn(names, name) ? names[name] : undefined;
  if (known) return { syntax: known, nature: "code" };
  const dot = name.lastIndexOf(".");
  // Without an extension it is README or LICENSE as often as a script; a dot file is settings of some kind.
  if (dot < 0) return plain;
  byExtension ??= new Map(
    table.flatMap(([syntax, nature, list]) => list.split(" ").map((extension) => [extension, { syntax, nature }])),
  );
  return byExtension.get(name.slice(dot + 1)) ?? unknown;
}

/** The word of a code fence around such a text; null where a fence could be part of it, or nobody knows. */
export function fenceOf(path: string): string | null {
  const { nature } = languageOf(path);
  if (nature === "prose" || nature === "other") return null;
  return /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? "";
}
