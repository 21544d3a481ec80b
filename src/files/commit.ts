// Doing what was planned: the premise is checked again, the old bytes are handed out, the new ones take the name at once.
// Invariant: after any error the file is as it was and no temp file is left; after success it is exactly as planned.
// Between the last check of the file and the rename nothing is awaited, so of two changes at once exactly one wins.

import { constants, type Stats } from "node:fs";
import { codeOf, type ModelError, Refusal } from "../core/errors.js";
import type { FileChange } from "../core/plan.js";
import type { FilePlan } from "../core/ports.js";
import { createFile, replaceFile } from "../lib/atomic-file.js";
import type { Fs } from "../lib/fs.js";
import { sha256 } from "../lib/hash.js";
import { parent, resolvePath } from "../lib/paths.js";
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
  const { disk } = ground;
  const directory = parent(plan.path);
  const made = missing(disk, directory);
  try {
    disk.mkdirSync(directory, { recursive: true });
    mustLeadHere(disk, plan);
    ground.enter?.(directory);
    ground.preImage?.(plan.path, null, null, bytes, made);
    await exclusively(ground, plan, bytes);
  } catch (error) {
    for (const each of [...made].reverse()) removeEmpty(disk, each);
    throw error;
  }
  ground.dirty?.(directory);
}

async function exclusively({ disk }: Ground, plan: FilePlan, bytes: Buffer): Promise<void> {
  try {
    await createFile(disk, plan.path, bytes, { verify: () => mustLeadHere(disk, plan) });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    const text = `${plan.shown} was created by somebody else in this moment. ${unchanged}`;
    throw new Refusal("exists", text, ["read", "edit", "append"]);
  }
}

/** Directories that are not there, from the outside in. */
function missing(disk: Fs, directory: string): string[] {
  const found: string[] = [];
  for (let at = directory; at !== "/" && !disk.existsSync(at); at = parent(at)) found.unshift(at);
  return found;
}

/** A directory made for a file that did not come goes again, unless somebody uses it by now. */
function removeEmpty(disk: Fs, directory: string): void {
  try {
    disk.rmdirSync(directory);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
  }
}

async function change(ground: Ground, plan: FilePlan, bytes: Buffer | null): Promise<void> {
  if (bytes === null) return void removeNow(ground, plan);
  const { disk } = ground;
  const { stat, old } = mustStillBe(disk, plan);
  ground.enter?.(parent(plan.path));
  ground.preImage?.(plan.path, old, stat.mode & 0o7777, bytes, []);
  const verify = () => {
    if (!isSame(disk, plan.path, stat)) throw stale(plan);
    mustLeadHere(disk, plan);
  };
  await replaceFile(disk, plan.path, bytes, { mode: stat.mode, owner: { uid: stat.uid, gid: stat.gid }, verify });
  ground.dirty?.(parent(plan.path));
}

/** What is to be removed. */
type Removal = Pick<FilePlan, "path" | "shown" | "before">;

/** Deletes the file if it still is what it was, at once; returns its bytes. */
export function removeNow(ground: Ground, file: Removal): Buffer {
  const { disk } = ground;
  const { stat, old } = mustStillBe(disk, file);
  ground.preImage?.(file.path, old, stat.mode & 0o7777, null, []);
  if (!isSame(disk, file.path, stat)) throw stale(file);
  mustLeadHere(disk, file);
  disk.unlinkSync(file.path);
  ground.dirty?.(parent(file.path));
  return old;
}

/** The bytes now there, when they are the ones planned against. */
function mustStillBe(disk: Fs, plan: Removal): { stat: Stats; old: Buffer } {
  const stat = disk.lstatSync(plan.path, { throwIfNoEntry: false });
  if (!stat)
    throw new Refusal("stale", `${plan.shown} was deleted by somebody else meanwhile. ${unchanged}`, ["create"]);
  const now = readWhole(disk, { path: plan.path, shown: plan.shown, stat }, unchanged);
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

/** No directory on the way became a link since the plan was made. */
function mustLeadHere(disk: Fs, plan: Removal): void {
  if (resolvePath(disk, "/", plan.path).path === plan.path) return;
  throw new Refusal("outside", `${plan.shown} now leads elsewhere, through a new link. ${unchanged}`);
}
