// Deleting a symbolic link: the link itself goes, what it leads to stays, as with rm.
// Invariant: only a name that is a link is removed, and only while it leads where it led when that was planned.
// Its pre-image is its target, with the kind in the mode, so undo makes the link anew. It is done at once and never held
// back: a write that follows makes a file of its own, so there is nothing to make one step of.

import { Refusal } from "../core/errors.js";
import type { FilePlan } from "../core/ports.js";
import { DirectoryHandle } from "../lib/directory-handle.js";
import type { Fs } from "../lib/fs.js";
import { sha256 } from "../lib/hash.js";
import { parent, printable } from "../lib/paths.js";
import type { Ground } from "./commit.js";
import type { Located } from "./territory.js";

export interface LinkChange {
  text: null;
  hash: string;
  bytes: Buffer;
  notes: string[];
}

/** What deleting the link at `located` comes to. */
export function linkDeletion(disk: Fs, { path }: Located): LinkChange {
  const target = targetOf(disk, path);
  const notes = [`a link to ${printable(target.toString())}, which stays`];
  return { text: null, hash: sha256(target), bytes: target, notes };
}

/** Removes the link if it still leads where it did; returns its mode. */
export function removeLink({ disk, preImage, dirty, enter }: Ground, plan: FilePlan): number {
  const directory = DirectoryHandle.open(disk, parent(plan.path));
  try {
    const entry = directory.entry(plan.path.slice(plan.path.lastIndexOf("/") + 1));
    const stat = disk.lstatSync(entry, { throwIfNoEntry: false });
    if (!stat?.isSymbolicLink() || sha256(targetOf(disk, entry)) !== plan.before) throw changed(plan);
    enter?.(directory.path);
    preImage?.(plan.path, targetOf(disk, entry), stat.mode, null, []);
    if (!directory.isHere()) throw changed(plan);
    disk.unlinkSync(entry);
    dirty?.(directory.path);
    return stat.mode;
  } finally {
    directory.close();
  }
}

function targetOf(disk: Fs, path: string): Buffer {
  return Buffer.from(disk.readlinkSync(path, "utf8"));
}

function changed({ shown }: FilePlan): Refusal {
  return new Refusal("stale", `${shown} was changed by somebody else in this moment. Nothing was changed.`, ["list"]);
}
