// Who made a line: back through the contents that calls left behind, until one of them brought the line in.
// Invariant: pure; contents are compared, nothing is guessed. A line that appeared between two calls was made outside.

import type { Step } from "./history.js";
import { lines, type Region, regions } from "./merge.js";

export type Origin =
  /** `replaced`: the lines that stood there before. */
  | { made: "call"; step: Step; replaced: string[] }
  /** After `since` and before `until`, where there are such calls. */
  | { made: "outside"; since: Step; until: Step | null }
  /** Before the first call that is known. */
  | { made: "before"; first: Step | null }
  | { made: "unknown"; why: string };

/** `steps` that changed `path`, oldest first. `line` from 0. */
export function originOf(
  path: string,
  line: number,
  now: Buffer,
  steps: readonly Step[],
  content: (hash: string) => Buffer | undefined,
): Origin {
  let text = lines(now);
  let at = line;
  let until: Step | null = null;
  for (const step of [...steps].reverse()) {
    const change = step.changes.find((each) => each.path === path);
    if (!change) continue;
    const { before, after } = change;
    if (!after) return { made: "outside", since: step, until };
    const left = content(after.hash);
    const found = before ? content(before.hash) : Buffer.alloc(0);
    if (!left || !found) return { made: "unknown", why: `what ${step.call} worked on was not kept` };
    const outside = traced(lines(left), text, at);
    if (outside === null) return { made: "unknown", why: "its versions differ too much" };
    if (typeof outside !== "number") return { made: "outside", since: step, until };
    const own = traced(lines(found), lines(left), outside);
    if (own === null) return { made: "unknown", why: "its versions differ too much" };
    if (typeof own !== "number") return { made: "call", step, replaced: lines(found).slice(own.from, own.to) };
    text = lines(found);
    at = own;
    until = step;
  }
  return { made: "before", first: until };
}

/** Where a line of `fresh` was in `old`; the region when it was not there; null when that cannot be told. */
function traced(old: string[], fresh: string[], line: number): number | Region | null {
  const changed = regions(old, fresh);
  if (!changed) return null;
  let shift = 0;
  for (const region of changed) {
    const start = region.from + shift;
    if (line < start) break;
    if (line < start + region.lines.length) return region;
    shift += region.lines.length - (region.to - region.from);
  }
  return line - shift;
}
