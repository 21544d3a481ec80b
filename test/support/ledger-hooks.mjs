// The loader half of ledger.mjs: reports every module that is loaded, as `{"load": url}`.

import { appendFileSync } from "node:fs";

let file;

export function initialize(data) {
  file = data.file;
}

export async function load(url, context, next) {
  appendFileSync(file, `${JSON.stringify({ load: url })}\n`);
  return next(url, context);
}
