// Doing what was planned: the premise is checked again, the old bytes are handed out, the new ones take the name at once.
// Invariant: after any error the file is as it was and no temp file is left; after success it is exactly as planned.
// Between the last check of the file and the rename nothing is awaited, so of two changes at once exactly one wins.

import { constants, type Stats } from "node:fs";
import { codeOf, type ModelError, Refusal } from "../core/errors.js";
import type { FileChange } from "../core/plan.js";
import type { FilePlan } from "../core/ports.js";
import { createFile, replaceFile } from "../lib/atomic-file.js";
import { DirectoryHandle, MovedError } from "../lib/directory-handle.js";
import type { Fs } from "../lib/fs.js";
import { sha256 } from "../lib/hash.js";
import { parent } from "../lib/paths.js";
import { isSame, readWhole } from "./bytes.js";
import { asModelError } from "./fault.js";
import { removeLink } from "./link.js";
import type { Work } from "./plan.js";
import type { ClaimGuard } from "./territory.js";

/**
 * Gets the bytes a change is about to replace (null = the file is new) and those to come (null = it goes), before the
 * file is changed. `directories`: made for it a moment ago.
 */
export type PreImage = (
  path: string,
  bytes: Buffer | null,
  mode: number | null,
  after: Buffer | null,
  directories: readonly string[],
) => void;

export interface Ground {
  disk: Fs;
  /** Told of each directory in which a file is about to be written. */
  enter?: (directory: string) => void;
  /** Makes the file this agent's before anything is done to it. */
  claims?: Pick<ClaimGuard, "take">;
  preImage?: PreImage;
  /** Told of each directory in which a name changed, to be synced at the next barrier. */
  dirty?: (directory: string) => void;
}

export function groundOf(
  disk: Fs,
  { claims, preImage, dirty, enter }: { [Key in keyof Ground]?: Ground[Key] },
): Ground {
  return {
    disk,
    ...(claims ? { claims } : {}),
    ...(preImage ? { preImage } : {}),
    ...(dirty ? { dirty } : {}),
    ...(enter ? { enter } : {}),
  };
}

const unchanged = "Nothing was changed.";

/** Returns the change of kind or permissions, where the content does not say it all. */
export async function carryOut(ground: Ground, plan: FilePlan, work: Work): Promise<Pick<FileChange, "mode">> {
  try {
    if (work.deed !== "nothing") ground.claims?.take(plan);
    if (work.deed === "unlink") return { mode: { before: removeLink(ground, plan), after: null } };
    if (work.deed === "nothing") mustStillBe(ground.disk, plan);
    else if (work.deed === "create") await create(ground, plan, work.bytes ?? Buffer.alloc(0));
    else await change(ground, plan, work.bytes);
    return {};
  } catch (error) {
    throw asModelError(error, plan.shown, unchanged);
  }
}

async function create(ground: Ground, plan: FilePlan, bytes: Buffer): Promise<void> {
  const way = new WayTo(ground.disk, parent(plan.path));
  try {
    const directory = way.open();
    const name = nameOf(plan.path);
    ground.enter?.(directory.path);
    ground.preImage?.(plan.path, null, null, bytes, way.made);
    await exclusively(ground, plan, { directory, name, bytes });
  } catch (error) {
    way.undo();
    throw error;
  } finally {
    way.close();
  }
  ground.dirty?.(parent(plan.path));
}

/** The directories from the nearest one that is there down to the one a new file is to be in. */
class WayTo {
  readonly made: string[] = [];
  readonly #disk: Fs;
  readonly #directory: string;
  readonly #handles: { handle: DirectoryHandle; made: boolean }[] = [];

  constructor(disk: Fs, directory: string) {
    this.#disk = disk;
    this.#directory = directory;
  }

