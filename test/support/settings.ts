// Settings on disk: a directory of the user's configuration and one of a project, new for every test, and the loader on them.
// The paths change with every test: `beforeEach(freshSettings)` first.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { type LoadOptions, loadSettings, refuse } from "../../src/config/load.js";
import { UserError } from "../../src/core/errors.js";
import { nodeFs } from "../../src/lib/fs.js";
import { tempDir } from "./run.js";

export let dir = "";
export let configDir = "";
export let projectRoot = "";

export function freshSettings(): void {
  dir = tempDir("cinch-config-");
  configDir = join(dir, "config");
  projectRoot = join(dir, "project");
  mkdirSync(configDir);
  mkdirSync(join(projectRoot, ".cinch"), { recursive: true });
}

export const user = (text: string) => writeFileSync(join(configDir, "settings.json"), text);
export const project = (text: string) => writeFileSync(join(projectRoot, ".cinch", "settings.json"), text);

export type Options = Partial<LoadOptions> & { interactive?: boolean };

/** With `interactive`: as a run loads them, problems that end it thrown. */
export async function load({ interactive, ...more }: Options = {}) {
  const loaded = await loadSettings({ disk: nodeFs, configDir, projectRoot, ...more });
  return interactive === undefined ? loaded : { ...loaded, problems: refuse(loaded.problems, interactive) };
}

export async function refusal(more: Options): Promise<UserError> {
  const error = await load(more).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UserError);
  return error as UserError;
}
