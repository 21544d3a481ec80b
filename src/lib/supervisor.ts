// The process that survives Cinch for a moment: when its input ends, because Cinch has ended in whatever way, it kills the
// process groups it was told of and then whatever carries the mark, twice, for what was being started (SPEC 1.20). Empty
// directories it was told of go last, unless another harness has a mark beside ours.
// A shell of a few lines, so that it costs two milliseconds and no memory to speak of; in a session of its own, deaf to
// INT, HUP and TERM. Started with the first child; commands only pay for one line on a pipe.

import { randomBytes } from "node:crypto";
import { basename, join } from "node:path";
import { createFile } from "./atomic-file.js";
import type { Fs } from "./fs.js";
import { isGone } from "./life.js";
import { parseHolder, thisProcess } from "./lock.js";
import { endMarked, markName } from "./marked.js";
import { bashPath, type Piped, startPiped } from "./process.js";

const script = `
trap '' INT HUP TERM
groups=' '
n=$'\\n'
made=$n
while IFS= read -r line; do
  case $line in
    +*) groups="$groups\${line#+} " ;;
    -*) groups=\${groups/ \${line#-} / } ;;
    m*) made="$made\${line#m}$n" ;;
    r*) made=\${made/"$n\${line#r}$n"/$n} ;;
    end) exit 0 ;;
  esac
done
for group in $groups; do kill -KILL -- "-$group"; done
for round in 1 2; do
  for file in $(grep -lz "^${markName}=$1" /proc/[0-9]*/environ); do
    pid=\${file#/proc/}
    kill -KILL "\${pid%/environ}"
  done
done
while IFS= read -r line; do
  [ -z "$line" ] && continue
  place="$3/\${line%% *}"
  rm -f -- "$place/$1"
  rmdir -- "$place" && rmdir -- "\${line#* }"
done <<<"$made"
rm -f -- "$2"
`;

/** What a started group is told to. */
export interface GroupGuard {
  /** Value of CINCH_RUN for the next child: the mark of this run and a number of its own. */
  nextMark(): string;
  guard(group: number): void;
  release(group: number): void;
}

/** Empty directories that are to go when this process dies, and the marks of those who need them. */
export interface Tidier {
  /** Of this process. */
  readonly mark: string;
  /** Each directory in here holds the marks for one name. */
  readonly markPlace: string;
  /** Does the process that has this mark live, as far as is known? */
  isOnRecord(mark: string): boolean;
  /** `place`: where the marks for it are. */
  made(directory: string, place: string): void;
  removed(directory: string): void;
}

export class Supervisor implements GroupGuard, Tidier {
  readonly #disk: Fs;
  readonly #directory: string;
  readonly mark = randomBytes(8).toString("hex");
  readonly markPlace: string;
  readonly #groups = new Set<number>();
  /** The lines that tell of each. */
  readonly #made = new Map<string, string>();
  #children = 0;
  #piped: Piped | undefined;
  #swept: Promise<void> | undefined;

  /** `directory`: where running harnesses are on record. */
  constructor(disk: Fs, directory: string) {
    this.#disk = disk;
    this.#directory = directory;
    this.markPlace = `${directory}-held`;
  }

  nextMark(): string {
    this.#children++;
    return `${this.mark}.${this.#children}`;
  }

  /** Before the first child: a supervisor, a record of this process, and an end to what dead ones left behind. */
  ready(): Promise<void> {
    this.#swept ??= this.#begin();
    return this.#swept;
  }

  guard(group: number): void {
    this.#groups.add(group);
    this.#tell(`+${group}`);
  }

  release(group: number): void {
    this.#groups.delete(group);
    this.#tell(`-${group}`);
  }

  made(directory: string, place: string): void {
    // A line each; a name that is no line stays behind, empty.
    if (directory.includes("\n")) return;
    const line = `${basename(place)} ${directory}`;
    this.#made.set(directory, line);
    this.#tell(`m${line}`);
  }

  removed(directory: string): void {
    const line = this.#made.get(directory);
    if (this.#made.delete(directory)) this.#tell(`r${line}`);
  }

  isOnRecord(mark: string): boolean {
    return this.#disk.existsSync(join(this.#directory, `${mark}.json`));
  }

  /** Ends what is left of this run, then the supervisor. */
  async close(): Promise<void> {
    if (!this.#swept) return;
    await this.#swept;
    await endMarked(this.mark, { graceMs: 500 });
    this.#piped?.write("end\n");
    this.#piped = undefined;
    this.#swept = undefined;
    this.#disk.rmSync(this.#record, { force: true });
  }

  get #record(): string {
    return join(this.#directory, `${this.mark}.json`);
  }

  async #begin(): Promise<void> {
    this.#disk.mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    const mine = { ...thisProcess(this.#disk), mark: this.mark };
    await createFile(this.#disk, this.#record, JSON.stringify(mine));
    this.#start();
    await this.#sweepDead();
  }

  #start(): void {
    // An environment without the mark, and programs from the system only.
    const env = { PATH: "/usr/bin:/bin" };
    const args = ["--noprofile", "--norc", "-c", script, "cinch-supervisor", this.mark, this.#record, this.markPlace];
    this.#piped = startPiped(bashPath(this.#disk), args, { cwd: "/", env });
  }

  #tell(line: string): void {
    if (this.#piped && !this.#piped.ended()) {
      this.#piped.write(`${line}\n`);
      return;
    }
    // Somebody killed it: the next one hears of everything that is there now.
    this.#start();
    for (const group of this.#groups) this.#piped?.write(`+${group}\n`);
    for (const line of this.#made.values()) this.#piped?.write(`m${line}\n`);
  }

  /** Harnesses on record that are gone, supervisor and all: their processes are ended now. */
  async #sweepDead(): Promise<void> {
    const here = thisProcess(this.#disk);
    for (const name of this.#disk.readdirSync(this.#directory)) {
      const path = join(this.#directory, name);
      const holder = name.endsWith(".json") ? parseHolder(this.#disk.readFileSync(path, "utf8")) : null;
      if (!holder || !isGone(this.#disk, holder, here)) continue;
      if (holder.boot === here.boot) await endMarked(holder.mark, { graceMs: 500 });
      this.#disk.rmSync(path, { force: true });
    }
  }
}
