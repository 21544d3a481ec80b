// Runs commands in bubblewrap: looks, right before each, which paths it may write, which are held, which are hidden.
// Invariant: what is decided about a command holds for what is on the disk when it starts; when it has ended, no directory
// that was made for it is left, and no name that governs what runs is taken by what it made (SPEC 1.12).

import { createServer } from "node:net";
import { homedir, tmpdir, totalmem } from "node:os";
import { basename, dirname, isAbsolute, join } from "node:path";
import { codeOf } from "../../core/errors.js";
import type { Fs } from "../../lib/fs.js";
import { resolvePath, within } from "../../lib/paths.js";
import { makeTempDirectory } from "../../lib/temp-directory.js";
import { armedSequencers, governingInGit } from "../../permission/git-directory.js";
import { type Governing, governingIn, protectedIn } from "../../permission/governing.js";
import { type Below, governingBelow } from "../../permission/governing-below.js";
import { type Guarded, guardedIn } from "../../permission/guarded.js";
import { repositoryOutside } from "../../permission/repository.js";
import {
  bubblewrapArguments,
  type Isolation,
  type Starter,
  type SystemPlace,
  type View,
} from "../../sandbox/bubblewrap.js";
import { confinedEnvironment } from "../../sandbox/environment.js";
import {
  type PackageCache,
  packageCaches,
  searchPathPlaces,
  secretPlaces,
  toolchainPlaces,
} from "../../sandbox/home.js";
import { type Forbidden, probeArguments, probed } from "../../sandbox/probe.js";
import { kernelFiles, systemPlaces, systemSecrets } from "../../sandbox/system.js";
import { type Attempt, type Trial, tryOut } from "../../sandbox/trial.js";
import { loadAnalysis, loadProcess, loadUserNamespace } from "../lazy.js";
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
  read: readonly string[];
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
  /** Shell words that go before the command: limits of the system, and nothing of what was set up around it. */
  before: string;
  env(env: Readonly<Record<string, string>>): Record<string, string>;
  /** After the command: puts things right and says what was wrong. */
  settle(): string[];
}

const none: Governing = { fixed: [], held: [], absent: [], watched: [], open: [] };

/** What does not change while a harness runs. */
interface Surroundings {
  /** The project and the added directories, canonical. */
  bases: readonly string[];
  home: string;
  system: readonly SystemPlace[];
  kernel: Pick<View, "controls" | "disclosures">;
  /** Read-only: toolchains of the user, and what is installed around the directories of PATH. */
  tools: readonly string[];
  caches: readonly PackageCache[];
  /** Kept from commands although they lie in a place that is shown. */
  secrets: readonly string[];
  /** The places of the system in whose stead a command sees `temp`. */
  temps: readonly string[];
  temp: string;
  starter: Starter;
}

export class Confinement {
  readonly trial: Trial;
  readonly #options: ConfinementOptions;
  readonly #around: Surroundings;
  readonly #placeholders: Placeholders;

  private constructor(options: ConfinementOptions, around: Surroundings, trial: Trial, placeholders: Placeholders) {
    this.#options = options;
    this.#around = around;
    this.trial = trial;
    this.#placeholders = placeholders;
  }

  /** Runs nothing but a probe. */
  static async tryOut(options: ConfinementOptions): Promise<Confinement> {
    const { disk, supervision } = options;
    const placeholders = new Placeholders(disk, await supervision.open());
    const around = await look(options);
    const untried = new Confinement(options, around, nothing, placeholders);
    const trial = around.bases.includes("/")
      ? { ...nothing, why: "the project is the whole disk" }
      : await untried.#try();
    return new Confinement(options, around, trial, placeholders);
  }

