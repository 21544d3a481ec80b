// What of a project can make Cinch execute something, and the fingerprint of it: a hash over its configuration entry, the
// program it starts, and the content of every file of the project that it names.
// Invariant: one byte less or more in anything that is covered is another fingerprint. What is not covered is said, never
// guessed: a command line is searched for names of files, and what those files load by themselves is listed as such.

import type { Json } from "../core/json.js";
import type { Fs } from "../lib/fs.js";
import { sha256 } from "../lib/hash.js";
import { canonical } from "../lib/json.js";
import { resolvePath, shownPath, within } from "../lib/paths.js";
import { manifestsOf, programsOf, scriptsOf, untold } from "./manifests.js";

export type ResourceKind = "hook" | "allow rule" | "agent" | "formation" | "language server";

/** As its settings file has it. Kind and name make it the same resource as the one that was approved. */
export interface Resource {
  kind: ResourceKind;
  name: string;
  /** `file:line`. */
  source: string;
  entry: Json;
  /** What a shell, or with `args` the system, is told to run. `files`: what that runs, relative to the root or absolute. */
  command?: {
    text: string;
    args?: readonly string[];
    files?: readonly string[];
    /** What tells its programs what to run is covered as well (manifests.ts). */
    manifests?: boolean;
  };
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
  /** Scripts of manifests that it runs, `name: text` each. */
  scripts: readonly string[];
  /** Names in the command, each with the covered file it leads to. */
  named: readonly (readonly [name: string, path: string])[];
  /** Why it is never run: what it runs cannot be shown to anybody. Null = it may be. */
  refused: string | null;
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
  const covered = new Covered(ground, kind === "hook");
  const program = command ? covered.command(command) : null;
  if (file !== undefined) covered.file(file);
  const { files, uncovered, scripts, named } = covered.found();
  return {
    hash: sha256(canonical({ v: 1, kind, entry, program, files } as unknown as Json)),
    program,
    files,
    uncovered,
    scripts,
    named,
    refused: covered.refused,
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

type Found = Pick<ReturnType<typeof resolvePath>, "path" | "stat">;

class Covered {
  refused: string | null = null;
  readonly #ground: Ground;
  /** Programs that covered files name are covered too. */
  readonly #deep: boolean;
  readonly #scripts: string[] = [];
  readonly #named = new Map<string, string>();
  /** Directories below the root that a word names. */
  readonly #folders = new Set<string>();
  readonly #files = new Map<string, string>();
  readonly #uncovered = new Set<string>();
  /** Which covered file names a file. */
  readonly #mentioned = new Map<string, string>();

  constructor(ground: Ground, deep: boolean) {
    this.#ground = ground;
    this.#deep = deep;
  }

  found(): Pick<Fingerprint, "files" | "uncovered" | "scripts" | "named"> {
    const files = [...this.#files].map(([path, hash]) => ({ path, hash }));
    const mentioned = [...this.#mentioned].filter(([path]) => !this.#files.has(path));
    const uncovered = [...this.#uncovered, ...mentioned.map(([path, by]) => `${path}, which ${by} names`)];
    const named = [...this.#named].filter(([, path]) => this.#files.has(path));
    return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), uncovered, scripts: this.#scripts, named };
  }

  /** Covers what a command names; returns its program. */
  command({ text, args, files = [], manifests = false }: NonNullable<Resource["command"]>): string | null {
    const words = args ? [text, ...args].map(withMark) : wordsOf(withMark(text));
    const first = words.find((word) => !/^\w+=/.test(word)) ?? "";
    const program = this.#program(first);
    for (const word of words) this.#word(word, true);
    for (const file of files) this.#word(file);
    if (manifests) this.#manifests(args ? [text, ...args] : [text], args !== undefined);
    if (program !== null && within(this.#ground.root, program)) this.#cover(program);
    return program;
  }

  /** Covers what tells the programs of a command line what to run, and what that names in its turn. `isList`: words as they are. */
  #manifests(lines: readonly string[], isList: boolean): void {
    const { root, disk } = this.#ground;
    const words = isList ? listWords(lines) : lines.flatMap((line) => placedWords(withMark(line)));
    const texts = words.map(({ text }) => text);
    this.refused ??= untold(
      texts.map((text) => text.replaceAll(mark, root)),
      (path) => disk.existsSync(`${root}/${path}`),
    );
    this.#modules(texts);
    for (const program of programsOf(words)) {
      const own = this.#program(program);
      if (own !== null && within(root, own)) {
        this.#cover(own);
        if (!/(?:gradlew|mvnw)$/.test(own)) continue;
      }
      for (const manifest of manifestsOf(program)) this.#manifest(manifest, texts);
    }
  }

  /** In the root and in every directory that a word names. */
  #manifest(manifest: string | RegExp, words: readonly string[]): void {
    const { root, disk } = this.#ground;
    for (const folder of [root, ...this.#folders]) {
      const names =
        typeof manifest === "string" ? [manifest] : disk.readdirSync(folder).filter((name) => manifest.test(name));
      for (const name of names) {
        const found = this.#at(name, folder);
        if (!found?.stat?.isFile()) continue;
        const known = this.#files.has(found.path.slice(root.length + 1));
        this.#cover(found.path, typeof manifest === "string" || !/\.json$|\.lock$/.test(name));
        if (!known && name === "package.json") this.#packageScripts(found.path, words);
      }
    }
  }

  #packageScripts(path: string, words: readonly string[]): void {
    const { disk } = this.#ground;
    for (const [name, text] of scriptsOf(disk.readFileSync(path, "utf8"), words)) {
      this.#scripts.push(`${name}: ${text}`);
      for (const word of wordsOf(withMark(text))) this.#word(word);
      this.#manifests([text], false);
    }
  }

  /** `python -m name`, and what npx finds in the project. */
  #modules(words: readonly string[]): void {
    for (const [at, word] of words.entries()) {
      const next = words[at + 1] ?? "";
      const program = word.replace(/^.*\//, "");
      const path = next.replaceAll(".", "/");
      const names = word === "-m" ? [`${path}.py`, `${path}/__init__.py`, `${path}/__main__.py`] : [];
      if (word === "-m")
        for (const each of ["pyproject.toml", "conftest.py", "setup.cfg", "pytest.ini"]) names.push(each);
      if (/^(?:npx|bunx|pnpx|exec|x)$/.test(program)) names.push(`node_modules/.bin/${next}`);
      for (const name of names) {
        const found = this.#at(name);
        if (found?.stat?.isFile()) this.#cover(found.path);
      }
    }
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
  #word(word: string, isOfCommand = false): void {
    const { root } = this.#ground;
    if (/[$`]/.test(word)) this.#uncovered.add(`what ${word.replaceAll(mark, "")} stands for`);
    const pieces: string[] = [];
    namePieces(word, (piece) => {
      pieces.push(piece);
      return piece;
    });
    for (const name of new Set([word, ...pieces])) {
      // `cd scripts && ./x.sh`
      const places = this.#deep ? [root, ...this.#folders] : [root];
      const all = places.map((place) => this.#at(name, place));
      const found = all.find((each) => each?.stat?.isFile()) ?? all[0];
      if (found?.stat?.isFile()) {
        this.#cover(found.path);
        if (isOfCommand) this.#named.set(name, found.path.slice(root.length + 1));
      } else if (found?.stat) {
        this.#folders.add(found.path);
        this.#uncovered.add(`the folder ${shownPath(root, found.path)}`);
      } else if (found && /^\.{0,2}\/|\/[^/]+\.\w+$/.test(name.replaceAll(mark, ""))) {
        this.#uncovered.add(`${name.replaceAll(mark, ".")}, which is not there`);
      }
    }
  }

  /** What a name leads to inside the project; undefined for the root itself and everything outside. */
  #at(name: string, from = this.#ground.root): Found | undefined {
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
    if (this.#deep && /\.py$/.test(name)) for (const module of imported(text)) names.add(module);
    const own = `${this.#ground.root}/${name}`.replace(/\/[^/]*$/, "");
    for (const word of names) {
      if (this.#mentioned.size >= most) return;
      const plain = withMark(word.replace(/^\$\{?\w+\}?\/(?=.)/, (start) => (/PROJECT_DIR/.test(start) ? start : "")));
      const found = [this.#at(plain), this.#at(plain, own), ...(this.#deep ? this.#loaded(plain, own) : [])].find(
        (each) => each?.stat?.isFile(),
      );
      const other = found?.path.slice(this.#ground.root.length + 1);
      if (!found || other === undefined || other === name || this.#files.has(other)) continue;
      if (this.#deep && this.#files.size < mostPrograms && isProgram(found)) this.#cover(found.path);
      else this.#mentioned.set(other, name);
    }
  }

  /** What a program may make of a name: a module without its ending, a path behind what a variable holds. */
  #loaded(name: string, own: string): (Found | undefined)[] {
    const bare = name.replace(/^\/+/, "");
    if (bare === "") return [];
    const endings = ["", ...(name.startsWith(".") ? ["js", "mjs", "cjs", "ts", "py"].map((each) => `.${each}`) : [])];
    return endings.map((ending) => this.#at(`${bare}${ending}`, own));
  }
}

/** Files of a hook that are programs, at most. */
const mostPrograms = 100;

function isProgram({ path, stat }: Found): boolean {
  return (
    /\.(?:[cm]?[jt]s|sh|bash|zsh|ksh|py|rb|pl|php|lua|mk|just|awk|jq)$/.test(path) || ((stat?.mode ?? 0) & 0o111) !== 0
  );
}

/** Files that Python would look for beside this one. */
function imported(text: string): string[] {
  const names = [...text.matchAll(/^[ \t]*(?:from|import)[ \t]+\.*([\w.]+)/gm)].map(([, name = ""]) =>
    name.replaceAll(".", "/"),
  );
  return names.flatMap((name) => (name === "" ? [] : [`./${name}.py`, `./${name}/__init__.py`]));
}

interface PlacedWord {
  text: string;
  /** It is where a program is named. */
  isFirst: boolean;
}

/** Words with their place in simple commands; a word that holds a command line of its own is read as one too. */
function placedWords(text: string, depth = 0): PlacedWord[] {
  const parts =
    text.match(/&>>?|\d*[<>]+(?:&[\d-]+)?|(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s;&|()<>"'\\])+|[;&|()\n]/gs) ?? [];
  const placed: PlacedWord[] = [];
  let isFirst = true;
  let isTarget = false;
  for (const part of parts) {
    if (/^[;&|()\n]$/.test(part)) isFirst = true;
    else if (/^(?:&>|\d*[<>])/.test(part)) isTarget = !/&[\d-]+$/.test(part);
    else {
      const word = wordsOf(part)[0] ?? part;
      const isSetting = /^\w+=/.test(word);
      placed.push({ text: word, isFirst: isFirst && !isTarget && !isSetting });
      if (/\s/.test(word) && depth < 4) placed.push(...placedWords(word, depth + 1));
      isFirst = isFirst && (isTarget || isSetting || passing.test(word));
      isTarget = false;
    }
  }
  return placed;
}

/** The next word is a program again. */
const passing = /^(?:if|then|elif|else|while|until|do|!|time|exec|command|builtin|\{)$/;

function listWords(words: readonly string[]): PlacedWord[] {
  return words
    .map(withMark)
    .flatMap((text, at) => [{ text, isFirst: at === 0 }, ...(/\s/.test(text) ? placedWords(text, 1) : [])]);
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

export function withMark(text: string): string {
  return text.replaceAll(mark, "").replace(/\$\{?(?:CLAUDE|CINCH)_PROJECT_DIR\}?/g, mark);
}

/** The parts of a word that may be names, each put in place of itself by `put`. */
export function namePieces(word: string, put: (piece: string) => string): string {
  return word.replace(/[^\s;&|()<>`"'=,:]+/g, put);
}

/** The words of a shell command as far as quotes make them; operators end a word. */
function wordsOf(text: string): string[] {
  const words: string[] = [];
  shellWords(text, (raw, word) => {
    words.push(word);
    return raw;
  });
  return words;
}

/** Each word of a shell command, as it is written and without its quotes, put in place of itself by `put`. */
export function shellWords(text: string, put: (raw: string, word: string) => string): string {
  return text.replace(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s;&|()<>"'\\])+/gs, (raw: string) =>
    put(
      raw,
      raw.replace(/"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/gs, (_all, a, b, c) => a ?? b ?? c),
    ),
  );
}