  /** Makes those that are missing. */
  open(): DirectoryHandle {
    const missing = missingNames(this.#disk, this.#directory);
    let handle = DirectoryHandle.open(this.#disk, missing.at);
    this.#handles.push({ handle, made: false });
    for (const name of missing.names) {
      const next = handle.enter(name);
      this.#handles.push(next);
      handle = next.handle;
      if (next.made) this.made.push(handle.path);
    }
    return handle;
  }

  /** A directory made for a file that did not come goes again, unless somebody uses it by now. */
  undo(): void {
    for (let i = this.#handles.length - 1; i > 0; i--) {
      const above = this.#handles[i - 1];
      const each = this.#handles[i];
      if (each?.made) above?.handle.removeEmpty(nameOf(each.handle.path));
    }
  }

  close(): void {
    for (const { handle } of this.#handles) handle.close();
  }
}

/** Where a path ends that exists, and the names of directories that are missing below. */
function missingNames(disk: Fs, directory: string): { at: string; names: string[] } {
  const names: string[] = [];
  let at = directory;
  for (; at !== "/" && !disk.existsSync(at); at = parent(at)) names.unshift(nameOf(at));
  return { at, names };
}

/** An entry of a directory that is held open, and what it is to hold. */
interface Target {
  directory: DirectoryHandle;
  name: string;
  bytes: Buffer;
}

async function exclusively({ disk }: Ground, plan: FilePlan, { directory, name, bytes }: Target): Promise<void> {
  try {
    await createFile(disk, directory.entry(name), bytes, { verify: () => mustBeHere(directory) });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    const text = `${plan.shown} was created by somebody else in this moment. ${unchanged}`;
    throw new Refusal("exists", text, ["read", "edit", "append"]);
  }
  if (!directory.wasMoved()) return;
  disk.unlinkSync(directory.entry(name));
  throw new MovedError(plan.path);
}

async function change(ground: Ground, plan: FilePlan, bytes: Buffer | null): Promise<void> {
  if (bytes === null) return void removeNow(ground, plan);
  const directory = openDirectoryOf(ground.disk, plan);
  try {
    await replace(ground, plan, { directory, name: nameOf(plan.path), bytes });
  } finally {
    directory.close();
  }
  ground.dirty?.(directory.path);
}

async function replace(ground: Ground, plan: FilePlan, { directory, name, bytes }: Target): Promise<void> {
  const { disk } = ground;
  const entry = directory.entry(name);
  const { stat, old } = mustStillBe(disk, plan, entry);
  ground.enter?.(directory.path);
  ground.preImage?.(plan.path, old, stat.mode & 0o7777, bytes, []);
  const kept = { mode: stat.mode, owner: { uid: stat.uid, gid: stat.gid } };
  const verify = () => {
    if (!isSame(disk, entry, stat)) throw stale(plan);
    mustBeHere(directory);
  };
  await replaceFile(disk, entry, bytes, { ...kept, verify });
  if (!directory.wasMoved()) return;
  await replaceFile(disk, entry, old, kept);
  throw new MovedError(plan.path);
}

/** What is to be removed. */
type Removal = Pick<FilePlan, "path" | "shown" | "before">;

/** Deletes the file if it still is what it was, at once; returns its bytes. */
export function removeNow(ground: Ground, file: Removal): Buffer {
  const { disk } = ground;
  const directory = openDirectoryOf(disk, file);
  try {
    const entry = directory.entry(nameOf(file.path));
    const { stat, old } = mustStillBe(disk, file, entry);
    ground.preImage?.(file.path, old, stat.mode & 0o7777, null, []);
    if (!isSame(disk, entry, stat)) throw stale(file);
    mustBeHere(directory);
    disk.unlinkSync(entry);
    ground.dirty?.(directory.path);
    return old;
  } finally {
    directory.close();
  }
}

/** The bytes now there, when they are the ones planned against. `entry`: how to reach them, when not by their path. */
function mustStillBe(disk: Fs, plan: Removal, entry = plan.path): { stat: Stats; old: Buffer } {
  const stat = disk.lstatSync(entry, { throwIfNoEntry: false });
  if (!stat) throw gone(plan);
  const now = readWhole(disk, { path: plan.path, shown: plan.shown, stat, entry }, unchanged);
  if (sha256(now.bytes) !== plan.before) throw stale(plan);
  return { stat: now.stat, old: now.bytes };
}

/** Throws what stands in the way of changing or deleting the file, which stays as it is. */
export function mustBeChangeable(ground: Ground, plan: FilePlan): void {
  try {
    ground.claims?.take(plan);
    mustStillBe(ground.disk, plan);
    ground.disk.accessSync(parent(plan.path), constants.W_OK | constants.X_OK);
  } catch (error) {
    throw asModelError(error, plan.shown, unchanged);
  }
}

/** What happens beside the content when a file is replaced, for the reader of the plan. */
export function sideEffects(stat: Stats): string[] {
  const notes: string[] = [];
  if (stat.nlink > 1) notes.push("it had further hard links; they keep the old content");
  const user = process.geteuid?.();
  if (user !== undefined && user !== 0 && stat.uid !== user) notes.push("it now belongs to the current user");
  return notes;
}

function stale(plan: Removal): ModelError {
  return new Refusal("stale", `${plan.shown} was changed by somebody else in this moment. ${unchanged}`, ["read"]);
}

function openDirectoryOf(disk: Fs, file: Removal): DirectoryHandle {
  try {
    return DirectoryHandle.open(disk, parent(file.path));
  } catch (error) {
    throw codeOf(error) === "ENOENT" ? gone(file) : error;
  }
}

/** No directory on the way became a link since the plan was made. */
function mustBeHere(directory: DirectoryHandle): void {
  if (!directory.isHere()) throw new MovedError(directory.path);
}

function gone({ shown }: Removal): Refusal {
  return new Refusal("stale", `${shown} was deleted by somebody else meanwhile. ${unchanged}`, ["create"]);
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
