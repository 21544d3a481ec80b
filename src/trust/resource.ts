// What of a project can make Cinch execute something, and the fingerprint of it: a hash over its configuration entry, the
// program it starts, and the content of every file of the project that it names.
// Invariant: one byte less or more in anything that is covered is another fingerprint. What is not covered is said, never
// guessed: a command line is searched for names of files, and what those files load by themselves is listed as such.

import type { Json } from "../core/json.js";
import type { Fs } from "../lib/fs.js";
import { sha256 } from "../lib/hash.js";
import { canonical } from "../lib/json.js";
import { resolvePath, shownPath, within } from "../lib/paths.js";

export type ResourceKind = "hook" | "allow rule" | "agent" | "formation" | "language server";

/** As its settings file has it. Kind and name make it the same resource as the one that was approved. */
export interface Resource {
  kind: ResourceKind;
  name: string;
  /** `file:line`. */
  source: string;
  entry: Json;
  /** What a shell, or with `args` the system, is told to run. `files`: what that runs, relative to the root or absolute. */
  command?: { text: string; args?: readonly string[]; files?: readonly string[] };
  /** The file of the project that holds all of it, relative to the root. */
  file?: string;
}

export interface CoveredFile {
  /** Relative to the root. */
  path: string;
  hash: string;
}

export interface Fingerprint {
  hash: string;
  /** Absolute path of the program; null when there is none or it cannot be told. */
  program: string | null;
  files: readonly CoveredFile[];
  /** What it depends on and the hash does not cover, a phrase each. */
  uncovered: readonly string[];
}

export interface Ground {
  disk: Fs;
  /** Canonical; commands run here. */
  root: string;
  /** Where programs are looked for. */
  path: string | undefined;
}

const largest = 16 * 1024 * 1024;
const largestScript = 256 * 1024;
const most = 10;

export function fingerprint(resource: Resource, ground: Ground): Fingerprint {
  const { kind, entry, command, file } = resource;
  const covered = new Covered(ground);
  const program = command ? covered.command(command) : null;
  if (file !== undefined) covered.file(file);
  const { files, uncovered } = covered.found();
  return {
    hash: sha256(canonical({ v: 1, kind, entry, program, files } as unknown as Json)),
    program,
    files,
    uncovered,
  };
}

/** The bytes of a file that a fingerprint covers; undefined when it is gone. */
export function coveredBytes({ disk, root }: Ground, path: string): Buffer | undefined {
  try {
    const found = resolvePath(disk, root, path);
    return found.stat?.isFile() && within(root, found.path) ? disk.readFileSync(found.path) : undefined;
  } catch {
    return undefined;
  }
}

