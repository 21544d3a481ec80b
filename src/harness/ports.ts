// Adapters from lib/ to the ports of tools: commands and searches, each held inside the project.
// Invariant: every path from the model is resolved as the kernel would and refused when it leads outside; what lib/ says
// about a search or a start that failed becomes a ModelError here. The libraries are loaded at the first use.

import { ModelError, Refusal } from "../core/errors.js";
import type { Listing, Place, Search, Shell, ShellCommand } from "../core/ports.js";
import type { Redactor } from "../core/redactor.js";
import { diskFault } from "../lib/disk-fault.js";
import { type Fs, nodeFs } from "../lib/fs.js";
import { sha256 } from "../lib/hash.js";
import { canonical } from "../lib/json.js";
import { markName } from "../lib/marked.js";
import {
  alsoCalled,
  holdsFiles,
  PathError,
  printable,
  type ResolvedPath,
  resolvePath,
  shownPath,
  within,
} from "../lib/paths.js";
import type { GroupGuard } from "../lib/supervisor.js";
import type { Launch } from "../tasks/shell-runner.js";
import { loadAnswering, loadIgnore, loadProcess, loadSearch } from "./lazy.js";
import type { AnsweringPlace } from "./shell/answering.js";
import type { Commands } from "./shell/commands.js";
import type { Confined } from "./shell/confinement.js";

export interface GroundsOptions {
  /** The project root; made canonical here. */
  root: string;
  /** Where relative paths and commands start; in the root. */
  cwd: string;
  addDirs?: readonly string[];
  disk?: Fs;
}

export interface ShellOptions extends GroundsOptions {
  /** The environment commands get, complete. */
  env: Readonly<Record<string, string>>;
  /** What a command would do, and the environment of those that only read. */
  commands: Commands;
  /** Where output goes that is too long to be returned. */
  spillDir: string;
  /** Ends the command if this process dies first. */
  guard: GroupGuard;
  /** Answers what it can of commands that only read; absent: they all run in a full sandbox. */
  answering?: AnsweringPlace;
  /** Puts a sandbox around a command; absent = there is none. */
  confine?: (command: Pick<ShellCommand, "cwd" | "readsOnly">) => Promise<Confined>;
  /** Takes secrets out of what commands print. */
  redactor: Redactor;
  /** Throws a Refusal for a command that must not run; asked when it is planned and when it is run. */
  check?: (command: string, cwd: string) => void;
  /** Asked right before a command starts, and before anything of its output is cleaned. */
  look?: (asked: Pick<ShellCommand, "command" | "cwd" | "readsOnly" | "byHand">) => Promise<void>;
}

export interface SearchOptions extends GroundsOptions {
  /** Ends the search if this process dies first. */
  guard: GroupGuard;
}

interface Grounds {
  /** Canonical. */
  cwd: string;
  disk: Fs;
  /** Throws a Refusal when the path leads outside or does not exist. `admitted`: canonical places outside that it may be. */
  enter(path: string, now: string, admitted?: ReadonlySet<string>): Place & { stat: NonNullable<ResolvedPath["stat"]> };
  /** The place outside that a path leads to; null when it is inside, or where no files are. */
  outside(path: string, now: string): Place | null;
  /** The root or added directory that a canonical path is in, or itself. */
  baseOf(path: string): string;
}

function grounds({ root: given, cwd: from, addDirs = [], disk = nodeFs }: GroundsOptions): Grounds {
  const [cwd = "/", root = "/", ...added] = [from, given, ...addDirs].map((path) => resolvePath(disk, "/", path).path);
  const bases = [root, ...added];
  const isOutside = (path: string) => !bases.some((base) => within(base, path));
  return {
    cwd,
    disk,
    enter(input, now, admitted) {
      const { path, stat, names } = resolved(disk, cwd, input, now);
      const shown = shownPath(cwd, path);
      if (isOutside(path) && !(path === input && admitted?.has(path))) {
        throw new Refusal("outside", `${printable(input)} is outside the project (${root}). ${now}`);
      }
      if (!stat) throw new Refusal("missing", `${shown} does not exist. ${now}`, ["list"]);
      return { path, shown, stat, ...alsoCalled(names) };
    },
    outside(input, now) {
      const { path, names } = resolved(disk, cwd, input, now);
      if (!isOutside(path) || !holdsFiles(path)) return null;
      return { path, shown: shownPath(cwd, path), ...alsoCalled(names) };
    },
    baseOf: (path) => bases.find((base) => within(base, path)) ?? path,
  };
}

