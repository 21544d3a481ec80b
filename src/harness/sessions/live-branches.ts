// The tree of a session that is open: shown, labelled, and branched between two runs.
// Invariant: after a branch the session is as one that was resumed there; whatever was known along the old path is
// forgotten (`restart`), so the next request has the prefix that was last sent on the path it is on now (SPEC 1.4).

import { isImage, withoutLostImages } from "../../core/image.js";
import { textOf } from "../../core/message.js";
import { actionsOf } from "../../files/undo/history.js";
import type { Fork, ForkOptions, SessionTree } from "../api/index.js";
import type { Place } from "../place.js";
import { type BranchLog, branch, label, treeOf } from "./branch.js";
import { readLog } from "./family.js";
import { findEntry, findPrompt } from "./find-entry.js";

export interface LiveBranchesOptions {
  place: Place;
  log: BranchLog;
  /** Forgets what depends on the path; the head has moved. */
  restart(): Promise<void>;
}

export class LiveBranches {
  readonly #options: LiveBranchesOptions;

  constructor(options: LiveBranchesOptions) {
    this.#options = options;
  }

  tree(): SessionTree {
    const { place, log } = this.#options;
    return treeOf(place, log.id, log.file);
  }

  label(entry: string, text: string): Promise<string> {
    return label(this.#options.log, this.tree(), entry, text);
  }

  fork(entry: string, { what = "conversation" }: ForkOptions = {}): Promise<Fork> {
    return this.#branch(findEntry(this.tree().entries, entry).id, what);
  }

  async rewind(entry: string | undefined, { what = "conversation" }: ForkOptions = {}): Promise<Fork> {
    const work = entry === undefined && what === "files" ? this.#newestWork() : null;
    if (work !== null) return this.#branch(work, what);
    const { id, parent } = findPrompt(this.tree().entries, entry);
    const message = this.#options.log.entry(id);
    const said = message?.type === "message" ? message.data : null;
    const images = said ? withoutLostImages(said).parts.filter(isImage) : [];
    const draft = { draft: said ? textOf(said) : "", ...(images.length > 0 ? { images } : {}) };
    return { ...(await this.#branch(parent, what)), ...draft };
  }

  /** The entry before the program's own work (a build), when nobody has said anything since; it has no message to go back to. */
  #newestWork(): string | null {
    const { place, log } = this.#options;
    const { entries } = readLog(place, log.file);
    const newest = actionsOf(entries).findLast(({ kind }) => kind !== "undo");
    return newest?.kind === "work" ? (entries.findLast(({ seq }) => seq < newest.seq)?.id ?? null) : null;
  }

  async #branch(entry: string | null, what: NonNullable<ForkOptions["what"]>): Promise<Fork> {
    const { place, log, restart } = this.#options;
    try {
      return await branch(place, log, { entry, what });
    } finally {
      await restart();
    }
  }
}
