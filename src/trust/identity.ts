// Which directory a trusted project is: its canonical root and what the file system knows of it, so that another
// repository under the same path is another project (SECURITY A 12–14, 18, 22, 23).

import type { Fs } from "../lib/fs.js";

export interface Identity {
  device: string;
  inode: string;
  owner: number;
  /** When it was made, ms since the epoch as text: numbers of inodes are used again. "" = the disk does not say. */
  born: string;
}

/** `root` canonical. Undefined when it cannot be looked at. */
export function identityOf(disk: Pick<Fs, "statSync">, root: string): Identity | undefined {
  try {
    const { dev, ino, uid, birthtimeMs, ctimeMs } = disk.statSync(root);
    // A disk that keeps no time of birth answers with that of the last change, which would make every visit a new project.
    const born = birthtimeMs > 0 && birthtimeMs !== ctimeMs ? String(birthtimeMs) : "";
    return { device: String(dev), inode: String(ino), owner: uid, born };
  } catch {
    return undefined;
  }
}

/** Why this directory is not the one that was trusted; null when it is. */
export function differs(then: Identity, now: Identity): string | null {
  if (then.owner !== now.owner) return "it belongs to somebody else now";
  const same = then.device === now.device && then.inode === now.inode;
  const bornAgain = then.born !== "" && now.born !== "" && then.born !== now.born;
  return same && !bornAgain ? null : "it is another directory now";
}

/** Why no trust can be recorded for a root; null when it can. */
export function untrustable(root: string, home: string, identity: Identity | undefined): string | null {
  if (root === "/" || root === home) return `${root} is no project: everything below it would be trusted`;
  if (!identity) return `${root} cannot be looked at`;
  const me = process.getuid?.();
  return me === undefined || identity.owner === me ? null : `${root} belongs to another user (uid ${identity.owner})`;
}
