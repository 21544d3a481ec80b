// The whole text of a file that may not be there, or may go while it is looked at. Only for what this program or the kernel
// writes: what others may have put there is read by small-file.ts, which neither blocks nor reads without end.

import { codeOf } from "../core/errors.js";
import type { Fs } from "./fs.js";

/** Null when there is no such file, process or directory; other faults are thrown. */
export function textAt(disk: Fs, path: string): string | null {
  try {
    return disk.readFileSync(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ESRCH" || codeOf(error) === "ENOTDIR") return null;
    throw error;
  }
}
