// Preloaded with `node --import`: ends the process as `kill -9` does right before or right after a file gets its new content or goes.
// CINCH_KILL_AT is `before:<name>` or `after:<name>`, the name of the file without its directory.

import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { basename } from "node:path";

const [when, name] = (process.env["CINCH_KILL_AT"] ?? ":").split(":");

function die() {
  process.kill(process.pid, "SIGKILL");
  // The signal is on its way; nothing more is to happen until it is there.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

for (const [call, at] of Object.entries({ renameSync: 1, linkSync: 1, unlinkSync: 0 })) {
  const original = fs[call];
  fs[call] = function (...paths) {
    const isIt = basename(String(paths[at])) === name;
    if (isIt && when === "before") die();
    const done = original.apply(this, paths);
    if (isIt && when === "after") die();
    return done;
  };
}
syncBuiltinESMExports();
