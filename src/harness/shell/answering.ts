// Commands that Cinch answers itself, for where no full sandbox can be put around them: which they are, and the files they see.
// Invariants: what is opened was judged by its canonical path right before (inside the project, not withheld) and is the very
// file that was judged; of a directory that changed meanwhile nothing is said. No shell is started, and git only as plain-git.ts has it.

import {
  AppletError,
  type AppletFiles,
  type AppletLine,
  appletLine,
  type Found,
  isAppletCommand,
} from "../../applets/index.js";
import type { CommandAnalysis, CommandPart } from "../../core/command.js";
import { Cancelled, codeOf, ModelError } from "../../core/errors.js";
import type { Redactor } from "../../core/redactor.js";
import { readBytes, withFile } from "../../files/bytes.js";
import { Territory } from "../../files/territory.js";
import { CommandOutput } from "../../lib/command-output.js";
import type { Fs } from "../../lib/fs.js";
import { onPath } from "../../lib/on-path.js";
import { PathError, parent, printable, resolvePath, shownPath } from "../../lib/paths.js";
import type { Ended } from "../../lib/process.js";
import { defaultLimits } from "../../lib/shell-limits.js";
import { readSmall } from "../../lib/small-file.js";
import { RepositoryViews } from "./repository-views.js";

/** The line, when it is one that Cinch answers. Invariant: both readers found the same words. */
function lineOf({ command, verdict, parts }: CommandAnalysis): AppletLine | null {
  if (verdict !== "readonly") return null;
  const line = appletLine(command);
  const analysed = JSON.stringify(parts.map(({ argv }) => argv));
  return line && JSON.stringify(line.words) === analysed ? line : null;
}

/** The analysis, and in it what Cinch answers, or could answer, itself. */
export function answered(analysis: CommandAnalysis): CommandAnalysis {
  const parts = analysis.parts.map((part): CommandPart => {
    return part.verdict === "readonly" && isAppletCommand(part.argv) ? { ...part, answered: true } : part;
  });
  return { ...analysis, parts, ...(lineOf(analysis) ? { answered: true } : {}) };
}

/** What the commands of a session may see. */
export interface AnsweringPlace {
  root: string;
  addDirs: readonly string[];
  /** Is the content of this canonical path not to be shown? */
  conceals(path: string): boolean;
}

export interface AnsweringOptions extends AnsweringPlace {
  disk: Fs;
  /** Where output goes that is too long, which is read as well. */
  spillDir: string;
  /** Of commands that run unasked. */
  env: Readonly<Record<string, string>>;
  redactor: Redactor;
}

export interface AnsweredCommand {
  analysis: CommandAnalysis;
  cwd: string;
  timeoutMs: number;
  signal: AbortSignal;
  streams: boolean;
  onLine(line: string): void;
}

/** All that one command reads or prints at most. */
const most = 64 * 1024 * 1024;

/** Null where the command is not one that Cinch answers. */
export async function answer(command: AnsweredCommand, options: AnsweringOptions): Promise<Ended | null> {
  const line = lineOf(command.analysis);
  if (!line) return null;
  const { redactor, disk, spillDir } = options;
  const started = performance.now();
  const redacting = redactor.bytes(true);
  const streams = command.streams ? [redactor.bytes(true), redactor.bytes(true)] : undefined;
  const output = new CommandOutput({ ...defaultLimits, spillDir, disk, onLine: command.onLine, redacting, streams });
  const end = { timedOut: false, cancelled: false, flooded: false };
  const late = AbortSignal.timeout(command.timeoutMs);
  const signal = AbortSignal.any([command.signal, late]);
  const views = new RepositoryViews(disk, gitOf(options), signal);
  let exit: number | null = null;
  try {
    exit = await line.run(command.cwd, {
      files: filesFor(options, views),
      now: Date.now() / 1000,
      async breathe() {
        await new Promise((resolve) => setImmediate(resolve));
        if (signal.aborted) throw new Cancelled();
      },
      push(bytes, from) {
        output.push(bytes, from === "out" ? 0 : 1);
        if (output.bytes > most) throw new Flooded();
      },
    });
  } catch (error) {
    if (error instanceof Flooded) end.flooded = true;
    else if (!signal.aborted) throw asModelError(error);
    else if (command.signal.aborted) end.cancelled = true;
    else end.timedOut = true;
  } finally {
    views.close();
    output.close();
  }
  const { bytes, lines, spill } = output;
  const ended = { exit, signal: null, ...end, ...output.end(), output: output.render(), bytes, lines, spill };
  return { ...ended, ms: Math.round(performance.now() - started), leftRunning: 0 };
}

class Flooded extends Error {}

/** What an applet could not do at all. */
function asModelError(error: unknown): unknown {
  return error instanceof AppletError ? new ModelError(`${error.message}.`) : error;
}