function resolved(disk: Fs, cwd: string, input: string, now: string): ResolvedPath {
  try {
    return resolvePath(disk, cwd, input);
  } catch (error) {
    if (error instanceof PathError) throw new Refusal("input", `${error.message}: ${printable(input)}. ${now}`);
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new ModelError(`${printable(input).slice(0, 200)} cannot be examined (${code ?? message}). ${now}`);
  }
}

/** A command that is started and then left to somebody else. */
export interface LaunchingShell extends Shell {
  /** Looks at everything that is looked at right before a command, and says what to start. */
  launch(command: Pick<ShellCommand, "command" | "cwd" | "readsOnly" | "byHand">): Promise<Launch>;
}

/** What a shell answers without bash, for where no full sandbox is. */
function answeringFor(options: ShellOptions, disk: Fs) {
  const { commands, answering, redactor, spillDir } = options;
  const analyse = async (command: string, cwd: string) => {
    const analysis = await commands.analyse(command, cwd);
    return answering ? (await loadAnswering()).answered(analysis) : analysis;
  };
  return {
    analyse,
    /** Null where it takes bash. */
    async answerTo(asked: ShellCommand) {
      if (!answering || !asked.readsOnly || asked.byHand) return null;
      options.check?.(asked.command, asked.cwd);
      const analysis = await analyse(asked.command, asked.cwd);
      if (!analysis.answered) return null;
      await options.look?.(asked);
      const { answer } = await loadAnswering();
      return answer({ ...asked, analysis }, { ...answering, disk, redactor, spillDir, env: commands.env });
    },
  };
}

export function createShell(options: ShellOptions): LaunchingShell {
  const { commands } = options;
  const { cwd: start, disk, enter } = grounds(options);
  const now = "Nothing was run.";
  const { analyse, answerTo } = answeringFor(options, disk);
  const surround = async (asked: Parameters<LaunchingShell["launch"]>[0]) => {
    const { command, cwd, readsOnly, byHand } = asked;
    options.check?.(command, cwd);
    if (readsOnly && (await commands.analyse(command, cwd)).verdict !== "readonly") {
      throw new ModelError(`What the command would do has changed since it was looked at. ${now}`, "Call it again.");
    }
    if (!disk.existsSync(cwd)) throw startFailure({ code: "ENOENT", message: "" }, shownPath(start, cwd));
    await options.look?.(asked);
    const confined = byHand ? undefined : await options.confine?.({ cwd, readsOnly });
    const given = readsOnly ? commands.env : options.env;
    return { confined, env: confined?.env(given) ?? given };
  };
  return {
    async plan(command, cwd) {
      if (command.trim() === "") throw new Refusal("input", `The command is empty. ${now}`);
      if (command.includes("\0")) throw new Refusal("input", `The command contains a NUL character. ${now}`);
      const place = cwd === undefined ? { path: start } : enter(cwd, now);
      if ("stat" in place && !place.stat.isDirectory()) {
        throw new Refusal("not-a-file", `${place.shown} is not a directory. ${now}`, ["list"]);
      }
      options.check?.(command, place.path);
      const analysis = await analyse(command, place.path);
      return { command, cwd: place.path, digest: sha256(canonical({ command, cwd: place.path })), analysis };
    },
    async launch(asked) {
      const [{ bashCommand }, { env, confined }] = await Promise.all([loadProcess(), surround(asked)]);
      const plain = bashCommand(disk, (confined?.before ?? "") + asked.command);
      return { env, argv: confined?.argv(plain) ?? plain, settle: () => confined?.settle() ?? [] };
    },
    async run({ timeoutMs, signal, onLine, streams: apart, ...asked }) {
      const own = await answerTo({ timeoutMs, signal, onLine, streams: apart, ...asked });
      if (own) return { ...own, confined: false, notes: [] };
      const { NotStarted, runShell } = await loadProcess();
      const { spillDir, guard, redactor } = options;
      const { command, cwd } = asked;
      const { env, confined } = await surround(asked);
      const notes: string[] = [];
      try {
        const redacting = redactor.bytes(true);
        const streams = apart ? { streams: [redactor.bytes(true), redactor.bytes(true)] } : {};
        const run = { command, cwd, timeoutMs, signal, onLine, env, spillDir, disk, guard, redacting, ...streams };
        const ended = await runShell(confined ? { ...run, confine: confined.argv, before: confined.before } : run);
        return { ...ended, confined: confined !== undefined, notes };
      } catch (error) {
        throw error instanceof NotStarted
          ? startFailure(error, disk.existsSync(cwd) ? null : shownPath(start, cwd))
          : error;
      } finally {
        notes.push(...(confined?.settle() ?? []));
      }
    },
  };
}

