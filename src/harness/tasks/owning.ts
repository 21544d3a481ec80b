// Which agent of a session a file belongs to, of those that are at work: what was said to be its own when it was given its task.
// Invariant: nobody owns against itself or against those it works for; without owners every answer is null, at no cost.

import { relative } from "node:path";
import { ownedBy } from "../../lib/ownership.js";
import { within } from "../../lib/paths.js";
import type { Kin } from "./kin.js";

/** A test for absolute paths; null = nothing in particular. */
export function ownsOf(owns: readonly string[] | undefined, cwd: string): Kin["owns"] {
  if (!owns || owns.length === 0) return null;
  const isOwned = ownedBy(owns);
  return (path) => within(cwd, path) && isOwned(relative(cwd, path));
}

/** The agent that this path belongs to and that is in the way of `self`; null = nobody. */
function ownerOf(self: Kin, path: string): Kin | null {
  const line = new Set<string>();
  for (let kin: Kin | null = self; kin; kin = kin.above) line.add(kin.session);
  for (const kin of self.at.kin.values()) {
    if (kin.owns === null || line.has(kin.session) || kin.top.session !== self.top.session) continue;
    if (kin.owns(path) && !isOwn(self, path)) return kin;
  }
  return null;
}

/** Whose a path is that this agent has not claimed, as claims name it. */
export function ownerFor(self: Kin): (path: string) => { agent: string; session: string } | null {
  return (path) => {
    const kin = ownerOf(self, path);
    return (
      kin && { agent: kin.name === kin.agent ? kin.agent : `${kin.name} (task ${kin.agent})`, session: kin.session }
    );
  };
}

/** It, or one of those it works for, owns the path as well. */
function isOwn(self: Kin, path: string): boolean {
  for (let kin: Kin | null = self; kin; kin = kin.above) if (kin.owns?.(path)) return true;
  return false;
}
