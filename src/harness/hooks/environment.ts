// What hooks get, by whose they are. The user's own: the environment that commands have, and every text as it is. The
// project's: a closed list of variables in which nothing of the project names a program (SPEC 1.12), and text without secrets.

import type { WrittenHook } from "../../core/hook.js";
import type { JsonObject } from "../../core/json.js";
import { within } from "../../lib/paths.js";
import { keyVariables } from "../../models/open.js";
import { bareEnvironment } from "../../secrets/bare-environment.js";
import { childEnvironment } from "../../secrets/environment.js";
import { knownSecrets } from "../../secrets/known.js";
import { redactedData } from "../../secrets/redacted.js";
import type { Surroundings } from "../surroundings.js";

type Environment = Readonly<Record<string, string>>;

export function hookEnvironments({ env, settings, root }: Surroundings): (level: WrittenHook["level"]) => Environment {
  const where = { CLAUDE_PROJECT_DIR: root, CINCH_PROJECT_DIR: root };
  const own = { ...childEnvironment(env, { ...settings.env, keys: keyVariables(settings.models) }), ...where };
  const bare = { ...bareEnvironment(env, { isInside: (path) => within(root, path) }), ...where };
  return (level) => (level === "project" ? bare : own);
}

export function toldHook(level: WrittenHook["level"], payload: JsonObject): JsonObject {
  return level === "project" ? redactedData(payload, (text) => knownSecrets.all(text)) : payload;
}
