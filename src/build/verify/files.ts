// L1: every file the plan names is there and is what its name says, and what files take from each other is given.
// Looked at are the files of the plan and whatever else of the project they lead to.
// Invariant: a fault is told with file and line, at the task that makes the file in which it is mended; what cannot be told from
// the text is no fault.

import { join } from "node:path/posix";
import { checkSyntax } from "../../index.js";
import type { Fs } from "../../lib/fs.js";
import { readSmall } from "../../lib/small-file.js";
import { leadsOut } from "../completeness.js";
import type { BuildPlan } from "../plan.js";
import type { Evidence, Verification } from "../ports.js";
import { makerOf } from "./evidence.js";
import type { ModuleFace, Taken } from "./module-face.js";
import { pageFace, styleFace } from "./page-face.js";
import { idFaults } from "./page-ids.js";
import { type Found, type ProjectFiles, pageAt, pythonAt, scriptAt } from "./place.js";
import { pythonFace } from "./python-face.js";
import { isScript, scriptFace } from "./script-face.js";

const maxBytes = 1_000_000;
const maxFiles = 5_000;
/** Made by programs, or none of the project's. */
const skipped = new Set(["node_modules", "__pycache__", "venv", "target", "vendor"]);

interface Language {
  means(path: string): boolean;
  face(path: string, text: string): Promise<ModuleFace | null> | ModuleFace;
  at(files: ProjectFiles, from: string, reference: string): Found;
}

const languages: readonly Language[] = [
  { means: isScript, face: scriptFace, at: scriptAt },
  { means: (path) => /\.pyi?$/.test(path), face: (_path, text) => pythonFace(text), at: pythonAt },
  { means: (path) => /\.html?$/.test(path), face: (_path, text) => pageFace(text), at: pageAt },
  { means: (path) => path.endsWith(".css"), face: (_path, text) => styleFace(text), at: pageAt },
];

export async function checkFiles(disk: Fs, { root, plan }: Pick<Verification, "root" | "plan">): Promise<Evidence[]> {
  return new Look(disk, root, plan).all();
}

class Look {
  readonly #disk: Fs;
  readonly #root: string;
  readonly #plan: BuildPlan;
  readonly #files: ProjectFiles;
  readonly #faces = new Map<string, Promise<ModuleFace | null>>();
  readonly #found: Evidence[] = [];

  constructor(disk: Fs, root: string, plan: BuildPlan) {
    this.#disk = disk;
    this.#root = root;
    this.#plan = plan;
    this.#files = filesBelow(disk, root);
  }

