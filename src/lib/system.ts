// The real clock and the real source of ids, behind the ports of core/ids.ts.

import { randomBytes } from "node:crypto";
import { type Clock, type Ids, idFromBytes } from "../core/ids.js";

export const systemClock: Clock = {
  now: () => Date.now(),
  // Not performance.now(): its first use makes node load all of perf_hooks.
  mono() {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1e3 + nanoseconds / 1e6;
  },
  sleep(ms, signal) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const stop = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", stop);
        resolve();
      }, ms);
      signal?.addEventListener("abort", stop, { once: true });
      return undefined;
    });
  },
};

/** Random bytes are taken from the system in blocks: a turn needs about ten ids, and each request costs as much as a block. */
let block = randomBytes(0);
let used = 0;

export const systemIds: Ids = {
  next() {
    if (used + 8 > block.length) {
      block = randomBytes(4096);
      used = 0;
    }
    used += 8;
    return idFromBytes(block.subarray(used - 8, used));
  },
};
