// git as a reader and writer of data: no filter, hook, external diff, pager, fsmonitor, signature program or helper starts,
// whatever a repository, its work tree or the user's configuration asks for.
// Invariants: git reads configuration from a private directory of ours only, never from the repository, so a driver named in
// `.gitattributes` has no definition; and it finds no program, itself included, so what would start a child fails.
// A caller that compares work trees passes `--ignore-submodules=dirty`: otherwise git starts itself in nested repositories.
// Deliberately not covered: the network. Nothing here clones, fetches or pushes.

import { basename, join } from "node:path";
import { Refusal } from "../core/errors.js";
import type { Fs } from "./fs.js";
import { resolvePath } from "./paths.js";
import { runProgram } from "./process.js";

/** Where git finds a repository whose configuration it does not read. */
export interface PlainRepository {
  /** The private directory. */
  gitDir: string;
  /** Where the objects are; absent: in `gitDir`. */
  objects?: string;
  /** Absent: in `gitDir`. */
  index?: string;
  workTree?: string;
}

export interface PlainGitOptions {
  disk: Fs;
  /** Absolute path of git. */
  program: string;
  /** Of the user, for `~/.config/git/ignore`. */
  home: string;
  /** Bytes of output that are too many. */
  largest: number;
  timeoutMs: number;
}

const overrides = [
  ...["core.hooksPath=/dev/null", "core.fsmonitor=false", "core.attributesFile=/dev/null", "core.pager=cat"],
  ...["submodule.recurse=false", "protocol.allow=never", "log.showSignature=false", "gpg.program=/dev/null"],
].flatMap((setting) => ["-c", setting]);