class Covered {
  readonly #ground: Ground;
  readonly #files = new Map<string, string>();
  readonly #uncovered = new Set<string>();
  /** Which covered file names a file. */
  readonly #mentioned = new Map<string, string>();

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  found(): Pick<Fingerprint, "files" | "uncovered"> {
    const files = [...this.#files].map(([path, hash]) => ({ path, hash }));
    const mentioned = [...this.#mentioned].filter(([path]) => !this.#files.has(path));
    const uncovered = [...this.#uncovered, ...mentioned.map(([path, by]) => `${path}, which ${by} names`)];
    return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), uncovered };
  }

  /** Covers what a command names; returns its program. */
  command({ text, args, files = [] }: NonNullable<Resource["command"]>): string | null {
    const words = args ? [text, ...args].map(withMark) : wordsOf(withMark(text));
    const first = words.find((word) => !/^\w+=/.test(word)) ?? "";
    const program = this.#program(first);
    for (const word of words) this.#word(word);
    for (const file of files) this.#word(file);
    if (program !== null && within(this.#ground.root, program)) this.#cover(program);
    return program;
  }

  /** Covers a file for what it says; what it names is not run. */
  file(name: string): void {
    const found = this.#at(name);
    if (found?.stat?.isFile()) this.#cover(found.path, false);
    else this.#uncovered.add(`${name}, which is no file of the project`);
  }

  #program(word: string): string | null {
    const { disk, root, path = "" } = this.#ground;
    if (word === "" || /[$`*?]/.test(word)) return null;
    if (/[/\0]/.test(word)) return resolvedFile(this.#ground, word.replaceAll(mark, root));
    const directory = path.split(":").find((each) => each.startsWith("/") && disk.existsSync(`${each}/${word}`));
    return directory === undefined ? null : resolvedFile(this.#ground, `${directory}/${word}`);
  }

  /** A word may be a name, or hold some: `--rules=a.json`, `sh -c "b.sh c.sh"`. */
  #word(word: string): void {
    if (/[$`]/.test(word)) this.#uncovered.add(`what ${word.replaceAll(mark, "")} stands for`);
    for (const name of new Set([word, ...word.split(/[\s;&|()<>`"'=,:]+/)])) {
      const found = this.#at(name);
      if (found?.stat?.isFile()) this.#cover(found.path);
      else if (found?.stat) this.#uncovered.add(`the folder ${shownPath(this.#ground.root, found.path)}`);
      else if (found && /^\.{0,2}\/|\/[^/]+\.\w+$/.test(name.replaceAll(mark, ""))) {
        this.#uncovered.add(`${name.replaceAll(mark, ".")}, which is not there`);
      }
    }
  }

  /** What a name leads to inside the project; undefined for the root itself and everything outside. */
  #at(
    name: string,
    from = this.#ground.root,
  ): { path: string; stat: ReturnType<typeof resolvePath>["stat"] } | undefined {
    const { disk, root } = this.#ground;
    const plain = name.replaceAll(mark, root);
    if (plain === "" || plain.length > 4_000 || plain.startsWith("-")) return undefined;
    try {
      const found = resolvePath(disk, from, plain);
      return within(root, found.path) && found.path !== root ? found : undefined;
    } catch {
      // A loop of links, or a directory on the way that may not be entered.
      return undefined;
    }
  }

  #cover(path: string, mentions = true): void {
    const { disk, root } = this.#ground;
    const name = path.slice(root.length + 1);
    if (this.#files.has(name)) return;
    const { size } = disk.statSync(path);
    if (size > largest) {
      this.#uncovered.add(`${name}, which is too long`);
      return;
    }
    const bytes = disk.readFileSync(path);
    this.#files.set(name, sha256(bytes));
    if (mentions && bytes.length <= largestScript) this.#mentions(name, bytes.toString("utf8"));
  }

  /** Files of the project that a covered file names: it may load them, and it may only read them. */
  #mentions(name: string, text: string): void {
    const names = new Set(text.split(/[\s;&|()<>`"'=,:[\]{}#]+/).filter((word) => /[./]/.test(word)));
    const own = `${this.#ground.root}/${name}`.replace(/\/[^/]*$/, "");
    for (const word of names) {
      if (this.#mentioned.size >= most) return;
      const plain = withMark(word.replace(/^\$\{?\w+\}?\/(?=.)/, (start) => (/PROJECT_DIR/.test(start) ? start : "")));
      const found = [this.#at(plain), this.#at(plain, own)].find((each) => each?.stat?.isFile());
      const other = found?.path.slice(this.#ground.root.length + 1);
      if (other !== undefined && other !== name) this.#mentioned.set(other, name);
    }
  }
}

/** The file that a path leads to, wherever that is; null when there is none. */
function resolvedFile({ disk, root }: Ground, path: string): string | null {
  try {
    const found = resolvePath(disk, root, path);
    return found.stat?.isFile() ? found.path : null;
  } catch {
    // A loop of links, or a directory on the way that may not be entered.
    return null;
  }
}

/** Stands for the project's root: no command holds a NUL. */
const mark = "\0";

function withMark(text: string): string {
  return text.replaceAll(mark, "").replace(/\$\{?(?:CLAUDE|CINCH)_PROJECT_DIR\}?/g, mark);
}

/** The words of a shell command as far as quotes make them; operators end a word. */
function wordsOf(text: string): string[] {
  const words = text.match(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s;&|()<>"'\\])+/gs) ?? [];
  return words.map((word) => word.replace(/"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/gs, (_all, a, b, c) => a ?? b ?? c));
}
