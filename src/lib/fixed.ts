// A clock and a source of ids that do the same in every run, so that transcripts of tests are byte-stable.
// Invariant: time moves only when somebody sleeps or calls `advance`; nothing here waits.

import { type Clock, type Ids, idFromBytes } from "../core/ids.js";

export interface FixedClock extends Clock {
  /** Moves both the wall time and the monotonic time on. */
  advance(ms: number): void;
}

/** Starts at `start` (milliseconds since the epoch). `sleep` resolves at once and moves the time on by its argument. */
export function fixedClock(start: number = Date.UTC(2026, 0, 1)): FixedClock {
  let passed = 0;
  return {
    now: () => start + passed,
    mono: () => passed,
    advance: (ms) => {
      passed += ms;
    },
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      passed += ms;
    },
  };
}

/** Ids 000000000001, 000000000002, … in the format of real ones. */
export function countedIds(): Ids {
  let last = 0;
  const bytes = new DataView(new ArrayBuffer(8));
  return {
    next: () => {
      last += 1;
      bytes.setUint32(4, last);
      return idFromBytes(new Uint8Array(bytes.buffer));
    },
  };
}
