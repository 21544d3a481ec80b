// Preloaded with `node --import`: writes to the file CINCH_LEDGER which modules a program loads, which paths it opens
// and when its first HTTP request leaves, one JSON object a line, in order. Counts, so that a start-up test needs no clock.
// Loads are reported by a loader thread (ledger-hooks.mjs); each is written before the module can run.

import fs from "node:fs";
import http from "node:http";
import https from "node:https";
import { createRequire, register, syncBuiltinESMExports } from "node:module";

const file = process.env["CINCH_LEDGER"];
const append = fs.appendFileSync;
// One opening is noted once: functions of node:fs call each other, and noting opens a file as well.
let inside = false;
const quietly = (act) => {
  const outer = inside;
  inside = true;
  try {
    return act();
  } finally {
    inside = outer;
  }
};
const note = (entry) => quietly(() => append(file, `${JSON.stringify(entry)}\n`));

register("./ledger-hooks.mjs", import.meta.url, { data: { file } });

// CommonJS modules that ESM imports pass the hooks; what they require in turn does not, so it is seen here.
const { Module } = createRequire(import.meta.url)("node:module");
const load = Module._load;
Module._load = function (request, ...rest) {
  if (!request.startsWith("node:")) note({ require: request });
  return load.call(this, request, ...rest);
};

const opening = ["openSync", "readFileSync", "writeFileSync", "appendFileSync", "readdirSync", "opendirSync"];
for (const name of opening) {
  const original = fs[name];
  fs[name] = function (path, ...rest) {
    if (!inside && typeof path !== "number") note({ open: String(path) });
    return quietly(() => original.call(this, path, ...rest));
  };
}

let asked = false;
const noteRequest = (to) => {
  if (!asked) note({ request: String(to) });
  asked = true;
};
const { fetch } = globalThis;
globalThis.fetch = function (input, ...rest) {
  noteRequest(input?.url ?? input);
  return fetch.call(this, input, ...rest);
};
for (const protocol of [http, https]) {
  const { request } = protocol;
  protocol.request = function (input, ...rest) {
    noteRequest(input);
    return request.call(this, input, ...rest);
  };
}
syncBuiltinESMExports();
