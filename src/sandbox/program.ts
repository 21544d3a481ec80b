// Where the program of the sandbox is. Apart from the rest because a session says at its start whether there is one.

import type { Fs } from "../lib/fs.js";

/** Places of the system only: no project and no PATH names another. */
const places = ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"];

/** Null where there is none, or none that runs here. */
export function sandboxProgram(disk: Pick<Fs, "existsSync">, platform: NodeJS.Platform): string | null {
  if (platform !== "linux") return null;
  return places.find((path) => disk.existsSync(path)) ?? null;
}
