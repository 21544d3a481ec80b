// Which directories of a search path count as the project's, for what is started unasked.
// Invariant: a directory that can't be examined counts as the project's: nobody knows where it leads, so nothing runs from it.

import { codeOf } from "../core/errors.js";
import type { Fs } from "../lib/fs.js";
import { PathError, resolvePath, within } from "../lib/paths.js";

export function mayBeInside(bases: readonly string[], path: string, disk: Fs): boolean {
  try {
    const place = resolvePath(disk, "/", path).path;
    return bases.some((base) => within(base, place));
  } catch (error) {
    if (error instanceof PathError || codeOf(error) !== undefined) return true;
    throw error;
  }
}
