// A file of a project that the benchmark makes, written in place as an editor might.

import { writeAll } from "../lib/atomic-file.js";
import { nodeFs } from "../lib/fs.js";

/** Makes the file or replaces its text; the directory is there. */
export function put(file: string, text: string): void {
  const fd = nodeFs.openSync(file, "w");
  try {
    writeAll(nodeFs, fd, Buffer.from(text));
  } finally {
    nodeFs.closeSync(fd);
  }
}
