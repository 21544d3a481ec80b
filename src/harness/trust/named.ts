// What an argument names that belongs to the project: it would count as the user's own word, and so needs their trust first.
// Invariant: without trust it ends everything with exit 7 before anything is run, and the first line says what gives trust.

import { join } from "node:path";
import { UserError } from "../../core/errors.js";
import { within } from "../../lib/paths.js";
import type { HarnessOptions } from "../api/index.js";
import type { Place } from "../place.js";

/** An argument, as it is written, and the file of the project that it names. */
export interface Named {
  argument: string;
  what: string;
}

export function namedResource(
  { disk, root }: Pick<Place, "disk" | "root">,
  { settingsFile, jsonSchemaFile }: Pick<HarnessOptions, "settingsFile" | "jsonSchemaFile">,
): Named | null {
  const given: [string, string | undefined][] = [
    ["--settings", settingsFile],
    ["--json-schema", jsonSchemaFile],
  ];
  for (const [argument, path] of given) {
    if (path === undefined || !disk.existsSync(path)) continue;
    const what = disk.realpathSync(path);
    if (within(join(root, ".cinch"), what)) return { argument, what };
  }
  return null;
}

/** `way`: what trusts the project for this one time. */
export function notTrusted({ argument, what }: Named, way = "--trust"): UserError {
  return new UserError(
    `${argument} names ${what}, and this project is not trusted; ${way} trusts it for this run. Nothing was run.`,
    "`cinch trust project` shows what is there and trusts it from now on.",
    7,
  );
}
