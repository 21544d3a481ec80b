// Looks through an object store (object-store.ts) and says what is damaged in it and what unfinished writes have left there.
// Invariant: reads only, one object in memory at a time.

import { codeOf } from "../core/errors.js";
import type { Fs } from "./fs.js";
import { sha256 } from "./hash.js";
import { Packs } from "./object-pack.js";

export interface StoreCheck {
  objects: number;
  /** Files whose bytes are not what their name says, and packed objects by hash. */
  damaged: string[];
  /** Files of writes that never ended. */
  litter: string[];
}

export function checkObjects(disk: Fs, directory: string): StoreCheck {
  const check: StoreCheck = { objects: 0, damaged: [], litter: [] };
  for (const name of list(disk, directory)) {
    if (/^[0-9a-f]{2}$/.test(name)) checkFolder(disk, `${directory}/${name}`, name, check);
  }
  checkPacks(disk, `${directory}/packs`, check);
  return check;
}

function checkFolder(disk: Fs, folder: string, prefix: string, check: StoreCheck): void {
  for (const name of list(disk, folder)) {
    const path = `${folder}/${name}`;
    if (!/^[0-9a-f]{62}$/.test(name)) {
      check.litter.push(path);
      continue;
    }
    check.objects++;
    if (sha256(disk.readFileSync(path)) !== prefix + name) check.damaged.push(path);
  }
}

function checkPacks(disk: Fs, folder: string, check: StoreCheck): void {
  const names = list(disk, folder);
  const packs = new Packs(disk, folder);
  for (const hash of names.length > 0 ? packs.hashes() : []) {
    check.objects++;
    if (packs.get(hash) === undefined) check.damaged.push(`${folder}: ${hash}`);
  }
  for (const name of names) {
    const orphan = name.endsWith(".pack") && !names.includes(`${name.slice(0, -".pack".length)}.idx`);
    if (orphan || name.endsWith(".tmp")) check.litter.push(`${folder}/${name}`);
  }
}

function list(disk: Fs, folder: string): string[] {
  try {
    return disk.readdirSync(folder).sort();
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return [];
    throw error;
  }
}
