// Reads entries of a session file back by their place in it. One for an open log.
// Invariants: entries come in file order and one by one, so memory holds one line whatever is asked for; a long text
// whose file is gone ends in a note, and is told.

import type { Entry } from "../core/entry.js";
import type { Fs } from "../lib/fs.js";
import { readLines } from "../lib/jsonl-scan.js";
import { entryOf } from "./line.js";
import type { Spill } from "./spill.js";
import type { TreeNode } from "./tree.js";

export interface EntryReaderOptions {
  disk: Fs;
  file: string;
  /** Of the open file. */
  fd: number;
  spill: Spill;
  onLost(text: string): void;
}

export class EntryReader {
  readonly #options: EntryReaderOptions;

  constructor(options: EntryReaderOptions) {
    this.#options = options;
  }

  /** `nodes` in file order. */
  *read(nodes: readonly TreeNode[], fd = this.#options.fd): Generator<Entry> {
    const { disk, spill, onLost } = this.#options;
    for (const text of readLines(disk, fd, nodes)) {
      const entry = entryOf(text, (data, line) => spill.decode(data, line, onLost));
      if (entry) yield entry;
    }
  }

  /** The same, also when the log is closed before or while it is asked for. */
  *readApart(nodes: readonly TreeNode[]): Generator<Entry> {
    if (nodes.length === 0) return;
    const { disk, file } = this.#options;
    const fd = disk.openSync(file, "r");
    try {
      yield* this.read(nodes, fd);
    } finally {
      disk.closeSync(fd);
    }
  }
}
