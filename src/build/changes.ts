// What a task of a build changed, put together from what its agents and its acceptance commands are known to have changed. Pure,
// but for the look whether a file still stands.
// Invariant: each path once, with what it was before all of it and what it is after; what came to nothing is not listed.

import { join, relative } from "node:path";
import type { FileChange } from "../core/plan.js";
import type { Ground } from "./completeness.js";

/** Paths from the root, whatever they were given from. */
export function fromRoot(root: string, files: readonly FileChange[]): FileChange[] {
  return files.map((change) => ({ ...change, path: relative(root, join(root, relative(root, change.path))) }));
}

/** What an agent made and took back again is in no record any more. */
export function standing({ root, disk }: Ground, files: readonly FileChange[]): FileChange[] {
  return files.map((change) => {
    const isGone = change.after !== null && !disk.lstatSync(join(root, change.path), { throwIfNoEntry: false });
    return isGone ? { ...change, after: null } : change;
  });
}

/** Net over two stretches of work, in this order. */
export function merged(before: readonly FileChange[], after: readonly FileChange[]): FileChange[] {
  const net = new Map(before.map((change) => [change.path, change]));
  for (const change of after) {
    const first = net.get(change.path);
    net.set(change.path, first ? { ...change, before: first.before } : change);
  }
  return listed(net);
}

/**
 * Net of what its agents did and of what its commands did, oldest first, between their attempts: which of the two came last at
 * a path is told by what each of them found there.
 */
export function withCommands(agents: readonly FileChange[], commands: readonly FileChange[]): FileChange[] {
  const net = new Map(agents.map((change) => [change.path, change]));
  for (const [path, [first, ...more]] of byPath(commands)) {
    if (!first) continue;
    const last = more.at(-1) ?? first;
    const agent = net.get(path);
    if (!agent) {
      net.set(path, { ...last, before: first.before });
      continue;
    }
    const beganThere = first.after === agent.before && first.before !== agent.after;
    const wentOn = [first, ...more].some(({ before }) => before === agent.after);
    const before = beganThere ? first.before : agent.before;
    net.set(path, wentOn ? { ...agent, ...last, before } : { ...agent, before });
  }
  return listed(net);
}

/** Those of a path, with what followed directly on each other as one. */
function byPath(changes: readonly FileChange[]): Map<string, FileChange[]> {
  const found = new Map<string, FileChange[]>();
  for (const change of changes) {
    const own = found.get(change.path) ?? [];
    const last = own.at(-1);
    if (last && last.after === change.before) own.splice(-1, 1, { ...change, before: last.before });
    else own.push(change);
    found.set(change.path, own);
  }
  return found;
}

function listed(net: ReadonlyMap<string, FileChange>): FileChange[] {
  return [...net.values()].filter((change) => change.before !== change.after || change.mode);
}
