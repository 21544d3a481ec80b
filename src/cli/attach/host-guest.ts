// One attached terminal, as the process that holds the session sees it: its directory, its spool, what it has said.
// Invariant: of a directory that is not this user's alone nothing is read; a guest that has gone, in whatever way, costs nothing more.

import { join } from "node:path";
import { codeOf } from "../../core/errors.js";
import { writeAll } from "../../lib/atomic-file.js";
import { diskFlags, type Fs } from "../../lib/fs.js";
import { isGone, thisLife } from "../../lib/life.js";
import { parseHolder } from "../../lib/lock.js";
import { files, isOurs, type SpoolLine, saidNumber, sayFile } from "./spool.js";

/** A spool that nobody reads away does not fill the disk. */
const mostBytes = 64 * 1024 * 1024;
/** Looks between two questions whether its process still lives. */
const lifeEvery = 50;

export class Guest {
  readonly #disk: Fs;
  readonly #directory: string;
  readonly #fd: number;
  /** Of the process that has attached. */
  readonly pid: number;
  readonly #answered = new Set<number>();
  #bytes = 0;
  #looks = 0;
  #left = false;

  private constructor(disk: Fs, directory: string, open: { fd: number; pid: number }) {
    this.#disk = disk;
    this.#directory = directory;
    this.#fd = open.fd;
    this.pid = open.pid;
  }

  /** Null: it is not ready, not ours, has gone, or was met before. */
  static meet(disk: Fs, directory: string): Guest | null {
    if (!isOurs(disk, directory, "directory") || !isOurs(disk, join(directory, files.life), "file")) return null;
    const { O_WRONLY, O_CREAT, O_EXCL, O_APPEND, O_NOFOLLOW } = diskFlags;
    const pid = living(disk, directory);
    if (pid === null) {
      disk.rmSync(directory, { recursive: true, force: true });
      return null;
    }
    if (disk.existsSync(join(directory, files.events))) return null;
    const flags = O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW;
    return new Guest(disk, directory, { fd: disk.openSync(join(directory, files.events), flags, 0o600), pid });
  }

  get hasLeft(): boolean {
    const look = this.#looks++ % lifeEvery === 0;
    if (
      !this.#left &&
      (!this.#disk.existsSync(this.#directory) || (look && living(this.#disk, this.#directory) === null))
    ) {
      this.#letGo();
      this.#disk.rmSync(this.#directory, { recursive: true, force: true });
    }
    return this.#left;
  }

  /** What it has said and nobody has answered, oldest first. */
  saying(): number[] {
    const numbers = this.#disk.readdirSync(this.#directory).flatMap((name) => saidNumber(name) ?? []);
    return numbers
      .filter((n) => !this.#answered.has(n) && isOurs(this.#disk, this.sayPath(n), "file"))
      .sort((a, b) => a - b);
  }

  sayPath(n: number): string {
    return join(this.#directory, sayFile(n));
  }

  answer(line: Extract<SpoolLine, { n: number }>): void {
    this.#answered.add(line.n);
    this.tell(line);
    this.#disk.rmSync(this.sayPath(line.n), { force: true });
  }

  tell(line: SpoolLine): void {
    if (this.#left) return;
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    this.#bytes += bytes.length;
    if (this.#bytes > mostBytes && line.type !== "end")
      this.end("More has happened than is kept for one terminal; attach again.");
    else this.#write(bytes);
  }

  /** What cannot be written is the end of this guest, and nothing to the session: its place goes, which it sees. */
  #write(bytes: Buffer): void {
    try {
      writeAll(this.#disk, this.#fd, bytes);
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      this.#letGo();
      this.#disk.rmSync(this.#directory, { recursive: true, force: true });
    }
  }

  end(text: string): void {
    if (this.#left) return;
    this.tell({ type: "end", text });
    this.#letGo();
  }

  #letGo(): void {
    this.#left = true;
    this.#disk.closeSync(this.#fd);
  }
}

/** Its process; null: it is gone. */
function living(disk: Fs, directory: string): number | null {
  try {
    const life = parseHolder(disk.readFileSync(join(directory, files.life), "utf8"));
    return life !== null && !isGone(disk, life, thisLife(disk)) ? life.pid : null;
  } catch {
    // It has just gone, with its directory.
    return null;
  }
}
