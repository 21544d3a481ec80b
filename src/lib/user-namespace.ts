// A user namespace in which everybody is who they are outside, for root to start programs in that have none of its powers
// over the machine. Linux only, and only root may make one.

import type { Fs } from "./fs.js";
import { startWatched } from "./process.js";

const programs = ["/usr/bin/unshare", "/bin/unshare", "/run/current-system/sw/bin/unshare"];
/** Every id there is. */
const everybody = "0 0 4294967295\n";

/** A descriptor that keeps the namespace alive while it is open; null where none can be made. */
export async function openUserNamespace(
  disk: Pick<Fs, "existsSync" | "openSync" | "writeSync" | "closeSync">,
): Promise<number | null> {
  const program = programs.find((path) => disk.existsSync(path));
  if (program === undefined || process.getuid?.() !== 0) return null;
  const env = { PATH: "/usr/bin:/bin" };
  // It says a word once it is inside, and waits until its input ends.
  const child = startWatched(program, ["--user", "/bin/sh", "-c", "echo in; read -r end"], { cwd: "/", env });
  const over = child.ended.catch(() => undefined);
  try {
    if ((await child.first) !== "in") return null;
    for (const map of ["uid_map", "gid_map"]) writeTo(disk, `/proc/${child.pid}/${map}`, everybody);
    return disk.openSync(`/proc/${child.pid}/ns/user`, "r");
  } catch {
    // A kernel or container that does not allow it: the sandbox does without.
    return null;
  } finally {
    child.write("\n");
    await over;
  }
}

function writeTo(disk: Pick<Fs, "openSync" | "writeSync" | "closeSync">, path: string, text: string): void {
  const fd = disk.openSync(path, "w");
  try {
    disk.writeSync(fd, text);
  } finally {
    disk.closeSync(fd);
  }
}
