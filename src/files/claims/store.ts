// Claims on disk: <state>/claims/<project>/, one name for each claimed path, seen by every process of the user.
//   <mark>.owner        who we are (a Holder with memo {agent, session}), then one line {"path","at"} for each path taken
//   <hash of path>.json a claim: a hard link of its owner's file, so it appears at once, whole, and for exactly one
// Invariants: a claim is taken from nobody but an owner whose process is gone (lib/lock.ts); only its owner removes it.
// Links, because making a file costs up to a millisecond on a full disk and a link some microseconds; nothing is synced,
// since no claim outlives the boot. Throws the disk's faults; what they mean for the caller is decided in claims.ts.

import { constants } from "node:fs";
import { codeOf } from "../../core/errors.js";
import { type Fs, nodeFs } from "../../lib/fs.js";
import { sha256 } from "../../lib/hash.js";
import { isObject, parseJson } from "../../lib/json.js";
import { isGone } from "../../lib/life.js";
import { type Holder, parseHolder, takeLock, thisProcess } from "../../lib/lock.js";
import { readSmall } from "../../lib/small-file.js";

/** Who holds a claim; null where the claim cannot be read. */
export interface Claimant {
  agent: string;
  session: string;
  pid: number;
}

/** A claim of somebody else who is alive. */
export interface Claim {
  path: string;
  owner: Claimant;
  /** Milliseconds since the epoch. */
  at: number;
}

export interface StoreOptions {
  disk?: Fs;
  dir: string;
  agent: string;
  session: string;
  /** Wall time of the system, as file times have it. */
  now(): number;
  /** Told of a claim that cannot be read and was put aside. */
  damaged(aside: string): void;
}

/** A damaged claim younger than this may be one in the making, on a disk without hard links. Milliseconds. */
const making = 2_000;
/** The first line of a claim is far shorter. */
const headBytes = 4_096;
const ownerBytes = 1024 * 1024;
const claimName = /^[0-9a-f]{32}\.json$/;

export class ClaimStore {
  readonly #disk: Fs;
  readonly #options: StoreOptions;
  #me: { holder: Holder; file: string } | undefined;

  constructor(options: StoreOptions) {
    this.#options = options;
    this.#disk = options.disk ?? nodeFs;
  }

  /** Null when the claim is ours now, otherwise who has it. */
  take(path: string): Claimant | "unreadable" | null {
    const me = this.#register(path);
    const taken = this.#takeFile(this.#fileOf(path), me);
    return taken === "ours" ? null : (claimantOf(taken) ?? "unreadable");
  }