/** Nothing was run, and that is what the model reads. `gone`: the directory it was to run in, when it is not there. */
function startFailure(
  { code, message }: { code: string | undefined; message: string },
  gone: string | null,
): ModelError {
  const now = "Nothing was run.";
  if (gone !== null) return new ModelError(`The directory ${gone} is not there any more. ${now}`);
  if (code === "E2BIG") return new ModelError(`The command is too long for the system. ${now}`, "Put it into a file.");
  if (code === "EAGAIN")
    return new ModelError(`The system starts no more processes for this user. ${now}`, "End some, then call again.");
  const fault = code === "ENOENT" ? "its shell is not there" : (diskFault({ code }) ?? message);
  return new ModelError(`The command could not be started: ${fault}. ${now}`);
}

export function createSearch(options: SearchOptions): Search {
  const { cwd, disk, enter, outside, baseOf } = grounds(options);
  const admitted = new Set<string>();
  const env = () => ({ [markName]: options.guard.nextMark() });
  const now = "Nothing was searched.";
  /** Paths below `directory`, as the model is to write them. */
  const shownBelow = (directory: string) => (name: string) =>
    within(cwd, directory)
      ? `${directory}/${name}`.slice(cwd === "/" ? 1 : cwd.length + 1)
      : `${directory === "/" ? "" : directory}/${name}`;
  const startOf = (path: string) => {
    const place = enter(path, now, admitted);
    if (place.stat.isDirectory()) return { directory: place.path };
    if (!place.stat.isFile()) throw new Refusal("not-a-file", `${place.shown} is no file or directory. ${now}`);
    const cut = place.path.lastIndexOf("/");
    return { directory: place.path.slice(0, cut) || "/", file: place.path.slice(cut + 1) };
  };
  return {
    locate(path) {
      const place = outside(path, now);
      if (place) admitted.add(place.path);
      const { path: canonicalPath, shown, names = [] } = place ?? enter(path, now);
      return { path: canonicalPath, shown, ...alsoCalled(names) };
    },
    async list(path) {
      const place = enter(path, now, admitted);
      if (!place.stat.isDirectory()) throw new Refusal("not-a-file", `${place.shown} is not a directory. ${now}`);
      const { listDirectory } = await loadIgnore();
      const base = baseOf(place.path);
      return guarded(place.shown, now, () =>
        listDirectory(disk, base, place.path.slice(base.length).replace(/^\//, "")),
      );
    },
    async find(glob, path, signal): Promise<Listing> {
      const start = startOf(path);
      const { findFiles } = await loadSearch();
      const place = { ...start, env: env(), signal, disk, root: baseOf(start.directory) };
      const found = await guarded(path, now, () => findFiles(glob, place));
      return { ...found, items: found.items.map(shownBelow(start.directory)) };
    },
    async text(query, signal) {
      const start = startOf(query.path);
      const { findLines } = await loadSearch();
      const place = { ...start, env: env(), signal, disk, root: baseOf(start.directory) };
      const found = await guarded(query.path, now, () => findLines(query, place));
      const shown = shownBelow(start.directory);
      return { ...found, hits: found.hits.map((hit) => ({ ...hit, path: shown(hit.path) })) };
    },
  };
}

async function guarded<Result>(shown: string, now: string, act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof Error && error.name === "SearchError") throw new ModelError(`${error.message}\n${now}`);
    const { code, message } = error as NodeJS.ErrnoException;
    if (typeof code !== "string") throw error;
    throw new ModelError(`${printable(shown)}: ${message}. ${now}`);
  }
}
