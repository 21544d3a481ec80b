// Claims of one agent: which files are its own to change, so that no two agents work on one file at a time.
//   automatic  taken with the first change to a path (write, append, edit, delete), until the end of the run
//   held       taken by `hold`, until `release` or the end of the session
// Invariants: a path has one holder among all living agents of the user, in this process and others; its own claim never
// stands in an agent's way; nothing is left claimed when a run or a session ends, also when its process is killed.
// Every claim is on disk (store.ts): noting and linking it takes some 30 µs, far below the write it goes with.
// When the disk does not take a claim, it still holds within this process, and that is said once.

import { codeOf, Refusal } from "../../core/errors.js";
import type { EventBody } from "../../core/event.js";
import type { Claims, Place } from "../../core/ports.js";
import { type Fs, nodeFs } from "../../lib/fs.js";
import { alsoCalled, resolvePath, shownPath } from "../../lib/paths.js";
import { redirectTargets } from "../../lib/redirects.js";
import { type ClaimGuard, mustBeRegular, Territory } from "../territory.js";
import { type Claimant, ClaimStore } from "./store.js";
import { claimsText } from "./text.js";

export interface ClaimsOptions {
  disk?: Fs;
  root: string;
  /** Where relative paths start; default: the root. */
  cwd?: string;
  addDirs?: readonly string[];
  /** Where the claims of this project are, below the state directory. */
  dir: string;
  agent: string;
  session: string;
  /** The agent that a path belongs to although it has not claimed it; null = nobody. Absent: nobody owns anything. */
  owner?(path: string): { agent: string; session: string } | null;
  /** Wall time of the system. */
  now(): number;
  emit(event: EventBody): void;
  /** A claim made (`until` null) or given back by `hold` and `release`. */
  record(claim: { path: string; owner: string; until: number | null }): void;
}

/** Who holds what in this process; global, because two harnesses of one process may share nothing else. */
const board = new Map<string, AgentClaims>();

const unchanged = "Nothing was changed.";

export class AgentClaims implements Claims, ClaimGuard {
  readonly #options: ClaimsOptions;
  readonly #territory: Territory;
  readonly #store: ClaimStore;
  /** Our paths, and whether they are held beyond the run. */
  readonly #ours = new Map<string, { held: boolean }>();
  /** Paths whose refusal was told. */
  readonly #told = new Set<string>();
  #saidLocal = false;

  constructor(options: ClaimsOptions) {
    this.#options = options;
    const { disk = nodeFs, dir, agent, session, now } = options;
    this.#territory = new Territory(disk, options);
    this.#store = new ClaimStore({ disk, dir, agent, session, now, damaged: (aside) => this.#sayDamaged(aside) });
  }