  async all(): Promise<Evidence[]> {
    const open = this.#plan.tasks.flatMap((task) => task.files);
    const seen = new Set<string>();
    for (let file = open.shift(); file !== undefined; file = open.shift()) {
      if (seen.has(file)) continue;
      seen.add(file);
      open.push(...(await this.#one(file)));
    }
    await this.#ids([...seen]);
    if (this.#found.length > 0) return this.#found;
    return [{ level: "L1", ok: true, what: `${seen.size} files are well: syntax, imports, references.` }];
  }

  /** What the scripts of pages ask for, and no page has. */
  async #ids(seen: readonly string[]): Promise<void> {
    const source = (file: string) => ({ file, text: this.#text(file) ?? "" });
    const pages = seen.filter((file) => /\.html?$/.test(file));
    const scripts = new Set<string>();
    const open = [...pages];
    for (let file = open.shift(); file !== undefined; file = open.shift()) {
      for (const { from } of (await this.#faceOf(file))?.takes ?? []) {
        const found = languageOf(file)?.at(this.#files, file, from);
        // It is somewhere, and where is not known.
        if (!found && /\.[mc]?js(?:[?#]|$)/.test(from)) return;
        if (!found || !isScript(found) || scripts.has(found)) continue;
        scripts.add(found);
        open.push(found);
      }
    }
    for (const { file, line, what } of await idFaults(pages.map(source), [...scripts].map(source)))
      this.#fault(file, line, what);
  }

  /** Where it leads. */
  async #one(file: string): Promise<string[]> {
    if (leadsOut(file, { root: this.#root, disk: this.#disk })) {
      this.#fault(file, undefined, "is none of the project's: a link on the way leads out of it.");
      return [];
    }
    if (!this.#files.has(file)) this.#fault(file, undefined, "is not there.");
    const text = this.#text(file);
    if (text === null) return [];
    for (const { line, column, text: what } of (await checkSyntax(file, text)) ?? [])
      this.#fault(file, line, `does not parse: ${what} (${line}:${column}).`);
    const face = await this.#faceOf(file);
    const next: string[] = [];
    for (const taken of face?.takes ?? []) {
      const found = await this.#taken(file, taken);
      if (found !== null) next.push(found);
    }
    return next;
  }

  /** The file it leads to, if it is worth a look. */
  async #taken(file: string, { from, line, names }: Taken): Promise<string | null> {
    const found = languageOf(file)?.at(this.#files, file, from);
    if (found === undefined) return null;
    if (found === null) {
      this.#fault(file, line, `refers to ${JSON.stringify(from)}, and there is no such file.`);
      return null;
    }
    const given = await this.#givenBy(found, new Set());
    for (const name of names) {
      if (!given || given.has(name) || this.#isSubmodule(found, name)) continue;
      const all = [...given].filter((each) => !each.startsWith("__")).sort();
      const shown = all.slice(0, 20).join(", ") + (all.length > 20 ? ", …" : "");
      this.#fault(file, line, `takes ${JSON.stringify(name)} from ${found}, which gives ${shown || "nothing"}.`);
    }
    return languageOf(found) ? found : null;
  }

  /** In Python a module of a package is one of its names. */
  #isSubmodule(file: string, name: string): boolean {
    if (!file.endsWith("/__init__.py") && file !== "__init__.py") return false;
    const at = join(file, "..", name);
    return this.#files.has(`${at}.py`) || this.#files.hasDirectory(at);
  }

  async #givenBy(file: string, above: Set<string>): Promise<ReadonlySet<string> | null> {
    if (above.has(file)) return new Set();
    const face = await this.#faceOf(file);
    if (!face?.gives) return null;
    const given = new Set(face.gives);
    for (const reference of face.passes) {
      const next = languageOf(file)?.at(this.#files, file, reference);
      const more = next ? await this.#givenBy(next, new Set([...above, file])) : null;
      if (!more) return null;
      for (const name of more) if (name !== "default") given.add(name);
    }
    return given;
  }

  #faceOf(file: string): Promise<ModuleFace | null> {
    const known = this.#faces.get(file);
    if (known) return known;
    const text = this.#text(file);
    const face = Promise.resolve(text === null ? null : (languageOf(file)?.face(file, text) ?? null));
    this.#faces.set(file, face);
    return face;
  }

  /** Null also for what is too large to be written by hand. */
  #text(file: string): string | null {
    const read = readSmall(this.#disk, join(this.#root, file), maxBytes);
    return read && !read.cut ? read.text : null;
  }

  #fault(file: string, line: number | undefined, what: string): void {
    const place = line === undefined ? {} : { line };
    this.#found.push({ level: "L1", ok: false, what: `${file} ${what}`, file, ...place, ...makerOf(this.#plan, file) });
  }
}

function languageOf(file: string): Language | undefined {
  return languages.find(({ means }) => means(file));
}

function filesBelow(disk: Fs, root: string): ProjectFiles {
  const files = new Set<string>();
  const open = [""];
  for (let at = open.shift(); at !== undefined && files.size < maxFiles; at = open.shift()) {
    for (const entry of disk.readdirSync(join(root, at), { withFileTypes: true })) {
      if (entry.isDirectory() && !skipped.has(entry.name) && !entry.name.startsWith("."))
        open.push(join(at, entry.name));
      else if (!entry.isDirectory()) files.add(join(at, entry.name));
    }
  }
  // What lies deeper than was looked at is asked for by itself.
  const has = (path: string) => disk.statSync(join(root, path), { throwIfNoEntry: false })?.isFile() ?? false;
  return {
    has: (path) => files.has(path) || has(path),
    hasDirectory: (path) => disk.statSync(join(root, path), { throwIfNoEntry: false })?.isDirectory() ?? false,
    isCompiled: (path) => [...files].some((file) => file.startsWith(`${path}.`)),
    endsWith: (path) => [...files].some((file) => file === path || file.endsWith(`/${path}`)),
  };
}
