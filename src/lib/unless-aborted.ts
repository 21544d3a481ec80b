// Waiting for something that somebody may no longer want.
// Invariant: rejects with Cancelled as soon as the signal aborts; the work itself goes on, and how it ends is then nobody's.

import { Cancelled } from "../core/errors.js";

export async function unlessAborted<Outcome>(
  signal: AbortSignal | undefined,
  work: Promise<Outcome>,
): Promise<Outcome> {
  if (!signal) return work;
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(new Cancelled());
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
  try {
    return await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