  async #try(): Promise<Trial> {
    const { root, disk } = this.#options;
    const listener = await listen();
    const witness = join(dirname(this.#around.temp), `${basename(this.#around.temp)}.probe`);
    disk.closeSync(disk.openSync(witness, "wx", 0o600));
    try {
      const view = this.#view(
        { cwd: root, readsOnly: true, readable: root, conceals: () => false, guards: null },
        none,
      );
      const absent = [witness, "/run/docker.sock", "/var/run/docker.sock"];
      const files = ["/etc/passwd", "/proc/sys/kernel/hostname", "/cinch-probe", join(root, ".cinch-probe")];
      const forbidden = { files, absent, port: listener.port };
      return await tryOut((isolation) => this.#attempt(view, isolation, forbidden));
    } finally {
      listener.close();
      disk.rmSync(witness, { force: true });
    }
  }

  async #attempt(view: View, isolation: Isolation, forbidden: Forbidden): Promise<Attempt> {
    const { runProgram, bashPath } = await loadProcess();
    const [program = "", ...words] = this.#wrapped(view, isolation, this.#options.root);
    let said = "";
    const running = runProgram(program, [...words, bashPath(this.#options.disk), ...probeArguments(forbidden)], {
      cwd: "/",
      env: { PATH: "/usr/bin:/bin" },
      signal: new AbortController().signal,
      onChunk: (chunk) => {
        said += chunk;
        return undefined;
      },
    });
    const ended = await running.catch((error: unknown) => {
      // Installed, but not for this user, or for another machine. Anything else says nothing about the program.
      if (["EACCES", "EPERM", "ENOENT", "ENOEXEC"].includes(codeOf(error) ?? "")) return codeOf(error);
      throw error;
    });
    if (typeof ended !== "object") return { failed: `${program} can't be run (${ended})` };
    if (ended.exit !== 0) return { failed: ended.stderr.trim().split("\n")[0] || `exit code ${ended.exit}` };
    const open = said.split("\n").filter((line) => line !== "");
    // Without a network of its own this is known, and said in other words.
    const isKnown = (line: string) => !isolation.network && line.startsWith("connect");
    return { tried: probed(forbidden), open: open.filter((line) => !isKnown(line)) };
  }

  /** Everything before the command itself, its program first. */
  #wrapped(view: View, isolation: Isolation, cwd: string): string[] {
    const { starter } = this.#around;
    const { program } = this.#options;
    const bwrap = [program, ...bubblewrapArguments(view, isolation, cwd, { ...starter, ...handedOn(starter) })];
    if (starter.userNamespace === null) return bwrap;
    // Descriptors are not handed on to programs; this one is opened again, under a number that is.
    const open = `exec "$@" ${handedOnAs}</proc/${process.pid}/fd/${starter.userNamespace}`;
    return ["/bin/sh", "-c", open, "sh", ...bwrap];
  }

