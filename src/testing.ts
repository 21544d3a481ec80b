// The entry point `cinch/testing`: what tests of programs built on Cinch need to be fast and byte-stable.
// Deliberately small: a model that follows a script, a clock and ids that do not vary, all for `createHarness`.

import type { Model } from "./core/model.js";
import { nodeFs } from "./lib/fs.js";
import { systemClock } from "./lib/system.js";
import { factsOf } from "./models/catalog.js";
import type { ScriptItem } from "./models/script.js";
import { scriptedModel as follow } from "./models/scripted.js";

export { countedIds, type FixedClock, fixedClock } from "./lib/fixed.js";
export type { ScriptItem } from "./models/script.js";

/**
 * A model that answers with `items`, one per request, and with "done" after the last. No key, no network.
 * The items are those of a script file (docs/models.md); `{{file:…}}` in them is found from the working directory.
 */
export function scriptedModel(items: readonly ScriptItem[]): Model {
  const world = { cwd: process.cwd(), fs: nodeFs, clock: systemClock, facts: factsOf("scripted/inline") };
  return follow({ ...world, id: "scripted/inline", model: "inline" }, items);
}
