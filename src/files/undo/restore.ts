// Doing what an undo planned: files, links, directories and modes become what they were.
// Invariant: each file and link is old or new, never half; a file that changed since it was looked at stops everything.
// Order: directories are opened; what goes, goes first, from the inside out; then directories, files and links; modes of
// directories last. When something fails, directories are closed again.

import { codeOf, UserError } from "../../core/errors.js";
import { replaceFile, sweepTemps, syncDirectory } from "../../lib/atomic-file.js";
import type { Fs } from "../../lib/fs.js";
import { parent, within } from "../../lib/paths.js";
import { isTempName, tempName } from "../../lib/temp-name.js";
import { isSame } from "../bytes.js";
import { isDirectory, isLink, permissions } from "../mode.js";
import type { State } from "./history.js";
import type { PresentFiles } from "./present.js";
import type { Conflict, UndoItem, UndoPlan } from "./undo.js";

const isDir = (state: State | null) => state !== null && state.mode !== null && isDirectory(state.mode);
const isSymlink = (state: State | null) => state !== null && state.mode !== null && isLink(state.mode);

/**
 * Fits a plan to what else is on the disk: a directory that would not be empty stays, and is a conflict when something
 * else has to take its place.
 */
export function fitted(disk: Fs, plan: UndoPlan): UndoPlan {
  const leaving = new Set(plan.items.filter(({ to }) => to === null).map(({ path }) => path));
  const conflicts: Conflict[] = [...plan.conflicts];
  const items: UndoItem[] = [];
  // From the inside out, so that a directory knows whether the ones in it stay.
  for (const item of [...plan.items].reverse()) {
    const stays = isDir(item.from) && !isDir(item.to) && !emptied(disk, item.path, leaving);
    if (!stays) items.unshift(item);
    else if (item.to === null) leaving.delete(item.path);
    else conflicts.push({ path: item.path, call: "", why: "is a directory now, with something else in it" });
  }
  return { ...plan, items, conflicts };
}

function emptied(disk: Fs, directory: string, leaving: ReadonlySet<string>): boolean {
  const names = namesIn(disk, directory);
  return names?.every((name) => leaving.has(`${directory}/${name}`)) ?? false;
}

/** Null when it cannot be read: then something may be in it. What a killed undo left there is nothing. */
function namesIn(disk: Fs, directory: string): string[] | null {
  try {
    return disk.readdirSync(directory).filter((name) => !isTempName(name));
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return null;
  }
}

export interface Restore {
  disk: Fs;
  present: PresentFiles;
  content(hash: string): Buffer | undefined;
}

/** Files that are written at once: each waits for the disk, and the disk takes many in one go. */
const atOnce = 64;

/** Throws the first thing that fails; what was done until then stays done. `done`: told how many files are in place. */
export async function restore(
  ground: Restore,
  items: readonly UndoItem[],
  done: (files: number) => void = () => {},
): Promise<void> {
  const { disk } = ground;
  const directories = new Set(items.map(({ path }) => parent(path)));
  // What a killed process left half done may be a second name of a file, and lies in directories that are to go.
  const inside = items.flatMap(({ path, from, to }) => (isDir(from) && !isDir(to) ? [path] : []));
  for (const directory of new Set([...directories, ...inside])) sweepTemps(disk, directory);
  await ground.present.renew(items.map(({ path }) => path));
  const closed = open(disk, items);
  try {
    await restoreOpen(ground, items, done);
  } catch (error) {
    for (const { path, mode } of closed) if (disk.existsSync(path)) disk.chmodSync(path, mode);
    throw error;
  }
  const there = [...directories].filter((directory) => disk.existsSync(directory));
  await inBatches(there, (directory) => syncDirectory(disk, directory));
}

/** Directories that do not let their entries be changed do so for now; returns what they were. */
function open(disk: Fs, items: readonly UndoItem[]): { path: string; mode: number }[] {
  const closed = items.flatMap(({ path, from }) => {
    const mode = from && isDir(from) && from.mode !== null ? permissions(from.mode) : 0o700;
    const inside = (mode & 0o300) !== 0o300 && items.some((item) => item.path !== path && within(path, item.path));
    return inside ? [{ path, mode }] : [];
  });
  for (const { path, mode } of closed) disk.chmodSync(path, mode | 0o700);
  return closed;
}

async function restoreOpen(ground: Restore, items: readonly UndoItem[], done: (files: number) => void): Promise<void> {
  const { disk } = ground;
  const inwards = [...items].sort((a, b) => b.path.length - a.path.length);
  for (const item of inwards) {
    if (item.from && !isDir(item.from) && (item.to === null || isDir(item.to))) remove(ground, item);
  }
  for (const { path, from, to } of inwards) if (isDir(from) && !isDir(to)) disk.rmdirSync(path);
  for (const { path, from, to } of items) if (isDir(to) && !isDir(from)) disk.mkdirSync(path, { recursive: true });
  const files = items.filter(({ to }) => to && !isDir(to));
  await inBatches(files, (item) => put(ground, item, item.to as State), done);
  for (const { path, to } of inwards) {
    if (to && isDir(to) && to.mode !== null) disk.chmodSync(path, permissions(to.mode));
  }
}

/** Throws when a whole batch has come to its end. */
async function inBatches<Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<void>,
  done: (count: number) => void = () => {},
): Promise<void> {
  for (let at = 0; at < items.length; at += atOnce) {
    const results = await Promise.allSettled(items.slice(at, at + atOnce).map(act));
    for (const result of results) if (result.status === "rejected") throw result.reason;
    done(Math.min(at + atOnce, items.length));
  }
}

function remove({ disk, present }: Restore, { path }: UndoItem): void {
  mustStand(disk, present, path);
  disk.unlinkSync(path);
}

async function put({ disk, present, content }: Restore, { path, from, action }: UndoItem, to: State): Promise<void> {
  if (action === "mode") {
    mustStand(disk, present, path);
    // Never setuid or setgid on a file: what made it safe to carry them is not known any more.
    if (to.mode !== null) disk.chmodSync(path, permissions(to.mode) & 0o777);
    return;
  }
  const bytes = content(to.hash);
  if (!bytes) throw new Error(`undo: the content for ${path} is gone`);
  disk.mkdirSync(parent(path), { recursive: true });
  const verify = () => mustStand(disk, present, path);
  if (isSymlink(to)) {
    putLink(disk, path, bytes, verify);
    return;
  }
  const before = isDir(from) || isSymlink(from) ? null : present.stat(path);
  const mode = to.mode ?? before?.mode;
  await replaceFile(disk, path, bytes, {
    verify,
    ...(mode === undefined ? {} : { mode: permissions(mode) }),
    ...(before ? { owner: { uid: before.uid, gid: before.gid } } : {}),
  });
}

function putLink(disk: Fs, path: string, target: Buffer, verify: () => void): void {
  const temp = `${parent(path)}/${tempName()}`;
  disk.symlinkSync(target.toString(), temp);
  try {
    verify();
    disk.renameSync(temp, path);
  } catch (error) {
    disk.rmSync(temp, { force: true });
    throw error;
  }
}

/** What was looked at must still be there; a directory that has just been removed for a file counts as gone. */
function mustStand(disk: Fs, present: PresentFiles, path: string): void {
  const stat = present.stat(path);
  const stands =
    stat && !stat.isDirectory() ? isSame(disk, path, stat) : !disk.lstatSync(path, { throwIfNoEntry: false });
  if (stands) return;
  throw new UserError(`${path} was changed in this moment.`, "Run cinch undo again.", 1);
}