  /** Looks at the disk now. */
  async prepare(command: ConfinedCommand): Promise<Confined> {
    const { disk, network } = this.#options;
    const governing = command.readsOnly ? none : this.#governing();
    const isHarmless = await this.#harmless();
    const guarded = command.readsOnly ? nothingGuarded : this.#guarded(command.guards);
    const settleOthers = watchAppearing(disk, () => this.#others(governing, guarded));
    const deep = command.readsOnly ? nothingDeep : this.#deep();
    const settleDeep = command.readsOnly ? () => [] : this.#watchDeep(deep, isHarmless, governing);
    const settleNames = watchNames({ disk, paths: [...governing.watched, ...deep.watched], isHarmless });
    const { held, release } = this.#placeholders.take(governing.absent, governing.fixed);
    const kept = guarded().paths;
    const view = this.#view(command, {
      ...governing,
      held: [...governing.held, ...deep.held, ...this.#wayTo([...kept, ...deep.fixed])],
      fixed: [...governing.fixed, ...deep.fixed, ...deep.armed, ...kept, ...held],
      sockets: deep.sockets,
    });
    // What only reads has no business in the network.
    const isolation = {
      ...this.trial.isolation,
      network: this.trial.isolation.network && (command.readsOnly || !network),
    };
    const wrapped = this.#wrapped(view, isolation, command.cwd);
    const missing = this.#around.caches.flatMap(({ path, variable }) =>
      variable === undefined || disk.existsSync(path) ? [] : [variable],
    );
    return {
      argv: (argv) => [...wrapped, ...argv],
      before: limits(),
      env: (given) => confinedEnvironment(given, missing),
      settle: () => {
        release();
        const { complete } = guarded();
        return [...settleNames(), ...settleOthers(), ...settleDeep(), ...(complete ? [] : [tooMuch])];
      },
    };
  }

  /** Removes the temp directory of its commands. */
  close(): void {
    const { disk } = this.#options;
    const { temp, starter } = this.#around;
    if (starter.userNamespace !== null) disk.closeSync(starter.userNamespace);
    try {
      disk.rmSync(temp, { recursive: true, force: true });
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
    const all = [...this.#around.bases, ...way].map((directory) => governingIn(disk, directory));
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
      for (let at = dirname(path); !this.#around.bases.includes(at) && !way.has(at); at = dirname(at)) way.add(at);
    }
    return [...way];
  }

  /** Looks at what a setting guards, each time anew. */
  #guarded(guards: ConfinedCommand["guards"]): () => Guarded {
    if (!guards) return nothingGuarded;
    const lifted = this.#lifted();
    const test = (path: string) => guards(path) && !lifted.some((place) => within(place, path));
    return () => guardedIn(this.#options.disk, this.#around.bases, test);
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

  /** What governs deeper in the project, and in its repositories. */
  #deep(): Deep {
    const { disk } = this.#options;
    const lifted = this.#lifted();
    const isHeld = (path: string) => !lifted.some((place) => within(place, path));
    const all = this.#around.bases.map((base) => governingBelow(disk, base));
    const only = (pick: (each: Below) => readonly string[]) => all.flatMap(pick).filter(isHeld);
    const repositories = [...this.#around.bases, ...all.flatMap((each) => each.repositories)].map((at) =>
      join(at, ".git"),
    );
    return {
      fixed: only(({ fixed }) => fixed),
      held: only(({ held }) => held),
      watched: only(({ watched }) => watched),
      sockets: all.flatMap(({ sockets }) => sockets),
      repositories,
      armed: repositories.flatMap((git) => armedSequencers(disk, git)),
      inGit: repositories.flatMap((git) => governingInGit(disk, git)),
    };
  }

  /** After the command: what was not there before is set aside, unless git runs nothing in it. */
  #watchDeep(before: Deep, isHarmless: (path: string) => boolean, governing: Governing): () => string[] {
    const { disk } = this.#options;
    const known = new Set([before, governing].flatMap(({ fixed, watched }) => [...fixed, ...watched]));
    for (const path of [...before.armed, ...before.inGit, ...governing.absent]) known.add(path);
    const repositories = new Set(before.repositories);
    const isEmpty = (path: string) => disk.statSync(path).isDirectory() && disk.readdirSync(path).length === 0;
    return watchAppearing(disk, () => {
      const now = this.#deep();
      const made = now.repositories.filter((git) => !repositories.has(git));
      const isInMade = (path: string) => made.some((git) => within(git, path));
      const harmful = made.filter((git) => !isHarmless(git));
      const parts = [...now.fixed, ...now.inGit].filter((path) => !isInMade(path) && !isHarmless(path));
      return [...harmful, ...parts, ...now.armed].filter((path) => !known.has(path) && !isEmpty(path));
    });
  }

  /** What the user's settings let commands write. */
  #lifted(): string[] {
    return this.#named(this.#options.write);
  }

  /** Paths as they stand in settings. */
  #named(paths: readonly string[]): string[] {
    const { disk, root } = this.#options;
    return paths.map((path) => {
      if (path.startsWith("~/")) return canonical(disk, join(this.#around.home, path.slice(2)));
      return canonical(disk, isAbsolute(path) ? path : join(root, path));
    });
  }

  #view({ readsOnly, readable, conceals }: ConfinedCommand, governing: Held): View {
    const { disk, own } = this.#options;
    const { bases, home, system, kernel, tools, caches, secrets, temps, temp } = this.#around;
    const isThere = (path: string) => disk.existsSync(path);
    const outsideHome = (path: string) => !within(path, home);
    const cached = caches.map(({ path }) => path).filter(isThere);
    // What only reads writes nowhere.
    const open = readsOnly ? [] : [...this.#lifted().filter(isThere), ...cached.map((path) => canonical(disk, path))];
    const read = [...tools, ...this.#named(this.#options.read).filter(isThere), ...this.#resolver(), readable];
    read.push(...bases.flatMap((base) => repositoryOutside(disk, base)));
    const shown = [...bases, ...open, ...read, ...system.map(({ path }) => path)];
    // What is not shown need not be hidden; of what is, a mount each.
    const isShown = (path: string) => shown.some((place) => within(place, path));
    const found = [...secrets, ...own].filter((path) => isShown(path) && isThere(path));
    const hidden = [...found.map((path) => canonical(disk, path)), ...this.#concealed(conceals)];
    const [directories, files] = split(disk, [...new Set(hidden)]);
    return {
      system,
      home,
      ...kernel,
      write: [...open.filter(outsideHome), ...(readsOnly ? [] : [...bases, ...governing.held])],
      read: [...read, ...(readsOnly ? bases : governing.fixed)].filter(isThere),
      hiddenDirectories: directories,
      hiddenFiles: [...files, ...(governing.sockets ?? [])],
      temps,
      temp,
    };
  }

  /** Directly in the project and the added directories. */
  #concealed(conceals: (path: string) => boolean): string[] {
    const { disk } = this.#options;
    return this.#around.bases.flatMap((base) => {
      const paths = disk.readdirSync(base).map((name) => join(base, name));
      return paths.filter(conceals);
    });
  }

  /** Where names of hosts are looked up lies among the sockets that are not shown. */
  #resolver(): string[] {
    const file = canonical(this.#options.disk, "/etc/resolv.conf");
    return within("/etc", file) ? [] : [dirname(file)];
  }

  /** A repository that a command made may stay when git runs nothing in it. */
  async #harmless(): Promise<(path: string) => boolean> {
    const { disk } = this.#options;
    const { createGround } = await loadAnalysis();
    return (path) => {
      const [, directory] = /^(.*)\/\.git(?:\/(?:config|hooks|info|description))?$/s.exec(path) ?? [];
      if (directory === undefined) return false;
      const ground = createGround({ disk, root: directory, bases: [directory], home: this.#around.home, path: "" });
      return isPlain(disk, `${directory}/.git`) && ground.gitTrouble(directory) === null;
    };
  }
}

