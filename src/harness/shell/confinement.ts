// Runs commands in bubblewrap: looks, right before each, which paths it may write, which are held, which are hidden.
// Invariant: what is decided about a command holds for what is on the disk when it starts; when it has ended, no directory
// that was made for it is left, and no name that governs what runs is taken by what it made (SPEC 1.12).

import { randomBytes } from "node:crypto";
import { homedir, tmpdir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { codeOf } from "../../core/errors.js";
import type { Fs } from "../../lib/fs.js";
import { resolvePath, within } from "../../lib/paths.js";
import { type Governing, governingIn, protectedIn } from "../../permission/governing.js";
import { type Guarded, guardedIn } from "../../permission/guarded.js";
import { bubblewrapArguments, type Isolation, type View } from "../../sandbox/bubblewrap.js";
import { confinedEnvironment } from "../../sandbox/environment.js";
import { type PackageCache, packageCaches, secretPlaces } from "../../sandbox/home.js";
import { type Trial, tryOut } from "../../sandbox/trial.js";
import { loadAnalysis, loadProcess } from "../lazy.js";
import { Placeholders } from "./placeholders.js";
import { watchAppearing, watchNames } from "./set-aside.js";
import type { Supervision } from "./supervision.js";

export interface ConfinementOptions {
  disk: Fs;
  /** Of the sandbox. */
  program: string;
  /** Canonical. */
  root: string;
  cwd: string;
  addDirs: readonly string[];
  /** Directories where Cinch keeps its own. */
  own: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  network: boolean;
  /** As in the settings. */
  write: readonly string[];
  supervision: Supervision;
}

/** About one command. */
export interface ConfinedCommand {
  /** Canonical. */
  cwd: string;
  readsOnly: boolean;
  /** May be read although it lies among what is hidden. */
  readable: string;
  /** Is the content of this path not to be shown? */
  conceals(path: string): boolean;
  /** Is this path not to be changed without a yes, by a setting? Null: there is no such setting. */
  guards: ((path: string) => boolean) | null;
}

export interface Confined {
  argv(argv: readonly string[]): readonly string[];
  env(env: Readonly<Record<string, string>>): Record<string, string>;
  /** After the command: puts things right and says what was wrong. */
  settle(): string[];
}

const none: Governing = { fixed: [], held: [], absent: [], watched: [], open: [] };

export class Confinement {
  readonly trial: Trial;
  readonly #options: ConfinementOptions;
  readonly #bases: readonly string[];
  readonly #home: string;
  readonly #caches: readonly PackageCache[];
  readonly #secrets: readonly string[];
  /** The places of the system in whose stead a command sees `#temp`. */
  readonly #temps: readonly string[];
  readonly #temp: string;
  readonly #placeholders: Placeholders;

  private constructor(options: ConfinementOptions, temp: string, trial: Trial, placeholders: Placeholders) {
    const { disk, root, addDirs, env } = options;
    this.#options = options;
    this.#bases = [root, ...addDirs].map((path) => canonical(disk, path));
    this.#home = canonical(disk, env["HOME"] || homedir());
    this.#caches = packageCaches(env, this.#home);
    this.#secrets = secretPlaces(this.#home);
    this.#temps = ["/tmp", "/var/tmp"].filter((path) => disk.existsSync(path) && canonical(disk, path) === path);
    this.#temp = temp;
    this.trial = trial;
    this.#placeholders = placeholders;
  }

  /** Runs nothing but `true`. */
  static async tryOut(options: ConfinementOptions): Promise<Confinement> {
    const { disk, root, network, supervision } = options;
    const temp = join(canonical(disk, tmpdir()), `cinch-${randomBytes(8).toString("hex")}`);
    disk.mkdirSync(temp, { mode: 0o700 });
    const placeholders = new Placeholders(disk, await supervision.open());
    const untried = new Confinement(options, temp, nothing, placeholders);
    const view = untried.#view(
      { cwd: root, readsOnly: true, readable: root, conceals: () => false, guards: null },
      none,
    );
    const trial = untried.#bases.includes("/")
      ? { ...nothing, why: "the project is the whole disk" }
      : await tryOut(!network, (isolation) => untried.#attempt(view, isolation));
    return new Confinement(options, temp, trial, placeholders);
  }

  async #attempt(view: View, isolation: Isolation): Promise<string | null> {
    const { runProgram } = await loadProcess();
    const { program, root } = this.#options;
    const argv = [...bubblewrapArguments(view, isolation, root, isRoot()), "/bin/sh", "-c", "true"];
    const running = runProgram(program, argv, {
      cwd: "/",
      env: { PATH: "/usr/bin:/bin" },
      signal: new AbortController().signal,
      onChunk: () => undefined,
    });
    const ended = await running.catch((error: unknown) => {
      // Installed, but not for this user, or for another machine. Anything else says nothing about the program.
      if (["EACCES", "EPERM", "ENOENT", "ENOEXEC"].includes(codeOf(error) ?? "")) return codeOf(error);
      throw error;
    });
    if (typeof ended !== "object") return `${program} can't be run (${ended})`;
    return ended.exit === 0 ? null : ended.stderr.trim().split("\n")[0] || `exit code ${ended.exit}`;
  }

  /** Looks at the disk now. */
  async prepare(command: ConfinedCommand): Promise<Confined> {
    const { program, disk } = this.#options;
    const governing = command.readsOnly ? none : this.#governing();
    const isHarmless = await this.#harmless();
    const settleNames = watchNames({ disk, paths: governing.watched, isHarmless });
    const guarded = command.readsOnly ? nothingGuarded : this.#guarded(command.guards);
    const settleOthers = watchAppearing(disk, () => this.#others(governing, guarded));
    const { held, release } = this.#placeholders.take(governing.absent, governing.fixed);
    const kept = guarded().paths;
    const view = this.#view(command, {
      ...governing,
      held: [...governing.held, ...this.#wayTo(kept)],
      fixed: [...governing.fixed, ...kept, ...held],
    });
    const words = bubblewrapArguments(view, this.trial.isolation, command.cwd, isRoot());
    const missing = this.#caches.flatMap(({ path, variable }) =>
      variable === undefined || disk.existsSync(path) ? [] : [variable],
    );
    return {
      argv: (argv) => [program, ...words, ...argv],
      env: (given) => confinedEnvironment(given, missing),
      settle: () => {
        release();
        const { complete } = guarded();
        return [...settleNames(), ...settleOthers(), ...(complete ? [] : [tooMuch])];
      },
    };
  }

  /** Removes the temp directory of its commands. */
  close(): void {
    try {
      this.#options.disk.rmSync(this.#temp, { recursive: true, force: true });
    } catch (error) {
      // A command made directories that even their owner may not enter; the system clears its temp in time.
      if (codeOf(error) !== "EACCES" && codeOf(error) !== "EPERM") throw error;
    }
  }

  /** In every directory that a command starts in or below: those of the project down to the working one, and the added ones. */
  #governing(): Governing {
    const { disk, root, cwd } = this.#options;
    const way: string[] = [];
    for (let at = cwd; at !== root && within(root, at); at = dirname(at)) way.push(at);
    const lifted = this.#lifted();
    const isFree = (path: string) => lifted.some((place) => within(place, path));
    const all = [...this.#bases, ...way].map((directory) => governingIn(disk, directory));
    const only = (pick: (each: Governing) => string[]) => all.flatMap(pick).filter((path) => !isFree(path));
    return {
      fixed: only(({ fixed }) => fixed),
      held: [...way, ...only(({ held }) => held)],
      absent: only(({ absent }) => absent),
      watched: only(({ watched }) => watched),
      open: all.flatMap(({ open }) => open),
    };
  }

  /** The directories between the project and these paths: a file is not kept where it is if one of them moves. */
  #wayTo(paths: readonly string[]): string[] {
    const way = new Set<string>();
    for (const path of paths) {
      for (let at = dirname(path); !this.#bases.includes(at) && !way.has(at); at = dirname(at)) way.add(at);
    }
    return [...way];
  }

  /** Looks at what a setting guards, each time anew. */
  #guarded(guards: ConfinedCommand["guards"]): () => Guarded {
    if (!guards) return nothingGuarded;
    const lifted = this.#lifted();
    const test = (path: string) => guards(path) && !lifted.some((place) => within(place, path));
    return () => guardedIn(this.#options.disk, this.#bases, test);
  }

  /** Protected paths that nothing else keeps an eye on. */
  #others({ open, absent, watched, fixed }: Governing, guarded: () => Guarded): string[] {
    const known = new Set([...absent, ...watched, ...fixed]);
    const lifted = this.#lifted();
    return open
      .flatMap((place) => protectedIn(this.#options.disk, place))
      .concat(guarded().paths)
      .filter((path) => !known.has(path) && !lifted.some((place) => within(place, path)));
  }

  /** What the user's settings let commands write. */
  #lifted(): string[] {
    const { write, disk, root } = this.#options;
    return write.map((path) => {
      if (path.startsWith("~/")) return canonical(disk, join(this.#home, path.slice(2)));
      return canonical(disk, isAbsolute(path) ? path : join(root, path));
    });
  }

  #view({ readsOnly, readable, conceals }: ConfinedCommand, governing: Governing): View {
    const { disk, own } = this.#options;
    const isThere = (path: string) => disk.existsSync(path);
    // Most places of the tables are not there, and a walk along each of them is what this would cost most.
    const found = (paths: readonly string[]) => paths.filter(isThere).map((path) => canonical(disk, path));
    const outsideHome = (path: string) => !within(path, this.#home);
    // What only reads writes nowhere, and every place is a mount that takes its time.
    const open = readsOnly ? [] : [...this.#lifted().filter(isThere), ...found(this.#caches.map(({ path }) => path))];
    const isSeen = (path: string) =>
      this.#bases.some((base) => within(base, path)) || !this.#temps.some((temp) => within(temp, path));
    const hidden = found([...this.#secrets, ...own, "/run", "/var/run", ...this.#concealed(conceals)]).filter(isSeen);
    const [directories, files] = split(disk, [...new Set(hidden)]);
    return {
      write: [...open.filter(outsideHome), ...(readsOnly ? [] : [...this.#bases, ...governing.held])],
      read: [...(readsOnly ? this.#bases : governing.fixed), ...this.#resolver(), readable].filter(isThere),
      hiddenDirectories: directories,
      hiddenFiles: files,
      temps: this.#temps,
      temp: this.#temp,
    };
  }

  /** Directly in the project and the added directories. */
  #concealed(conceals: (path: string) => boolean): string[] {
    const { disk } = this.#options;
    return this.#bases.flatMap((base) => {
      const paths = disk.readdirSync(base).map((name) => join(base, name));
      return paths.filter(conceals);
    });
  }

  /** Where names of hosts are looked up lies among the sockets that are hidden. */
  #resolver(): string[] {
    const file = canonical(this.#options.disk, "/etc/resolv.conf");
    return [...(within("/run", file) ? [dirname(file)] : []), "/run/current-system", "/run/wrappers"];
  }

  /** A repository that a command made may stay when git runs nothing in it. */
  async #harmless(): Promise<(path: string) => boolean> {
    const { disk } = this.#options;
    const { createGround } = await loadAnalysis();
    return (path) => {
      const [, directory] = /^(.*)\/\.git(?:\/(?:config|hooks))?$/s.exec(path) ?? [];
      if (directory === undefined) return false;
      const ground = createGround({ disk, root: directory, bases: [directory], home: this.#home, path: "" });
      return isPlain(disk, `${directory}/.git`) && ground.gitTrouble(directory) === null;
    };
  }
}

const nothingGuarded = (): Guarded => ({ paths: [], complete: true });
const tooMuch =
  "there are more files here than are looked at for permissions.protect: those nearest to the root were held, of the others nobody knows";

const nothing: Trial = { state: "none", isolation: { processes: false, network: false }, why: "" };

/** A directory whose hooks are samples. */
function isPlain(disk: Fs, git: string): boolean {
  if (!disk.lstatSync(git).isDirectory()) return false;
  const hooks = disk.lstatSync(`${git}/hooks`, { throwIfNoEntry: false });
  if (!hooks) return true;
  return hooks.isDirectory() && disk.readdirSync(`${git}/hooks`).every((name) => name.endsWith(".sample"));
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function split(disk: Fs, paths: readonly string[]): [string[], string[]] {
  const isDirectory = (path: string) => disk.statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  return [paths.filter(isDirectory), paths.filter((path) => !isDirectory(path))];
}

function canonical(disk: Fs, path: string): string {
  return resolvePath(disk, "/", path).path;
}
