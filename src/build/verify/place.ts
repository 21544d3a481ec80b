// Where a reference from one file of the project leads: the ways of each language to find a file.
// Invariant: "missing" is only said of what means a file of the project and is nowhere it could be meant to be.

import { dirname, join, normalize } from "node:path/posix";

/** Files of the project, relative to its root. */
export interface ProjectFiles {
  has(file: string): boolean;
  hasDirectory(path: string): boolean;
  /** Is there a file of this path and any ending? */
  isCompiled(path: string): boolean;
  /** Does any file end like this, whatever it lies in? */
  endsWith(path: string): boolean;
}

/** The file; null = missing; undefined = none of the project's is meant. */
export type Found = string | null | undefined;

const scripts = [".js", ".ts", ".tsx", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".json", ".vue", ".svelte", ".d.ts"];

export function scriptAt(files: ProjectFiles, from: string, reference: string): Found {
  const [plain = ""] = reference.split(/[?#]/, 1);
  if (plain.startsWith("/")) return pageAt(files, from, reference);
  if (!/^\.{1,2}(?:\/|$)/.test(plain)) return undefined;
  const at = join(dirname(from), plain);
  if (at.startsWith("..")) return undefined;
  // A compiled import names the file that will be: `./store.js` is made from store.ts.
  const compiled = at.replace(/\.([mc]?)js(x?)$/, ".$1ts$2");
  const tries = [at, compiled, at.replace(/\.jsx?$/, ".tsx"), ...scripts.map((end) => `${at}${end}`)];
  const inside = scripts.map((end) => join(at, `index${end}`));
  const found = [...tries, ...inside].find((file) => files.has(file));
  // A directory that is a package says itself where it begins.
  return found ?? (files.has(join(at, "package.json")) ? undefined : null);
}

export function pageAt(files: ProjectFiles, from: string, reference: string): Found {
  const [plain = ""] = decoded(reference).split(/[?#]/, 1);
  const isServed = /(?:^|\/)(?:templates|views|layouts|partials)\//.test(from);
  const at = plain.startsWith("/") ? normalize(plain).slice(1) : join(dirname(from), plain);
  if (at.startsWith("..")) return undefined;
  const tries = [at, join(at, "index.html"), join(dirname(from), at)];
  const found = tries.find((file) => files.has(file));
  if (found !== undefined) return found;
  // Below which address a folder is served is the program's to say.
  const mayBeElsewhere = plain.startsWith("/") || isServed;
  return mayBeElsewhere && files.endsWith(at.split("/").at(-1) ?? at) ? undefined : null;
}

/** As it is written where that is no address. */
export function decoded(reference: string): string {
  try {
    return decodeURI(reference);
  } catch {
    return reference;
  }
}

/** A module, or the package of that name. */
export function pythonAt(files: ProjectFiles, from: string, reference: string): Found {
  const [, dots = "", path = ""] = /^(\.*)(.*)$/.exec(reference) ?? [];
  const words = path.split(".").filter((word) => word !== "");
  if (dots === "") {
    // Only of a script the directory counts; a module of a package is found by the name of its package.
    const isScript = !files.has(join(dirname(from), "__init__.py"));
    const bases = ["", ...(isScript ? [dirname(from)] : []), "src"].filter((base) =>
      isThere(files, base, words.slice(0, 1)),
    );
    const [base] = bases;
    return base === undefined ? undefined : moduleAt(files, base, words);
  }
  const base = join(dirname(from), ...Array<string>(dots.length - 1).fill(".."));
  return base.startsWith("..") ? undefined : moduleAt(files, base, words);
}

function moduleAt(files: ProjectFiles, base: string, words: readonly string[]): Found {
  const at = join(base, ...words);
  // What a module gives need not be in a file of that name: `os.path` is not.
  if (words.some((_, i) => i > 0 && files.has(`${join(base, ...words.slice(0, i))}.py`))) return undefined;
  const found = [`${at}.py`, join(at, "__init__.py"), `${at}.pyi`].find((file) => files.has(file));
  // A directory without a file of its own is a package as well.
  return found ?? (files.hasDirectory(at) || files.isCompiled(at) ? undefined : null);
}

function isThere(files: ProjectFiles, base: string, words: readonly string[]): boolean {
  const at = join(base, ...words);
  return files.has(`${at}.py`) || files.has(join(at, "__init__.py"));
}
