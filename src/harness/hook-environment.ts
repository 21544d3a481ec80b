// The environments of hooks, by whose they are: the user's own have what commands have, the project's a closed list in which
// nothing of the project names a program (SPEC 1.12).

import type { WrittenHook } from "../core/hook.js";
import { within } from "../lib/paths.js";
import { keyVariables } from "../models/open.js";
import { bareEnvironment } from "../secrets/bare-environment.js";
import { childEnvironment } from "../secrets/environment.js";
import type { Surroundings } from "./surroundings.js";

type Environment = Readonly<Record<string, string>>;

export function hookEnvironments({ env, settings, root }: Surroundings): (level: WrittenHook["level"]) => Environment {
  const where = { CLAUDE_PROJECT_DIR: root, CINCH_PROJECT_DIR: root };
  const own = { ...childEnvironment(env, { ...settings.env, keys: keyVariables(settings.models) }), ...where };
  const bare = { ...bareEnvironment(env, { isInside: (path) => within(root, path) }), ...where };
  return (level) => (level === "project" ? bare : own);
}
