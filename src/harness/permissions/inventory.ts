// The content of withheld files, known to the redactor, so that it comes out by no channel: not by a command that reads
// them, a link, a copy, a language server or the history of the repository. Made with the first command, search or question
// to a language server; looked at again before each.
// Invariants: a file that may be read by rule, or that the model was shown or has written, is not in it; what is in it is never
// logged. It is bounded: 20,000 names outside of node_modules, 200 files and 200 versions in git of 256 KB each, 2,000 texts.

import { join } from "node:path";
import { codeOf } from "../../core/errors.js";
import type { Fs } from "../../lib/fs.js";
import { sha256 } from "../../lib/hash.js";
import { shownPath } from "../../lib/paths.js";
import { readSmall } from "../../lib/small-file.js";
import { isSecretPath } from "../../permission/secret-files.js";
import type { KnownSecrets } from "../../secrets/known.js";
import { withheldTexts } from "../../secrets/withheld-texts.js";

export interface InventoryOptions {
  disk: Fs;
  root: string;
  /** Canonical: the project and added directories. */
  bases: readonly string[];
  known: Pick<KnownSecrets, "withhold">;
  /** Which paths are withheld, by the rules as of now. */
  concealing(): Promise<(path: string) => boolean>;
  /** Was the model shown its content, or has it written it? */
  isKnown(path: string): boolean;
  /** Earlier versions of files of a repository, of those names that are asked for; called for commands that may show them. */
  versions(directory: string, wanted: (path: string) => boolean): Promise<Version[]>;
}

/** A file as a commit has it. */
export interface Version {
  path: string;
  text: string;
}

const limits = { names: 20_000, files: 200, bytes: 256 * 1024, texts: 2_000 };
const skipped = new Set([".git", "node_modules"]);
/** In a repository: one of them changes with whatever can bring in a version. */
const gitMarks = ["HEAD", "index", "packed-refs", "logs/HEAD", "FETCH_HEAD", "refs/stash", "refs/heads"];
const template = /(?:^|[._-])(?:example|sample|template|dist|defaults?)(?:[._-]|$)/i;

interface Listed {
  stamp: string;
  files: string[];
  directories: string[];
}

export class Inventory {
  readonly #options: InventoryOptions;
  readonly #listed = new Map<string, Listed>();
  readonly #released = new Set<string>();
  #files: readonly string[] = [];
  #versions: readonly Version[] = [];
  #lookedBack = "";
  /** What is held, and of which file. */
  #texts: ReadonlyMap<string, string> = new Map();
  #key = "";

  constructor(options: InventoryOptions) {
    this.#options = options;
  }

  /** Looks at what is withheld now. `history`: also in the repository. */
  async refresh(history = false): Promise<void> {
    const { concealing, versions, root } = this.#options;
    const conceals = await concealing();
    const isWithheld = (path: string) => conceals(path) && !this.#isOpen(path);
    if (history) await this.#lookBack((wanted) => versions(root, wanted), conceals);
    this.#files = this.#found(isWithheld);
    this.#hold(isWithheld);
  }

  /** The model may see these now. */
  release(paths: readonly string[]): void {
    const fresh = paths.filter((path) => !this.#released.has(path));
    for (const path of fresh) this.#released.add(path);
    if (fresh.length > 0) this.#hold((path) => !this.#isOpen(path));
  }

  close(): void {
    this.#options.known.withhold(this, new Map());
  }

  #isOpen(path: string): boolean {
    return this.#released.has(path) || this.#options.isKnown(path);
  }

  /** Only when something was committed, staged or fetched since. */
  async #lookBack(
    look: (wanted: (path: string) => boolean) => Promise<Version[]>,
    conceals: (path: string) => boolean,
  ): Promise<void> {
    const { disk, root } = this.#options;
    const stamp = gitMarks.map((name) => stampOf(disk, join(root, ".git", name))).join();
    if (stamp === this.#lookedBack) return;
    this.#lookedBack = stamp;
    this.#versions = await look(conceals);
  }

  #found(isWithheld: (path: string) => boolean): string[] {
    const files: string[] = [];
    const pending = [...this.#options.bases];
    let left = limits.names;
    for (let at = pending.pop(); at !== undefined && left > 0; at = pending.pop()) {
      const directory = at;
      const { files: names, directories } = this.#list(directory);
      left -= names.length + directories.length;
      for (const path of names.map((name) => join(directory, name))) {
        if (files.length < limits.files && isWithheld(path)) files.push(path);
      }
      pending.push(...directories.map((name) => join(directory, name)));
    }
    return files;
  }

  /** What a file said before is as secret as what it says now. */
  #hold(isWithheld: (path: string) => boolean): void {
    const { disk, root, known } = this.#options;
    const files = this.#files.filter(isWithheld);
    const versions = this.#versions.filter(({ path }) => isWithheld(path));
    const former = [...this.#texts].filter(([, path]) => isWithheld(path));
    const key = JSON.stringify([
      files.map((path) => [path, stampOf(disk, path)]),
      versions.map(({ path, text }) => [path, sha256(text)]),
      [...new Set(former.map(([, path]) => path))],
    ]);
    if (key === this.#key) return;
    this.#key = key;
    const texts = new Map<string, string>();
    const add = (path: string, text: string) => {
      const found = { text, isSecret: isSecretPath(path.split("/")), templates: this.#templates(path) };
      for (const each of withheldTexts(found, limits.texts - texts.size)) texts.set(each, path);
    };
    for (const path of files) add(path, readSmall(disk, path, limits.bytes)?.text ?? "");
    for (const { path, text } of versions) add(path, text);
    for (const [text, path] of former) if (texts.size < limits.texts && !texts.has(text)) texts.set(text, path);
    this.#texts = texts;
    known.withhold(this, new Map([...texts].map(([text, path]) => [text, shownPath(root, path).slice(-60)])));
  }

  /** Templates beside a file: what stands in them is no secret of it. */
  #templates(path: string): string[] {
    const { disk } = this.#options;
    const directory = path.slice(0, path.lastIndexOf("/"));
    const names = this.#list(directory).files.filter((name) => template.test(name) && join(directory, name) !== path);
    return names.slice(0, 8).map((name) => readSmall(disk, join(directory, name), limits.bytes)?.text ?? "");
  }

  #list(directory: string): Listed {
    const { disk } = this.#options;
    const stamp = stampOf(disk, directory);
    const known = this.#listed.get(directory);
    if (known?.stamp === stamp) return known;
    const listed: Listed = { stamp, files: [], directories: [] };
    for (const entry of entriesOf(disk, directory)) {
      if (entry.isFile()) listed.files.push(entry.name);
      else if (entry.isDirectory() && !skipped.has(entry.name)) listed.directories.push(entry.name);
    }
    this.#listed.set(directory, listed);
    return listed;
  }
}

/** What changes whenever the thing does. */
function stampOf(disk: Fs, path: string): string {
  try {
    const stat = disk.lstatSync(path, { throwIfNoEntry: false });
    return stat ? `${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}` : "";
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return "";
  }
}

function entriesOf(disk: Fs, directory: string) {
  try {
    return disk.readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    // It went away, or may not be read: then no command reads it either.
    if (codeOf(error) === undefined) throw error;
    return [];
  }
}
