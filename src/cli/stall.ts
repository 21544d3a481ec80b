// When the program begins to be watched for hanging: after a second, or with the first call if that comes sooner.
// What is watched, and what is said, is in watch.ts, which is not on the start path.

let begun = false;

export function watchLoop(): void {
  if (begun) return;
  begun = true;
  // Without the watchdog the program does its work all the same; it may be out of file descriptors, for example.
  void import("./watch.js").then(
    ({ watch }) => watch(process.env["CINCH_STALL_MS"]),
    () => {},
  );
}
