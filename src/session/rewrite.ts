// A session file written anew, in the current format and with a chain of its own: for an older format (migrations.ts), and
// for a file that the disk once failed to keep, whose pages the kernel may have dropped without a further word.
// Invariants: at every instant the name stands for one whole file, the old or the new one; the old one is kept beside it,
// with the damaged lines and the torn tail that only it has.

import { codeOf } from "../core/errors.js";
import { diskFlags, type Fs } from "../lib/fs.js";
import { JsonlWriter } from "../lib/jsonl.js";
import { JsonlScan } from "../lib/jsonl-scan.js";
import { headOf } from "./line.js";
import { upgraded } from "./migrations.js";

/** Replaces the file by a new one, and says where the old one is now: `wanted`, or with a number behind it. */
export function rewriteFile(disk: Fs, file: string, wanted: string): string {
  const draft = `${file.replace(/\.jsonl$/, "")}.new`;
  disk.rmSync(draft, { force: true });
  const old = disk.openSync(file, diskFlags.O_RDONLY | diskFlags.O_NOFOLLOW);
  const fresh = JsonlWriter.create(disk, draft);
  try {
    for (const { text, fault } of new JsonlScan(disk, old)) {
      const head = fault === null ? headOf(text) : null;
      if (head) fresh.append([upgraded(text, head.v)]);
    }
    disk.fsyncSync(fresh.fd);
    const kept = keep(disk, file, wanted);
    disk.renameSync(draft, file);
    return kept;
  } catch (error) {
    disk.rmSync(draft, { force: true });
    throw error;
  } finally {
    fresh.close();
    disk.closeSync(old);
  }
}

/** A second name for the file, the first free one. */
function keep(disk: Fs, file: string, wanted: string): string {
  for (let n = 1; ; n++) {
    const name = n === 1 ? wanted : `${wanted}-${n}`;
    try {
      disk.linkSync(file, name);
      return name;
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    }
  }
}