  /** Who has a claim on the path and is alive; null = nobody, or we ourselves. Reads only. */
  holder(path: string): Claimant | "unreadable" | null {
    const file = this.#fileOf(path);
    const head = readSmall(this.#disk, file, headBytes);
    if (!head) return null;
    const holder = parseHolder(head.text);
    if (!holder) return this.#isYoung(file) ? "unreadable" : null;
    if (holder.mark === this.#me?.holder.mark || this.#isGone(holder)) return null;
    return claimantOf(holder);
  }

  /** Removes the claim if it is ours. */
  release(path: string): void {
    this.#remove(this.#fileOf(path));
  }

  /** Claims of others who are alive, newest first; claims of the dead are cleared away. */
  others(): Claim[] {
    const names = this.#names();
    const owners = new Map(names.filter((name) => name.endsWith(".owner")).flatMap((name) => this.#readOwner(name)));
    const found: Claim[] = [];
    for (const name of names.filter((each) => claimName.test(each))) {
      const holder = parseHolder(readSmall(this.#disk, this.#at(name), headBytes)?.text ?? "");
      if (!holder || holder.mark === this.#me?.holder.mark) continue;
      const owner = owners.get(holder.mark);
      if (owner ? owner.gone : this.#isGone(holder)) this.#clear(name);
      const claimant = claimantOf(holder);
      const entry = owner?.paths.get(name);
      if (entry && claimant && !owner?.gone) found.push({ ...entry, owner: claimant });
    }
    const dead = [...owners].filter(([, { gone }]) => gone).map(([mark]) => `${mark}.owner`);
    for (const name of names) if (dead.some((owner) => name.startsWith(owner))) this.#unlink(this.#at(name));
    return found.sort((a, b) => b.at - a.at || (a.path < b.path ? -1 : 1));
  }

  /** Forgets who we are; every claim must have been released. The directory stays: making it anew costs a millisecond. */
  close(): void {
    if (this.#me) this.#unlink(this.#me.file);
    this.#me = undefined;
  }

  // --- ourselves -----------------------------------------------------------------------------------------------------

  #here(): Holder {
    return this.#me?.holder ?? this.#begin().holder;
  }

  #begin(): { holder: Holder; file: string } {
    const { agent, session } = this.#options;
    const holder = { ...thisProcess(this.#disk), memo: { agent, session } };
    this.#me = { holder, file: this.#at(`${holder.mark}.owner`) };
    return this.#me;
  }

  /** Makes our own file when it is not there (any more), and notes a path in it. */
  #register(path?: string): { holder: Holder; file: string } {
    const me = this.#me ?? this.#begin();
    const line = path === undefined ? "" : `${JSON.stringify({ path, at: this.#options.now() })}\n`;
    if (this.#wrote(me.file, constants.O_APPEND, line)) return me;
    const all = `${JSON.stringify(me.holder)}\n${line}`;
    if (this.#wrote(me.file, constants.O_CREAT | constants.O_EXCL, all)) return me;
    this.#disk.mkdirSync(this.#options.dir, { recursive: true, mode: 0o700 });
    this.#write(me.file, constants.O_CREAT | constants.O_EXCL, all);
    return me;
  }

  /** False when the file or its directory is not there. */
  #wrote(file: string, flags: number, text: string): boolean {
    try {
      this.#write(file, flags, text);
      return true;
    } catch (error) {
      if (codeOf(error) === "ENOENT") return false;
      throw error;
    }
  }

  #write(file: string, flags: number, text: string): void {
    const fd = this.#disk.openSync(file, constants.O_WRONLY | flags, 0o600);
    try {
      this.#disk.writeSync(fd, text);
    } finally {
      this.#disk.closeSync(fd);
    }
  }

  // --- claims --------------------------------------------------------------------------------------------------------

  #takeFile(file: string, me: { holder: Holder; file: string }): "ours" | Holder | null {
    const overDamaged = (text: string) => !this.#isYoung(file) && this.#putAside(file, text);
    return takeLock(this.#disk, file, { mine: me.holder, draft: me.file, overDamaged });
  }

  /** Of a damaged claim: written so lately that its owner may still be at it. */
  #isYoung(file: string): boolean {
    const stat = this.#disk.lstatSync(file, { throwIfNoEntry: false });
    return stat !== undefined && Math.abs(this.#options.now() - stat.mtimeMs) < making;
  }

  #putAside(file: string, text: string): true {
    const aside = `${file.replace(/\.json$/, "")}-${sha256(text).slice(0, 8)}.damaged`;
    this.#write(aside, constants.O_CREAT | constants.O_TRUNC, text);
    this.#options.damaged(aside);
    return true;
  }

  /** Takes the claim of somebody who is gone, so that nobody else does in this moment, and removes it. */
  #clear(name: string): void {
    const path = this.#at(name);
    if (this.#takeFile(path, this.#register()) === "ours") this.#remove(path);
  }

  #remove(file: string): void {
    const holder = parseHolder(readSmall(this.#disk, file, headBytes)?.text ?? "");
    if (holder && holder.mark === this.#me?.holder.mark) this.#unlink(file);
  }

  #unlink(file: string): void {
    try {
      this.#disk.unlinkSync(file);
    } catch (error) {
      // Somebody cleared away the same dead owner, or the whole directory.
      if (codeOf(error) !== "ENOENT") throw error;
    }
  }

  // --- reading -------------------------------------------------------------------------------------------------------

  #names(): string[] {
    try {
      return this.#disk.readdirSync(this.#options.dir);
    } catch (error) {
      if (codeOf(error) === "ENOENT") return [];
      throw error;
    }
  }

  #readOwner(name: string): [string, { gone: boolean; paths: Map<string, { path: string; at: number }> }][] {
    const text = readSmall(this.#disk, this.#at(name), ownerBytes)?.text ?? "";
    const holder = parseHolder(text);
    if (!holder) return [];
    const paths = new Map<string, { path: string; at: number }>();
    for (const line of text.split("\n").slice(1)) {
      const entry = parseJson(line);
      if (!isObject(entry) || typeof entry["path"] !== "string" || typeof entry["at"] !== "number") continue;
      paths.set(nameOf(entry["path"]), { path: entry["path"], at: entry["at"] });
    }
    return [[holder.mark, { gone: this.#isGone(holder), paths }]];
  }

  #isGone(holder: Holder): boolean {
    return isGone(this.#disk, holder, this.#here());
  }

  #fileOf(path: string): string {
    return this.#at(nameOf(path));
  }

  #at(name: string): string {
    return `${this.#options.dir}/${name}`;
  }
}

function nameOf(path: string): string {
  return `${sha256(path).slice(0, 32)}.json`;
}

function claimantOf(holder: Holder | null): Claimant | null {
  const { agent, session } = holder?.memo ?? {};
  if (!holder || typeof agent !== "string" || typeof session !== "string") return null;
  return { agent, session, pid: holder.pid };
}