  check(place: Place, now = unchanged): void {
    if (this.#ours.has(place.path)) return;
    const here = board.get(this.#key(place.path));
    const holder = here ? here.#claimant() : (this.#store.holder(place.path) ?? this.#owner(place.path));
    if (holder) throw this.#conflict(place, holder, now);
  }

  /** Refuses a command that names another agent's file as a place for its output; what else it writes is not known. */
  checkCommand(command: string, cwd: string): void {
    const disk = this.#options.disk ?? nodeFs;
    for (const target of redirectTargets(command)) {
      let path: string;
      try {
        path = resolvePath(disk, cwd, target).path;
      } catch {
        continue; // The shell will not get there either, and says so.
      }
      this.check({ path, shown: shownPath(this.#territory.cwd, path) }, "Nothing was run.");
    }
  }

  /** Makes the place ours until the end of the run; throws the same Refusal. */
  take(place: Place): void {
    this.#take(place, false);
  }

  locate(paths: readonly string[]): Place[] {
    const places = new Map<string, Place>();
    for (const each of paths) {
      const { path, shown, stat, names = [] } = this.#territory.locateForChange(each);
      if (stat) mustBeRegular({ shown, stat }, unchanged);
      places.set(path, { path, shown, ...alsoCalled(names) });
    }
    return [...places.values()];
  }

  hold(places: readonly Place[]): void {
    const fresh = places.filter(({ path }) => !this.#ours.get(path)?.held);
    const taken: Place[] = [];
    try {
      for (const place of fresh) if (this.#take(place, true)) taken.push(place);
    } catch (error) {
      for (const { path } of taken) this.#giveBack(path);
      throw error;
    }
    const owner = this.#name();
    for (const { path } of fresh) {
      this.#ours.set(path, { held: true });
      this.#options.record({ path, owner, until: null });
      this.#options.emit({ type: "claim.held", path, owner });
    }
  }

  release(places: readonly Place[]): Place[] {
    const ours = places.filter(({ path }) => this.#ours.has(path));
    for (const { path } of ours) {
      if (this.#ours.get(path)?.held) this.#options.record({ path, owner: this.#name(), until: this.#options.now() });
      this.#giveBack(path);
    }
    return ours;
  }

  /** The end of a run, or work handed to another agent: automatic claims go. */
  letGo(): void {
    for (const [path, { held }] of this.#ours) if (!held) this.#giveBack(path);
  }

  /** The end of the session: all go. */
  close(): void {
    for (const path of this.#ours.keys()) this.#giveBack(path);
    this.#onDisk(() => this.#store.close());
  }

  /** The files of other living agents in at most `budget` characters, newest first; empty when there are none. */
  othersText(budget: number): string {
    const claims = this.#onDisk(() => this.#store.others()) ?? [];
    const named = claims.map(({ path, owner }) => ({
      shown: shownPath(this.#territory.cwd, path),
      owner: nameOf(owner),
    }));
    return claimsText(named, budget);
  }

  /** True when the path became ours just now. */
  #take(place: Place, held: boolean): boolean {
    const { path } = place;
    const key = this.#key(path);
    const here = board.get(key);
    if (here === this) return false;
    const holder = here ? here.#claimant() : (this.#owner(path) ?? this.#onDisk(() => this.#store.take(path)));
    if (holder) throw this.#conflict(place, holder, unchanged);
    board.set(key, this);
    this.#ours.set(path, { held });
    return true;
  }

  #giveBack(path: string): void {
    this.#ours.delete(path);
    board.delete(this.#key(path));
    this.#onDisk(() => this.#store.release(path));
  }

  #conflict({ path, shown }: Place, holder: Claimant | "unreadable", now: string): Refusal {
    const owner = nameOf(holder);
    if (!this.#told.has(path)) this.#options.emit({ type: "claim.refused", path, owner });
    this.#told.add(path);
    const ways = "It is not yours for now: go on with other work, try again later, or say in your answer what is left.";
    return new Refusal("conflict", `CONFLICT: ${shown} is being worked on by ${owner}. ${now} ${ways}`);
  }

  #claimant(): Claimant {
    const { agent, session } = this.#options;
    return { agent, session, pid: process.pid };
  }

  #owner(path: string): Claimant | null {
    const owner = this.#options.owner?.(path);
    return owner ? { ...owner, pid: process.pid } : null;
  }

  #name(): string {
    return nameOf(this.#claimant());
  }

  #key(path: string): string {
    return `${this.#options.dir}\0${path}`;
  }

  /** A fault of the disk costs the sight of other processes, never the change itself. */
  #onDisk<Result>(act: () => Result): Result | null {
    try {
      return act();
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      if (!this.#saidLocal) {
        const text = `Claims cannot be kept in ${this.#options.dir} (${codeOf(error)}): other Cinch processes do not see which files are being worked on here.`;
        this.#options.emit({ type: "notice", level: "warning", code: "claims.local", text });
      }
      this.#saidLocal = true;
      return null;
    }
  }

  #sayDamaged(aside: string): void {
    const text = `A claim that could not be read was put aside as ${aside}; its file is free again.`;
    this.#options.emit({ type: "notice", level: "warning", code: "claims.damaged", text });
  }
}

/** `main (session 0123abcd, process 4711)` */
export function nameOf(holder: Claimant | "unreadable"): string {
  if (holder === "unreadable") return "another agent";
  return `${holder.agent} (session ${holder.session.slice(0, 8)}, process ${holder.pid})`;
}