function gitOf({ disk, env }: AnsweringOptions): { program: string | null; home: string } {
  return { program: onPath(disk, env["PATH"] ?? "", "git")[0] ?? null, home: env["HOME"] ?? "" };
}

const now = "Nothing was read.";

function filesFor(options: AnsweringOptions, views: RepositoryViews): AppletFiles {
  const { disk, root, addDirs, spillDir, conceals } = options;
  const territory = new Territory(disk, { root, addDirs, readable: [spillDir] });
  let left = most;
  const look = (path: string, self = false): Found => said(() => found(disk, territory, path, self));
  return {
    look,
    conceals,
    above: (path) => said(() => disk.lstatSync(parent(path))),
    async read(path) {
      const { path: place, stat } = look(path);
      if (stat.isDirectory()) throw system("Is a directory");
      const shown = shownPath(territory.cwd, place);
      if (conceals(place)) throw new ModelError(`${shown} is withheld: reading it needs an approval. ${now}`);
      left -= stat.size;
      if (left < 0) throw new ModelError(`${shown} and what was read before it are more than ${most} bytes.`);
      try {
        return await withFile(disk, { path: place, shown, stat }, now, (fd) => readBytes(disk, fd, stat.size));
      } catch (error) {
        throw faultOf(error);
      }
    },
    entries(path) {
      const before = look(path);
      if (!before.stat.isDirectory()) throw system("Not a directory");
      const entries = said(() => disk.readdirSync(before.path, { withFileTypes: true }));
      const after = look(before.path);
      const isSame =
        after.path === before.path && after.stat.dev === before.stat.dev && after.stat.ino === before.stat.ino;
      if (!isSame) throw new ModelError(`${printable(path)} was moved or replaced in this moment. Try again.`);
      return entries;
    },
    target: (path) => said(() => disk.readlinkSync(path, "utf8")),
    owner: owners(disk),
    git: (words, cwd) => views.run(words, cwd),
  };
}

function found(disk: Fs, territory: Territory, path: string, self: boolean): Found {
  const [, above, name] = /^(.*\/)([^/]+)$/.exec(path) ?? [];
  // A directory of the project itself, of which the one above is none.
  if (!territory.isOutside(path) && disk.lstatSync(path, { throwIfNoEntry: false })?.isDirectory())
    return inside(disk, territory, path);
  if (self && above !== undefined && name !== undefined && name !== "." && name !== "..") {
    const directory = inside(disk, territory, above);
    const place = `${directory.path === "/" ? "" : directory.path}/${name}`;
    const stat = disk.lstatSync(place, { throwIfNoEntry: false });
    if (!stat) throw system("No such file or directory");
    return { path: place, stat };
  }
  return inside(disk, territory, path);
}

function inside(disk: Fs, territory: Territory, path: string): Found {
  const resolved = resolvePath(disk, "/", path);
  if (territory.isOutside(resolved.path)) {
    throw new ModelError(`${printable(path)} is outside the project. ${now}`);
  }
  const { stat, blockedBy } = resolved;
  if (blockedBy !== null || (stat && !stat.isDirectory() && path.endsWith("/"))) throw system("Not a directory");
  if (!stat) throw system("No such file or directory");
  return { path: resolved.path, stat };
}

/** Ids as names, as far as the machine's own files have them. */
function owners(disk: Fs): AppletFiles["owner"] {
  const known = new Map<string, Map<string, string>>();
  return (kind, id) => {
    const file = kind === "user" ? "/etc/passwd" : "/etc/group";
    const names = known.get(file) ?? namesIn(readSmall(disk, file, 4 * 1024 * 1024)?.text ?? "");
    known.set(file, names);
    return names.get(String(id)) ?? String(id);
  };
}

function namesIn(text: string): Map<string, string> {
  const rows = text.split("\n").map((line) => line.split(":"));
  return new Map(rows.reverse().flatMap(([name, , id]) => (name && id ? [[id, name]] : [])));
}

const system = (words: string) => new AppletError(words);

/** Runs `act`; what the system says against it comes as an `AppletError`, in its own words. */
function said<Result>(act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    throw faultOf(error);
  }
}

const words: Readonly<Record<string, string>> = {
  ENOENT: "No such file or directory",
  ENOTDIR: "Not a directory",
  EISDIR: "Is a directory",
  EACCES: "Permission denied",
  EPERM: "Operation not permitted",
  ELOOP: "Too many levels of symbolic links",
  ENAMETOOLONG: "File name too long",
};

function faultOf(error: unknown): unknown {
  if (error instanceof PathError) return system("Invalid argument");
  const known = words[codeOf(error) ?? ""];
  return known === undefined || error instanceof ModelError ? error : system(known);
}
