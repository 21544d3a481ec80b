// The documents that one server has open: what it was told of each, and whether that is still what is on the disk.
// Invariant: after `sync` the server has been sent exactly the text that is on the disk, under a version of its own; a
// version is never used for two texts. Whole texts are sent: what a server has then cannot drift from what was meant.

import { pathToFileURL } from "node:url";
import { ModelError } from "../core/errors.js";
import type { Fs } from "../lib/fs.js";
import { readSmall } from "../lib/small-file.js";
import { SourceText } from "./text.js";

export interface Document {
  path: string;
  uri: string;
  version: number;
  source: SourceText;
}

export interface DocumentsOptions {
  disk: Fs;
  languageOf(path: string): string;
  /** Tells the server. */
  tell(method: string, params: object): void;
  /** It wants to hear when a file was saved. */
  wantsSaves: boolean;
}

interface Open extends Document {
  /** Of the file, when its text was read. */
  stamp: string;
}

const maxBytes = 8_000_000;
const maxOpen = 100;

export class Documents {
  readonly #options: DocumentsOptions;
  /** The longest unused first. */
  readonly #open = new Map<string, Open>();

  constructor(options: DocumentsOptions) {
    this.#options = options;
  }

  paths(): string[] {
    return [...this.#open.keys()];
  }

  get(path: string): Document | undefined {
    return this.#open.get(path);
  }

  /** Opens or refreshes a file; throws a ModelError when it cannot be read. */
  sync(path: string): Document {
    const known = this.#open.get(path);
    const stamp = stampOf(this.#options.disk, path);
    if (known && stamp !== null && known.stamp === stamp) return this.#used(known);
    const file = stamp === null ? undefined : readSmall(this.#options.disk, path, maxBytes);
    if (stamp === null || !file || file.cut) {
      this.close(path);
      const why = file?.cut ? `is larger than ${maxBytes} bytes` : "cannot be read";
      throw new ModelError(`${path} ${why}, so its language server was not asked.`);
    }
    return this.#put(path, stamp, file.text);
  }

  /** Is this what the server was last told of the file, and is that still on the disk? */
  isOfNow(path: string, document: Document): boolean {
    const known = this.#open.get(path);
    return known === document && known.stamp === stampOf(this.#options.disk, path);
  }

  /** Shows the server another text than the one on the disk, until the next `sync`. */
  pretend(path: string, text: string): Document {
    return this.#put(path, "", text);
  }

  /** Brings every open document up to what is on the disk, and closes those that are gone. */
  syncAll(): void {
    for (const [path, { stamp }] of [...this.#open]) {
      const now = stampOf(this.#options.disk, path);
      if (now === stamp) continue;
      const file = now === null ? undefined : readSmall(this.#options.disk, path, maxBytes);
      if (now === null || !file || file.cut) this.close(path);
      else this.#put(path, now, file.text);
    }
  }

  close(path: string): void {
    const known = this.#open.get(path);
    if (!known) return;
    this.#open.delete(path);
    this.#options.tell("textDocument/didClose", { textDocument: { uri: known.uri } });
  }

  #put(path: string, stamp: string, text: string): Document {
    const { tell, languageOf, wantsSaves } = this.#options;
    const known = this.#open.get(path);
    if (known && known.source.text === text) {
      known.stamp = stamp;
      return this.#used(known);
    }
    const uri = known?.uri ?? pathToFileURL(path).href;
    const version = (known?.version ?? 0) + 1;
    const document: Open = { path, uri, version, source: new SourceText(text), stamp };
    if (!known) {
      tell("textDocument/didOpen", { textDocument: { uri, languageId: languageOf(path), version, text } });
    } else {
      tell("textDocument/didChange", { textDocument: { uri, version }, contentChanges: [{ text }] });
      if (wantsSaves && stamp !== "") tell("textDocument/didSave", { textDocument: { uri } });
    }
    this.#open.set(path, document);
    return this.#used(document);
  }

  #used(document: Open): Document {
    this.#open.delete(document.path);
    this.#open.set(document.path, document);
    const oldest = this.#open.keys().next().value;
    if (this.#open.size > maxOpen && oldest !== undefined) this.close(oldest);
    return document;
  }
}

/** Another one when the file may have another content; null = there is none. */
export function stampOf(disk: Fs, path: string): string | null {
  const stat = disk.statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() ? `${stat.ino}:${stat.size}:${stat.mtimeMs}:${stat.ctimeMs}` : null;
}
