// Preloaded into the program: when a file called hang-<way> appears in its directory, its event loop turns no more.

import { spawnSync } from "node:child_process";
import { watch } from "node:fs";

const ways = {
  loop: () => {
    for (;;);
  },
  expression: () => /^(a+)+$/.test(`${"a".repeat(100)}b`),
  promises: async () => {
    for (;;) await null;
  },
  lock: () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
  child: () => spawnSync("sleep", ["3600"]),
};

watch(process.cwd(), (_, name) => void ways[name?.replace(/^hang-/, "")]?.()).unref();
