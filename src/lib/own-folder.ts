// A folder of Cinch's own inside somebody else's: made where it is missing, and no link on the way to it is followed.
// Invariant: what is written into it lands below `base`, wherever whoever made `base` would have liked to lead it.

import { join } from "node:path";
import { UserError } from "../core/errors.js";
import type { Fs } from "./fs.js";

/** Its path. `base` is a folder that is there. @throws UserError that names what is in the way */
export function ownFolder(disk: Fs, base: string, names: readonly string[]): string {
  let at = base;
  for (const name of names) {
    at = join(at, name);
    if (!disk.lstatSync(at, { throwIfNoEntry: false })) disk.mkdirSync(at);
    const stat = disk.lstatSync(at);
    if (stat.isDirectory()) continue;
    throw new UserError(
      `${at} is ${stat.isSymbolicLink() ? "a link" : "no directory"}, and what Cinch writes below it would be elsewhere.`,
      "Nothing was written there. Look at it, and remove it.",
      1,
    );
  }
  return at;
}
