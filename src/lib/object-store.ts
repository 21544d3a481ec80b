// A content-addressed store: bytes go in, their sha256 comes out; the same bytes are kept once.
// Invariant: an object is complete or absent (temp file, then rename), 0600 in 0700 directories, and is checked against
// its name when it is read. Writes are synchronous and not synced; `flush` makes everything put so far durable.
// It never deletes: what may go is decided by whoever knows the references.

import { randomBytes } from "node:crypto";
import { writeAll } from "./atomic-file.js";
import { type Fs, syncFile } from "./fs.js";
import { sha256 } from "./hash.js";

export interface ObjectStore {
  /** Keeps `bytes` and returns their sha256 in hex. */
  put(bytes: Uint8Array): string;
  /** The bytes, or undefined when the store does not have them or they are damaged. */
  get(hash: string): Buffer | undefined;
  has(hash: string): boolean;
  /** Resolves when everything put before the call is on disk. */
  flush(): Promise<void>;
}

const isHash = /^[0-9a-f]{64}$/;

/** Directories are made on the first `put`. */
export function createObjectStore(disk: Fs, directory: string): ObjectStore {
  const known = new Set<string>();
  let unsynced: string[] = [];
  const place = (hash: string) => `${directory}/${hash.slice(0, 2)}/${hash.slice(2)}`;
  return {
    put(bytes) {
      const hash = sha256(bytes);
      if (known.has(hash)) return hash;
      const path = place(hash);
      if (!disk.existsSync(path)) {
        disk.mkdirSync(`${directory}/${hash.slice(0, 2)}`, { recursive: true, mode: 0o700 });
        writeObject(disk, path, bytes);
        unsynced.push(path);
      }
      known.add(hash);
      return hash;
    },
    get(hash) {
      if (!isHash.test(hash) || !disk.existsSync(place(hash))) return undefined;
      const bytes = disk.readFileSync(place(hash));
      return sha256(bytes) === hash ? bytes : undefined;
    },
    has: (hash) => isHash.test(hash) && (known.has(hash) || disk.existsSync(place(hash))),
    async flush() {
      const paths = unsynced;
      unsynced = [];
      for (const path of paths) {
        const fd = disk.openSync(path, "r");
        try {
          await syncFile(disk, fd);
        } finally {
          disk.closeSync(fd);
        }
      }
    },
  };
}

function writeObject(disk: Fs, path: string, bytes: Uint8Array): void {
  const temp = `${path}.${randomBytes(6).toString("hex")}`;
  const fd = disk.openSync(temp, "wx", 0o600);
  try {
    writeAll(disk, fd, bytes);
    disk.closeSync(fd);
    disk.renameSync(temp, path);
  } catch (error) {
    disk.rmSync(temp, { force: true });
    throw error;
  }
}
