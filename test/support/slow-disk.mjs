// Preloaded with `node --import`: every look at an entry of the project and every opening in it waits CINCH_SLOW_MS milliseconds, as on a
// slow disk or a busy machine. Nothing else is changed, so whatever then comes out differently depended on time.

import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const project = process.env["CINCH_SLOW_PROJECT"] ?? "/";
const ms = Number(process.env["CINCH_SLOW_MS"]);
const cell = new Int32Array(new SharedArrayBuffer(4));

for (const name of ["lstatSync", "openSync", "readdirSync"]) {
  const original = fs[name];
  fs[name] = function (path, ...rest) {
    if (String(path).startsWith(`${project}/`)) Atomics.wait(cell, 0, 0, ms);
    return original.call(this, path, ...rest);
  };
}
syncBuiltinESMExports();
