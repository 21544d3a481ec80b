// git for commands that Cinch answers itself: for each repository a private directory in its stead, made when it is needed
// and removed with the command.
// Invariant: git reads the settings of no repository and starts nothing (plain-git.ts). Which repository a directory belongs to
// is found as git finds it, and one that is kept at an unusual place has been refused by the analysis.

import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ModelError } from "../../core/errors.js";
import { writeAll } from "../../lib/atomic-file.js";
import type { Fs } from "../../lib/fs.js";
import { parent, resolvePath } from "../../lib/paths.js";
import { PlainGit, type PlainRepository } from "../../lib/plain-git.js";
import { readSmall } from "../../lib/small-file.js";

/** Bytes that git prints for one command. */
const largest = 16 * 1024 * 1024;

export class RepositoryViews {
  readonly #disk: Fs;
  readonly #git: PlainGit | null;
  readonly #signal: AbortSignal;
  readonly #views = new Map<string, PlainRepository>();
  #temp: string | undefined;

  constructor(disk: Fs, { program, home }: { program: string | null; home: string }, signal: AbortSignal) {
    this.#disk = disk;
    this.#signal = signal;
    // How long it takes is up to the signal.
    this.#git = program === null ? null : new PlainGit({ disk, program, home, largest, timeoutMs: 600_000 });
  }

  async run(words: readonly string[], cwd: string): Promise<{ exit: number; out: Buffer; err: string }> {
    if (!this.#git) throw new ModelError("git was not found outside the project.");
    const repository = await this.#viewOf(this.#git, cwd);
    if (!repository) {
      const err = "fatal: not a git repository (or any of the parent directories): .git\n";
      return { exit: 128, out: Buffer.alloc(0), err };
    }
    const { exit, stdout, stderr, stopped } = await this.#git.attempt(repository, words, { cwd, signal: this.#signal });
    if (stopped && !this.#signal.aborted) throw new ModelError(`git ${words[0]} prints more than ${largest} bytes.`);
    return { exit: exit ?? 128, out: stdout, err: stderr };
  }

  async #viewOf(git: PlainGit, cwd: string): Promise<PlainRepository | null> {
    const place = repositoryAround(this.#disk, cwd);
    if (!place) return null;
    const known = this.#views.get(place.real);
    if (known) return known;
    if (this.#temp === undefined) {
      this.#temp = join(resolvePath(this.#disk, "/", tmpdir()).path, `cinch-git-${randomBytes(8).toString("hex")}`);
      this.#disk.mkdirSync(this.#temp, { mode: 0o700 });
    }
    const directory = join(this.#temp, String(this.#views.size));
    const seen = await git.view(directory, place.real, place.common);
    const view = { ...seen, index: this.#indexOf(place.real, directory), workTree: place.top };
    this.#views.set(place.real, view);
    return view;
  }

  /** A copy: `git diff` writes down what it learned of the files, whatever it is told. */
  #indexOf(real: string, directory: string): string {
    const [from, to] = [join(real, "index"), join(directory, "index")];
    if (!this.#disk.lstatSync(from, { throwIfNoEntry: false })?.isFile()) return to;
    const fd = this.#disk.openSync(to, "wx", 0o600);
    try {
      writeAll(this.#disk, fd, this.#disk.readFileSync(from));
    } finally {
      this.#disk.closeSync(fd);
    }
    return to;
  }

  close(): void {
    if (this.#temp !== undefined) this.#disk.rmSync(this.#temp, { recursive: true, force: true });
  }
}

interface RepositoryPlace {
  top: string;
  /** With its HEAD and index. */
  real: string;
  /** With objects and refs. */
  common: string;
}

/** Null where there is none. @throws ModelError for one that is not understood */
function repositoryAround(disk: Fs, start: string): RepositoryPlace | null {
  for (let top = start; ; top = parent(top)) {
    const git = `${top}/.git`;
    const stat = disk.lstatSync(git, { throwIfNoEntry: false });
    if (stat?.isDirectory()) return { top, real: git, common: git };
    if (stat) return linked(disk, top);
    if (top === "/") return null;
  }
}

function linked(disk: Fs, top: string): RepositoryPlace {
  const target = /^gitdir: (.+)\n?$/.exec(readSmall(disk, `${top}/.git`, 4_096)?.text ?? "")?.[1];
  const real = target === undefined ? undefined : resolvePath(disk, top, target);
  if (!real?.stat?.isDirectory()) throw new ModelError("The repository is kept at a place that is not understood.");
  const named = readSmall(disk, `${real.path}/commondir`, 4_096)?.text.replace(/\n$/, "");
  return { top, real: real.path, common: named === undefined ? real.path : resolvePath(disk, real.path, named).path };
}
