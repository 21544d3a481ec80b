// Adds a line to a small file of Cinch's own: one write, so lines of two processes never mix. 0600 in a 0700 directory.

import { constants } from "node:fs";
import type { Fs } from "./fs.js";
import { parent } from "./paths.js";

export function appendLine(disk: Fs, path: string, line: string): void {
  disk.mkdirSync(parent(path), { recursive: true, mode: 0o700 });
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
  const fd = disk.openSync(path, flags, 0o600);
  try {
    disk.writeSync(fd, line);
  } finally {
    disk.closeSync(fd);
  }
}
