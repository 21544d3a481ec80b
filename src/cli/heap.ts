// Keeps the process small in long runs: stops node's young generation from growing beyond 4 MB.
// Why: it would grow to 32 MB of short-lived garbage, and the price of starting a command grows with the memory of the
// process that starts it (measured: 1.0 ms at 43 MB, 3.5 ms at 105 MB). Only the program does this, never the SDK:
// the flag is the whole process's. Looked at once a turn and loaded late, so that starting up does not pay for it.

/** The flag is V8's own affair; it was tried with the V8 of Node 20. */
const known = process.versions.v8.startsWith("11.");
const enough = 4 * 1024 * 1024;
const firstLook = 5;

let done = !known;

/** To be called at the beginning of each turn; does nothing once it has taken effect. */
export async function watchYoungGeneration(turn: number): Promise<void> {
  if (done || turn < firstLook) return;
  const v8 = await import("node:v8");
  const young = v8.getHeapSpaceStatistics().find((space) => space.space_name === "new_space");
  if (done || !young || young.space_size < enough) return;
  done = true;
  v8.setFlagsFromString("--semi-space-growth-factor=1");
}
