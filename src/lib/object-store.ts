// A content-addressed store: bytes go in, their sha256 comes out; the same bytes are kept once.
// Invariant: an object is complete or absent (temp file, then rename), 0600 in 0700 directories, and is checked against
// its name when it is read. Writes are synchronous and not synced; `flush` makes everything put so far durable.
// Many at once go into a pack (object-pack.ts). It never deletes: what may go is decided by whoever knows the references.

import { randomBytes } from "node:crypto";
import { writeAll } from "./atomic-file.js";
import { type Fs, syncFile } from "./fs.js";
import { sha256 } from "./hash.js";
import { Packs } from "./object-pack.js";

export interface ObjectStore {
  /** Keeps `bytes` and returns their sha256 in hex. */
  put(bytes: Uint8Array): string;
  /** The bytes, or undefined when the store does not have them or they are damaged. */
  get(hash: string): Buffer | undefined;
  has(hash: string): boolean;
  /** For thousands at once: one file in all. What is added can be found after `end`; after an error call `abandon`. */
  pack(): { add(bytes: Uint8Array): string; end(): void; abandon(): void };
  /** Resolves when everything put before the call is on disk. */
  flush(): Promise<void>;
}

const isHash = /^[0-9a-f]{64}$/;

/** Directories are made on the first `put`. */
export function createObjectStore(disk: Fs, directory: string): ObjectStore {
  const known = new Set<string>();
  let unsynced: string[] = [];
  const made = new Set<string>();
  const makeDirectory = (path: string) => {
    if (made.has(path)) return;
    if (!disk.existsSync(path)) disk.mkdirSync(path, { recursive: true, mode: 0o700 });
    made.add(path);
  };
  const packs = new Packs(disk, `${directory}/packs`);
  const place = (hash: string) => `${directory}/${hash.slice(0, 2)}/${hash.slice(2)}`;
  const has = (hash: string) =>
    isHash.test(hash) && (known.has(hash) || packs.has(hash) || disk.existsSync(place(hash)));
  return {
    put(bytes) {
      const hash = sha256(bytes);
      if (known.has(hash)) return hash;
      const path = place(hash);
      if (!packs.has(hash) && !disk.existsSync(path)) {
        makeDirectory(`${directory}/${hash.slice(0, 2)}`);
        writeObject(disk, path, bytes);
        unsynced.push(path);
      }
      known.add(hash);
      return hash;
    },
    get(hash) {
      if (!isHash.test(hash)) return undefined;
      if (!disk.existsSync(place(hash))) return packs.get(hash);
      const bytes = disk.readFileSync(place(hash));
      return sha256(bytes) === hash ? bytes : undefined;
    },
    has,
    pack() {
      const writer = packs.begin(has);
      return {
        add: (bytes) => writer.add(bytes),
        end: () => void unsynced.push(...writer.end()),
        abandon: () => writer.abandon(),
      };
    },
    async flush() {
      const paths = unsynced;
      unsynced = [];
      // A few at a time: a long run leaves thousands, and a process may have a thousand files open.
      for (let at = 0; at < paths.length; at += 32) {
        await Promise.all(paths.slice(at, at + 32).map((path) => syncPath(disk, path)));
      }
    },
  };
}

async function syncPath(disk: Fs, path: string): Promise<void> {
  const fd = disk.openSync(path, "r");
  try {
    await syncFile(disk, fd);
  } finally {
    disk.closeSync(fd);
  }
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
