// What stands in the project's files now, for the door: where a path leads, the lines of a file, its whole text.
// Invariant: it only reads, and nothing but regular files inside the territory; what it shows counts as seen (seen.ts).
// A deletion that was held back is done before anybody looks at its path. What may be changed, and how: door.ts.

import { codeOf, Refusal } from "../core/errors.js";
import type { FileText, ReadRange } from "../core/ports.js";
import type { Fs } from "../lib/fs.js";
import { sha256 } from "../lib/hash.js";
import { byLikeness } from "../lib/nearest.js";
import { parent, printable } from "../lib/paths.js";
import { readBytes, withFile } from "./bytes.js";
import { sideEffects } from "./commit.js";
import { asModelError } from "./fault.js";
import { binaryRefusal, partOf, type ReadLimits, readLines, tooLarge } from "./lines.js";
import type { Rewrites } from "./rewrites.js";
import type { SeenFiles } from "./seen.js";
import type { Span } from "./spans.js";
import { type Located, mustBeRegular, type Territory } from "./territory.js";
import { decode, linesOf, type Text } from "./text.js";

/** A text file as it is now. */
export interface PresentText extends Text {
  hash: string;
  bytes: number;
  /** What will change beside the content, for the reader of the plan. */
  notes: string[];
}

/** A regular file that is there. */
export type Existing = Located & { stat: NonNullable<Located["stat"]> };

/** What a reader stands on; the same as its door's. */
export interface Sources {
  disk: Fs;
  territory: Territory;
  seen: SeenFiles;
  rewrites: Rewrites | undefined;
}

const defaults: ReadLimits = { wholeBytes: 8 * 1024 * 1024, hashBytes: 64 * 1024 * 1024, lineChars: 2_000 };
const unread = "Nothing was read.";
const unchanged = "Nothing was changed.";

export class Reader {
  readonly #disk: Fs;
  readonly #territory: Territory;
  readonly #seen: SeenFiles;
  readonly #rewrites: Rewrites | undefined;
  readonly #limits: ReadLimits;

  constructor({ disk, territory, seen, rewrites }: Sources, limits: Partial<ReadLimits> | undefined) {
    this.#disk = disk;
    this.#territory = territory;
    this.#seen = seen;
    this.#rewrites = rewrites;
    this.#limits = { ...defaults, ...limits };
  }

  /** Where a file for reading is; throws a Refusal when nothing may be read there or it is no regular file. */
  existing(path: string): Existing {
    this.noticed(path);
    return this.mustExist(this.#territory.locate(path), unread);
  }

  /** Throws the refusal of a file that is not there, naming what is beside it. */
  mustExist(located: Located, now: string): Existing {
    const { stat } = located;
    if (!stat) {
      const beside = this.#territory.isOutside(located.path) ? "" : besideIt(this.#disk, located.path);
      const text = `${located.shown} does not exist. ${now}${beside}`;
      throw new Refusal("missing", text, ["list", "search"]);
    }
    mustBeRegular({ shown: located.shown, stat }, now);
    return { ...located, stat };
  }

  /** The lines asked for; they count as seen. */
  async read(path: string, range: ReadRange): Promise<FileText> {
    const located = this.existing(path);
    return this.#guarded(located, unread, () =>
      withFile(this.#disk, located, unread, async (fd, stat) => {
        const file = { fd, size: stat.size, shown: located.shown };
        const { text, ...lines } = await readLines(this.#disk, file, range, this.#limits);
        const part = partOf(lines);
        if (lines.hash !== "") this.#seen.mark(located.path, lines.hash, text, part && [part]);
        return { path: located.path, shown: located.shown, ...lines };
      }),
    );
  }

  /**
   * Whoever looks at a path finds done what was held back there; a write of the whole file is what it waits for.
   * Returns the place when anything is waiting.
   */
  noticed(path: string, isWrite = false): string | undefined {
    const rewrites = this.#rewrites;
    if (!rewrites?.isWaiting) return undefined;
    let place: string;
    try {
      place = this.#territory.placeOf(path, isWrite ? unchanged : unread);
    } catch (error) {
      // It may be the write that a deletion waits for.
      if (isWrite) rewrites.tried();
      throw error;
    }
    rewrites.carryOut(place, isWrite ? place : undefined);
    return place;
  }

  /** The lines of a file that the model knows; undefined = all. */
  spans(path: string, { hash, text }: PresentText): readonly Span[] | undefined {
    if (this.#seen.hash(path) === hash || text === "") return undefined;
    return this.#seen.spans(path, { hash, lines: () => linesOf(text) });
  }

  /** All bytes of a file that is to be changed. */
  bytes(located: Located): Promise<Buffer> {
    return this.#guarded(located, unchanged, () =>
      withFile(this.#disk, located, unchanged, (fd, stat) => {
        if (stat.size > this.#limits.hashBytes) {
          throw new Refusal("size", tooLarge(located.shown, stat.size), ["run"]);
        }
        return readBytes(this.#disk, fd, stat.size);
      }),
    );
  }

  async text(located: Located): Promise<PresentText> {
    const bytes = await this.bytes(located);
    const decoded = decode(bytes);
    if (!decoded) throw binaryRefusal(located.shown, bytes.length, unchanged);
    const notes = located.stat ? sideEffects(located.stat) : [];
    return { ...decoded, hash: sha256(bytes), bytes: bytes.length, notes };
  }

  async #guarded<Result>(located: Located, now: string, act: () => Promise<Result>): Promise<Result> {
    try {
      return await act();
    } catch (error) {
      throw asModelError(error, located.shown, now);
    }
  }
}

const shownNames = 3;
const fewNames = 8;

/** The names in the missing file's directory that it may be mistaken for: all of a few, or the most alike. */
function besideIt(disk: Fs, path: string): string {
  let names: string[];
  try {
    names = disk.readdirSync(parent(path)).filter((name) => !name.startsWith("."));
  } catch (error) {
    // A hint only: a directory that cannot be listed gives none.
    if (codeOf(error) === undefined) throw error;
    return "";
  }
  const wanted = path.slice(path.lastIndexOf("/") + 1);
  const near = names.length <= fewNames ? byLikeness(wanted, names) : byLikeness(wanted, names).slice(0, shownNames);
  return near.length === 0 ? "" : ` Beside it: ${near.map(printable).join(", ")}.`;
}
