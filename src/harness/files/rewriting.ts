// The rewrites of one session (files/rewrites.ts), wired to its log: a deletion that was held back and is done after all
// gets an outcome of its own, under the call that asked for it, and so does one that was taken back; what a killed session left held back is taken up again.
// Invariant: nothing is loaded before a tool is about to touch a file.

import type { HeldDeletions, Log } from "../../agent/ports.js";
import type { Entry } from "../../core/entry.js";
import { codeOf } from "../../core/errors.js";
import type { FileChange } from "../../core/plan.js";
import type { Ground } from "../../files/commit.js";
import type { HeldDeletion, Rewrites } from "../../files/rewrites.js";
import type { SeenFiles } from "../../files/seen.js";
import { writeAll } from "../../lib/atomic-file.js";
import type { Fs } from "../../lib/fs.js";
import { once } from "../../lib/once.js";
import { Opened } from "../../lib/opened.js";
import { shownPath } from "../../lib/paths.js";
import { loadRewrites } from "../lazy.js";

export interface RewritingOptions {
  disk: Fs;
  log: Log;
  cwd: string;
  seen: SeenFiles;
  /** Where refused contents are kept. */
  directory: string;
  /** What earlier runs did; asked when a tool is first needed, or at the end of a run. */
  outcomes(): readonly Entry<"outcome">[];
  /** What earlier runs set out to do; asked only when a deletion was left held back. */
  intents(): readonly Entry<"intent">[];
  /** The same for what they were about to change. */
  checkpoints(): readonly Entry<"checkpoint">[];
  ground(call: string): Ground;
}

export class Rewriting implements HeldDeletions {
  readonly #options: RewritingOptions;
  readonly #rewrites = new Opened(() => this.#make());
  readonly #left: () => readonly LeftOver[];
  #files: FileChange[] = [];
  #problems: string[] = [];

  constructor(options: RewritingOptions) {
    this.#options = options;
    this.#left = once(() => leftOver(options.outcomes(), options.cwd));
  }

  open(): Promise<Rewrites> {
    return this.#rewrites.open();
  }

  async #make(): Promise<Rewrites> {
    const { seen, ground } = this.#options;
    const { Rewrites } = await loadRewrites();
    const rewrites = new Rewrites({
      seen,
      ground,
      settled: (held, end) => this.#settled(held, end),
      kept: {
        put: (name, text) => this.#put(name, text),
        get: (name) => this.#get(name),
        remove: (name) => this.#options.disk.rmSync(this.#file(name), { force: true }),
      },
    });
    const left = this.#left();
    const intents = left.length > 0 ? this.#options.intents() : [];
    for (const { seq, ...held } of left) {
      if (this.#wasDone(held)) {
        this.#settled(held, { change: { path: held.path, before: held.before, after: null } });
        continue;
      }
      rewrites.restore(held);
      // A write that was under way when the session died did not come about, or it would have an outcome.
      if (intents.some((intent) => intent.seq > seq && intent.data.paths.includes(held.path)))
        rewrites.tried(held.path);
    }
    return rewrites;
  }

  /** The session died between the deletion and its outcome: it was announced, and the file is gone. */
  #wasDone({ call, path }: HeldDeletion): boolean {
    const { disk, checkpoints } = this.#options;
    if (disk.lstatSync(path, { throwIfNoEntry: false })) return false;
    const goes = (blob: Entry<"checkpoint">["data"]["blobs"][number]) => blob.path === path && blob.after === null;
    return checkpoints().some(({ data }) => data.call === call && data.blobs.some(goes));
  }

  /** A door that cannot be made may have been for the write that a deletion waits for. */
  async guard<Door>(make: () => Promise<Door>): Promise<Door> {
    try {
      return await make();
    } catch (error) {
      (await this.open()).tried();
      throw error;
    }
  }

  async carryOut(): Promise<void> {
    if (this.#rewrites.now || this.#left().length > 0) (await this.open()).carryOut();
  }

  take(): { files: FileChange[]; text: string } {
    const taken = { files: this.#files, text: this.#problems.map((problem) => `[${problem}]`).join("\n") };
    this.#files = [];
    this.#problems = [];
    return taken;
  }

  #settled({ call, path, before }: HeldDeletion, { change, problem }: { change?: FileChange; problem?: string }): void {
    if (problem !== undefined) this.#problems.push(problem);
    if (change) this.#files.push(change);
    const { log } = this.#options;
    const message = log.path().findLast((entry) => entry.type === "message" && asks(entry, call));
    const part = message?.type === "message" ? message.data.parts.find((each) => isCall(each, call)) : undefined;
    const tool = part?.type === "call" ? part.tool : "";
    // Not held any more: a session that is resumed must not do it after all.
    const stays: FileChange = { path, before, after: before, unseen: true };
    const data = { call, tool, status: change ? "ok" : "error", files: [change ?? stays] } as const;
    log.append("outcome", { ...data, files: [...data.files] }, message?.id ?? null);
  }

  #put(name: string, text: string): void {
    const { disk, directory } = this.#options;
    disk.mkdirSync(directory, { recursive: true, mode: 0o700 });
    const fd = disk.openSync(this.#file(name), "w", 0o600);
    try {
      writeAll(disk, fd, Buffer.from(text));
    } finally {
      disk.closeSync(fd);
    }
  }

  #get(name: string): string | undefined {
    try {
      return this.#options.disk.readFileSync(this.#file(name), "utf8");
    } catch (error) {
      if (codeOf(error) === "ENOENT") return undefined;
      throw error;
    }
  }

  #file(name: string): string {
    return `${this.#options.directory}/${name}`;
  }
}

function asks(entry: Entry<"message">, call: string): boolean {
  return entry.data.parts.some((part) => isCall(part, call));
}

function isCall(part: Entry<"message">["data"]["parts"][number], call: string): boolean {
  return part.type === "call" && part.id === call;
}

/** `seq`: of the entry that says so. */
type LeftOver = HeldDeletion & { seq: number };

/** Deletions that were held back when the last session on this log ended. */
function leftOver(outcomes: readonly Entry<"outcome">[], cwd: string): LeftOver[] {
  const left = new Map<string, LeftOver>();
  for (const { data, seq } of outcomes) {
    for (const { path, before, held } of data.files) {
      left.delete(path);
      if (held && before !== null) left.set(path, { path, shown: shownPath(cwd, path), before, call: data.call, seq });
    }
  }
  return [...left.values()];
}
