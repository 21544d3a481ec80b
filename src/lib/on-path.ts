// Programs on PATH. Only absolute directories of it count: what the others name depends on where somebody stands.

import { delimiter, isAbsolute, join } from "node:path";
import { diskFlags, type Fs } from "./fs.js";

/** Absolute; every directory that has it, in their order. */
export function onPath(disk: Fs, path: string, name: string): string[] {
  const places = path.split(delimiter).filter(isAbsolute);
  return places.map((directory) => join(directory, name)).filter((file) => isProgram(disk, file));
}

export function isProgram(disk: Fs, file: string): boolean {
  try {
    disk.accessSync(file, diskFlags.X_OK);
    return disk.statSync(file).isFile();
  } catch {
    return false; // Not there, or not ours to run: the next directory may have it.
  }
}
