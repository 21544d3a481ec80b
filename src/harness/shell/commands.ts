// The analysis of shell commands for one project: the grammar is loaded with the first command, the ground is looked at anew
// for each, since what it says (where a link leads, what git is told to run) can change from one command to the next.

import { homedir } from "node:os";
import type { CommandAnalysis } from "../../core/command.js";
import type { Fs } from "../../lib/fs.js";
import { resolvePath } from "../../lib/paths.js";
import { bareEnvironment } from "../../secrets/bare-environment.js";
import { loadAnalysis } from "../lazy.js";
import { mayBeInside } from "../search-path.js";

export interface CommandsOptions {
  disk: Fs;
  root: string;
  addDirs?: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  /** Where Cinch keeps its own: settings and state. */
  config?: string;
  state?: string;
  /** Is the content of this path not to be shown? */
  conceals?(path: string): boolean;
}

export interface Commands {
  /** `cwd`: canonical directory the command starts in. */
  analyse(command: string, cwd: string): Promise<CommandAnalysis>;
  /** The environment of commands that run unasked; the analysis holds in no other. */
  readonly env: Readonly<Record<string, string>>;
}

export function createCommands(options: CommandsOptions): Commands {
  const { disk, root: given, addDirs = [], env: whole } = options;
  const canonical = (path: string) => resolvePath(disk, "/", path).path;
  const [root = "/", ...added] = [given, ...addDirs].map(canonical);
  const home = canonical(whole["HOME"] || homedir());
  const own = [options.config, options.state].flatMap((path) => (path === undefined ? [] : [canonical(path)]));
  const lent = own.flatMap((directory) => [`${directory}/spill`, `${directory}/tasks`]);
  const env = bareEnvironment(whole, { isInside: (path) => mayBeInside([root, ...added], path, disk) });
  return {
    env,
    async analyse(command, cwd) {
      const { analyst, createGround } = await loadAnalysis();
      const place = { disk, root, bases: [root, ...added], home, path: env["PATH"] ?? "", own, lent };
      const ground = createGround(options.conceals ? { ...place, conceals: options.conceals } : place);
      return analyst.analyse(command, cwd, ground);
    },
  };
}
