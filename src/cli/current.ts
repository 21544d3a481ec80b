// The settings as they are here and now, for subcommands. `demandSound` is what stands before each of them; what is read
// afterwards refuses nothing, and problems come along.

import { homedir } from "node:os";
import { type HomeDirs, homeDirs } from "../config/home.js";
import { type Loaded, loadSettings } from "../config/load.js";
import { findProject } from "../config/project.js";
import type { SettingsInput } from "../config/schema.js";
import type { RuleCheck } from "../core/policy.js";
import { demandSettings } from "../harness/surroundings.js";
import { createHarness, type Harness } from "../index.js";
import { nodeFs } from "../lib/fs.js";
import { providerNames } from "../models/open.js";
import { type StoredKeys, storedKeys } from "../secrets/key-store.js";
import { readArgs, type Values } from "./args.js";
import { type Flag, sharedFlags } from "./flags.js";
import { pathOf, workingDirectory } from "./setup.js";

/** Where we are, without reading any settings. */
export function currentPlace(values: Values): { root: string; cwd: string; state: string } {
  const { cwd, root } = findProject(nodeFs, workingDirectory(values), homedir());
  return { root, cwd, state: homeDirs(process.env, homedir()).state };
}

/** What is trusted and allowed here, and which languages are served, without a session. */
export function currentHarness(values: Values): Pick<Harness, "trust" | "permissions" | "languages" | "sandbox"> {
  const settingsFile = pathOf(values, "settings");
  return createHarness({ cwd: workingDirectory(values), ...(settingsFile === undefined ? {} : { settingsFile }) });
}

/** Throws, as a run would, for settings with a mistake: a subcommand must not go by something looser. */
export function demandSound(values: Values, flags: readonly Flag[]): Promise<void> {
  const settingsFile = pathOf(values, "settings");
  const given = settingsFile === undefined ? {} : { settingsFile };
  const asks = flags.some(({ name }) => name === "trust");
  const trust = asks && values.has("trust") ? { trust: true } : {};
  const way = asks ? "--trust" : "CINCH_TRUST_PROJECT=1 in the environment";
  return demandSettings({ cwd: workingDirectory(values), ...trust, ...given }, way);
}

export interface Current extends Loaded {
  dirs: HomeDirs;
  cwd: string;
  root: string;
  /** What Cinch keeps for the user, by variable. */
  keys: StoredKeys["keys"];
}

/** `check`: loads the judge of rules, for callers that need to know which of them count. */
export async function currentSettings(
  values: Values,
  check?: (root: string, more: undefined) => Promise<RuleCheck>,
  dirs = homeDirs(process.env, homedir()),
): Promise<Current> {
  const { cwd, root } = findProject(nodeFs, workingDirectory(values), homedir());
  const model = values.text("model");
  const flags: SettingsInput = model === undefined ? {} : { model };
  const loaded = await loadSettings({
    disk: nodeFs,
    configDir: dirs.config,
    projectRoot: root,
    flags,
    settingsFile: pathOf(values, "settings"),
    providers: providerNames(),
    rules: check && (() => check(root, undefined)),
  });
  const { keys } = storedKeys(nodeFs, dirs.config);
  return { ...loaded, dirs, cwd, root, keys };
}

/** The same for a project, without a command line. */
export function currentAt(root: string, dirs: HomeDirs): Promise<Current> {
  return currentSettings(readArgs([`--cwd=${root}`], sharedFlags).values, undefined, dirs);
}
