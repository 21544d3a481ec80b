// Where Cinch finds itself, without settings: the project, the working directory and the state directory. It is all that
// is needed to work on sessions that are not open. Reads nothing but the directories above the working one.

import { homedir } from "node:os";
import { join } from "node:path";
import { type HomeDirs, homeDirs, under } from "../config/home.js";
import { findProject } from "../config/project.js";
import { UserError } from "../core/errors.js";
import type { Clock, Ids } from "../core/ids.js";
import { type Fs, nodeFs } from "../lib/fs.js";
import { systemClock, systemIds } from "../lib/system.js";
import { newest, projectKey, resolveSession, type SessionInfo, sessionDir } from "../session/store.js";
import type { HarnessOptions } from "./api/index.js";

export interface Place {
  root: string;
  cwd: string;
  config: string;
  state: string;
  disk: Fs;
  clock: Clock;
  ids: Ids;
}

export function placeOf(options: HarnessOptions): Place {
  const { fs: disk = nodeFs, clock = systemClock, ids = systemIds } = options;
  const { root, cwd } = findProject(disk, options.cwd, homedir());
  const { config, state } = homeOf(options);
  return { root, cwd, config, state, disk, clock, ids };
}

/** Where Cinch itself writes: no command's doing. Builds are kept in the project, for people to read. */
export function ownGround({ state, root }: Pick<Place, "state" | "root">): string[] {
  return [state, join(root, ".cinch", "build")];
}

/** Where these options keep what is the user's own. */
export function homeOf({ home, env = process.env }: Pick<HarnessOptions, "home" | "env">): HomeDirs {
  return home ? under(home) : homeDirs(env, homedir());
}

/** @throws UserError when there is no such session */
export function sessionAt(
  { disk, state, root }: Pick<Place, "disk" | "state" | "root">,
  named: string | undefined,
): SessionInfo {
  const project = projectKey(root);
  if (named !== undefined) return resolveSession(disk, state, project, named);
  const found = newest(disk, sessionDir(state, project));
  if (!found) throw new UserError(`There is no session of ${root}.`, "Name one: `cinch sessions list --all`.");
  return found;
}