/** What a command cannot change, and what it cannot call. */
type Held = Governing & { sockets?: readonly string[] };

interface Deep extends Pick<Below, "fixed" | "held" | "watched" | "sockets"> {
  /** `.git` directories, there or not. */
  repositories: string[];
  /** Begun rebases and the like whose steps start programs. */
  armed: string[];
  /** What of the repositories decides what git runs. */
  inGit: string[];
}

const nothingDeep: Deep = { fixed: [], held: [], watched: [], sockets: [], repositories: [], armed: [], inGit: [] };
const nothingGuarded = (): Guarded => ({ paths: [], complete: true });
const tooMuch =
  "there are more files here than are looked at for permissions.protect: those nearest to the root were held, of the others nobody knows";

const nothing: Trial = {
  state: "none",
  isolation: { processes: false, network: false },
  why: "",
  tried: [],
  open: [],
};

/** A directory whose hooks are samples. */
function isPlain(disk: Fs, git: string): boolean {
  if (!disk.lstatSync(git).isDirectory()) return false;
  const hooks = disk.lstatSync(`${git}/hooks`, { throwIfNoEntry: false });
  if (!hooks) return true;
  return hooks.isDirectory() && disk.readdirSync(`${git}/hooks`).every((name) => name.endsWith(".sample"));
}

/** The number under which a command's starter finds the user namespace. */
const handedOnAs = 9;

const mebi = 1024 * 1024;

/** A command that runs away ends itself and not the machine: KiB of a file, of a process's memory; processes of a command. */
function limits(): string {
  const sizes = [`-c 0`, `-f ${20 * mebi}`, `-d ${Math.floor((0.8 * totalmem()) / 1024)}`, "-u 8192"];
  return `{ ${sizes.map((size) => `ulimit ${size}; `).join("")}} 2>/dev/null; exec ${handedOnAs}<&-; `;
}

function handedOn({ userNamespace }: Starter): Pick<Starter, "userNamespace"> {
  return { userNamespace: userNamespace === null ? null : handedOnAs };
}

async function look({ disk, root, addDirs, env }: ConfinementOptions): Promise<Surroundings> {
  const temp = makeTempDirectory(disk, canonical(disk, tmpdir()));
  const home = canonical(disk, env["HOME"] || homedir());
  const bases = [root, ...addDirs].map((path) => canonical(disk, path));
  const isWhole = (path: string) =>
    within(path, home) || ["/home", "/Users"].includes(dirname(path)) || bases.some((base) => within(path, base));
  const wanted = [
    ...toolchainPlaces(home),
    ...searchPathPlaces(`${env["PATH"] ?? ""}:${dirname(process.execPath)}`, isWhole),
  ];
  const there = wanted.filter((path) => disk.existsSync(path)).map((path) => canonical(disk, path));
  const system = systemPlaces(disk);
  const isSystem = (path: string) => system.some((place) => place.link === undefined && within(place.path, path));
  const secrets = [...secretPlaces(home), ...systemSecrets(disk)];
  const isRoot = process.getuid?.() === 0;
  return {
    bases,
    home,
    system,
    kernel: kernelFiles(disk, isRoot),
    tools: [...new Set(there)].filter((path) => !isWhole(path) && !isSystem(path)),
    caches: packageCaches(env, home),
    secrets,
    temps: ["/tmp", "/var/tmp"].filter((path) => disk.existsSync(path) && canonical(disk, path) === path),
    temp,
    starter: { isRoot, userNamespace: isRoot ? await (await loadUserNamespace()).openUserNamespace(disk) : null },
  };
}

/** A port of the loopback interface for the probe to find or not. */
function listen(): Promise<{ port: number; close(): void }> {
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve({ port: typeof address === "object" && address ? address.port : 0, close: () => server.close() });
    });
  });
}

function split(disk: Fs, paths: readonly string[]): [string[], string[]] {
  const isDirectory = (path: string) => disk.statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  return [paths.filter(isDirectory), paths.filter((path) => !isDirectory(path))];
}

function canonical(disk: Fs, path: string): string {
  return resolvePath(disk, "/", path).path;
}
