// An attached terminal: its place at the session, what it reads there and what it says.
// Invariants: what was said is shown as taken only when the host has said so; what the host never answered is named at the end,
// and not said again by itself. The place is removed when this process ends, however it ends in order.

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { StringDecoder } from "node:string_decoder";
import type { SteerMode } from "../../core/event.js";
import { replaceFile } from "../../lib/atomic-file.js";
import type { Fs } from "../../lib/fs.js";
import { parseJson } from "../../lib/json.js";
import { thisProcess } from "../../lib/lock.js";
import { files, type GuestAnswer, isOurs, meetingPlace, type Said, type SpoolLine, sayFile } from "./spool.js";

export class AttachGuest {
  readonly #disk: Fs;
  readonly #place: string;
  readonly #directory: string;
  readonly #decoder = new StringDecoder("utf8");
  #fd: number | undefined;
  #rest = "";
  #count = 0;
  readonly #said = new Map<number, string>();
  /** Of these the host has said nothing yet. */
  readonly #open = new Set<number>();

  constructor(disk: Fs, state: string, session: string) {
    this.#disk = disk;
    this.#place = meetingPlace(state, session);
    this.#directory = join(this.#place, randomBytes(8).toString("hex"));
  }

  /** False: somebody else's directory stands there. */
  async enter(): Promise<boolean> {
    this.#disk.mkdirSync(this.#place, { recursive: true, mode: 0o700 });
    if (!isOurs(this.#disk, this.#place, "directory")) return false;
    this.#disk.mkdirSync(this.#directory, { mode: 0o700 });
    const life = `${JSON.stringify(thisProcess(this.#disk))}\n`;
    await replaceFile(this.#disk, join(this.#directory, files.life), life, { mode: 0o600, sync: false });
    return true;
  }

  async say(text: string, mode: SteerMode): Promise<void> {
    await this.#put({ n: ++this.#count, mode, text }, text);
  }

  async cancel(): Promise<void> {
    await this.#put({ n: ++this.#count, cancel: true }, "/cancel");
  }

  async answer(question: string, answer: GuestAnswer, shown: string): Promise<void> {
    await this.#put({ n: ++this.#count, question, answer }, shown);
  }

  async #put(said: Said, shown: string): Promise<void> {
    this.#said.set(said.n, shown);
    this.#open.add(said.n);
    const file = join(this.#directory, sayFile(said.n));
    await replaceFile(this.#disk, file, JSON.stringify(said), { mode: 0o600, sync: false });
  }

  /** What has come since it was last asked. */
  read(): SpoolLine[] {
    this.#fd ??= this.#opened();
    if (this.#fd === undefined) return [];
    const bytes = Buffer.alloc(64 * 1024);
    let text = this.#rest;
    for (let got = -1; got !== 0; ) {
      got = this.#disk.readSync(this.#fd, bytes, 0, bytes.length, null);
      text += this.#decoder.write(bytes.subarray(0, got));
    }
    const lines = text.split("\n");
    this.#rest = lines.pop() ?? "";
    return lines.map((line) => parseJson(line) as unknown as SpoolLine);
  }

  /** The host has said what became of this; it is what was said. */
  answered(n: number): string {
    this.#open.delete(n);
    return this.#said.get(n) ?? "";
  }

  /** The host has taken the place away. */
  get isOut(): boolean {
    return !this.#disk.existsSync(this.#directory);
  }

  get unanswered(): readonly string[] {
    return [...this.#open].map((n) => this.#said.get(n) ?? "");
  }

  leave(): void {
    if (this.#fd !== undefined) this.#disk.closeSync(this.#fd);
    this.#fd = undefined;
    this.#disk.rmSync(this.#directory, { recursive: true, force: true });
    try {
      this.#disk.rmdirSync(this.#place);
    } catch {
      // Others are attached, or have just made their place.
    }
  }

  #opened(): number | undefined {
    const file = join(this.#directory, files.events);
    return isOurs(this.#disk, file, "file") ? this.#disk.openSync(file, "r") : undefined;
  }
}