const environment = {
  // Nothing can be found here: git cannot start git either.
  ...{ PATH: "/dev/null", GIT_EXEC_PATH: "/dev/null", LC_ALL: "C" },
  ...{ GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", GIT_ATTR_NOSYSTEM: "1" },
  ...{ GIT_NO_LAZY_FETCH: "1", GIT_NO_REPLACE_OBJECTS: "1", GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0" },
};

/** Facts about a repository that change how its data is read, and start nothing. */
const facts = ["core.filemode", "core.symlinks", "core.ignorecase", "core.autocrlf", "core.eol"];
const formats = ["extensions.objectformat", "extensions.refstorage"];

export interface GitAttempt {
  input?: string;
  /** Below the work tree. */
  cwd?: string;
  signal?: AbortSignal;
}

export interface GitEnd {
  exit: number | null;
  stdout: Buffer;
  stderr: string;
  /** It took too long or printed too much. */
  stopped: boolean;
}

/** By their names git knows what is not finished. */
const unfinished = [
  ...["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "ORIG_HEAD", "FETCH_HEAD", "rebase-merge", "rebase-apply"],
];

export class PlainGit {
  readonly #options: PlainGitOptions;

  constructor(options: PlainGitOptions) {
    this.#options = options;
  }

  /** Resolves to stdout. @throws Refusal when git fails */
  async run(at: PlainRepository, args: readonly string[], input?: string): Promise<Buffer> {
    const { exit, stdout, stderr, stopped } = await this.attempt(at, args, input === undefined ? {} : { input });
    if (exit === 0 && !stopped) return stdout;
    const why = stopped ? "it took too long or printed too much" : stderr.trim().split("\n").at(-1);
    throw new Refusal("missing", `git ${args[0]} failed in ${at.workTree ?? at.gitDir}: ${why}.`);
  }

  /** Resolves to what came of it, whatever that is. */
  async attempt(at: PlainRepository, args: readonly string[], how: GitAttempt = {}): Promise<GitEnd> {
    const { program, home, largest, timeoutMs } = this.#options;
    const { gitDir, objects = join(gitDir, "objects"), index = join(gitDir, "index"), workTree } = at;
    const where = { HOME: home, GIT_DIR: gitDir, GIT_OBJECT_DIRECTORY: objects, GIT_INDEX_FILE: index };
    const printed: Buffer[] = [];
    let bytes = 0;
    const { exit, stderr, stopped } = await runProgram(program, [...overrides, ...args], {
      cwd: how.cwd ?? workTree ?? gitDir,
      env: { ...environment, ...where, ...(workTree === undefined ? {} : { GIT_WORK_TREE: workTree }) },
      signal: how.signal ?? AbortSignal.timeout(timeoutMs),
      ...(how.input === undefined ? {} : { input: how.input }),
      onChunk(chunk) {
        printed.push(chunk);
        bytes += chunk.length;
        return bytes <= largest;
      },
    });
    return { exit, stderr, stopped, stdout: Buffer.concat(printed) };
  }

  /**
   * Stands for the repository whose directory is `real`, for commands that read: its objects, refs and index, and of its
   * configuration nothing but a few facts. `directory` must not exist yet, and nobody but us may write it. `common`: of a
   * linked worktree, the directory of the repository.
   */
  async view(directory: string, real: string, common = real): Promise<PlainRepository> {
    const { disk } = this.#options;
    layGitDir(disk, directory, { head: headOf(disk, real) });
    disk.rmSync(join(directory, "refs"), { recursive: true });
    const shared = ["refs", "packed-refs", "logs", "shallow", "info"].map((name) => join(common, name));
    for (const path of [...shared, ...unfinished.map((name) => join(real, name))]) {
      if (disk.existsSync(path)) disk.symlinkSync(path, join(directory, basename(path)));
    }
    const settings = await this.#settings({ gitDir: directory }, join(common, "config"));
    put(disk, join(directory, "config"), configText(settings));
    const objects = resolvePath(disk, common, "objects").path;
    return { gitDir: directory, objects, index: join(real, "index") };
  }

  async #settings(at: PlainRepository, file: string): Promise<[string, string][]> {
    if (!this.#options.disk.lstatSync(file, { throwIfNoEntry: false })?.isFile()) return [];
    const listed = String(await this.run(at, ["config", "--file", file, "--no-includes", "--null", "--list"]));
    return listed.split("\0").flatMap((line): [string, string][] => {
      const end = line.indexOf("\n");
      const [name, value] = [line.slice(0, end).toLowerCase(), line.slice(end + 1)];
      return [...facts, ...formats].includes(name) && /^\w+$/.test(value) ? [[name, value]] : [];
    });
  }
}

export interface GitDirOptions {
  /** A commit, or `ref: refs/heads/…`. */
  head: string;
  /** Objects of another repository that are used as well. */
  borrowed?: string;
  /** The configuration, as `configText` makes it. */
  config?: string;
}

/** Makes a directory that is a repository for git, with nothing in it that starts anything. */
export function layGitDir(
  disk: Fs,
  directory: string,
  { head, borrowed, config = configText([]) }: GitDirOptions,
): void {
  disk.mkdirSync(directory, { mode: 0o700 });
  for (const name of ["objects", "objects/info", "objects/pack", "refs", "refs/heads"]) {
    disk.mkdirSync(join(directory, name), { mode: 0o700 });
  }
  put(disk, join(directory, "HEAD"), `${head}\n`);
  put(disk, join(directory, "config"), config);
  if (borrowed !== undefined) put(disk, join(directory, "objects", "info", "alternates"), `${borrowed}\n`);
}

function configText(settings: readonly (readonly [name: string, value: string])[]): string {
  const version = settings.some(([name]) => formats.includes(name)) ? 1 : 0;
  const lines = settings.map(([name, value]) => {
    const [section, key] = name.split(".");
    return `[${section}]\n\t${key} = ${value}\n`;
  });
  return `[core]\n\trepositoryformatversion = ${version}\n\tfilemode = true\n\tbare = false\n${lines.join("")}`;
}

/** As it stands in the file; a link, as old repositories have it, leads to a name. */
function headOf(disk: Fs, real: string): string {
  const file = join(real, "HEAD");
  const stat = disk.lstatSync(file, { throwIfNoEntry: false });
  if (stat?.isSymbolicLink()) return `ref: ${disk.readlinkSync(file)}`;
  const text = stat?.isFile() && stat.size < 4_096 ? disk.readFileSync(file, "utf8").trim() : "";
  if (/^(?:ref: refs\/[^\n]+|[0-9a-f]{40,64})$/.test(text)) return text;
  throw new Refusal("missing", `${real} is no git repository: its HEAD names no branch and no commit.`);
}

function put(disk: Fs, path: string, text: string): void {
  const fd = disk.openSync(path, "w", 0o600);
  try {
    disk.writeSync(fd, text);
  } finally {
    disk.closeSync(fd);
  }
}
