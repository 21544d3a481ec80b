// One open session: appends entries to its file and holds the active path. One writer per file, by lock.
// Invariants: an entry is in the kernel when `append` returns, and on the disk when the next `sync` has resolved; a
// failed append changes nothing, here or in the file; the path is what the file says, so a resume sees the same bytes.
// Holds the payloads of what the model still reads; everything else is a light index, read when asked for.
// Does not decide when to sync and never repairs a conversation: that is the agent's (tree.ts `openCalls`).

import { join } from "node:path";
import type { Entry, EntryData, EntryType } from "../core/entry.js";
import { UserError } from "../core/errors.js";
import { inTurn } from "../lib/in-turn.js";
import { JsonlWriter } from "../lib/jsonl.js";
import type { Lock } from "../lib/lock.js";
import { ActivePath } from "./active-path.js";
import { EntryReader } from "./entry-reader.js";
import { ambiguous, cannotKeep, cannotOpen, cannotSync, cannotWrite, idOfFile, takeLock } from "./faults.js";
import { type Frame, lineOf } from "./line.js";
import type { SessionPorts } from "./ports.js";
import type { Header, Repair } from "./reading.js";
import { noteOf, recover } from "./recover.js";
import { Spill } from "./spill.js";
import { createId, isSessionId } from "./store.js";
import {
  addNode,
  advance,
  type EntryTree,
  emptyTree,
  isPathType,
  type PathEntry,
  pathAnchor,
  resolveId,
  type TreeNode,
} from "./tree.js";

export type CreateOptions = SessionPorts & {
  /** Directory of this project's sessions; made (0700) when absent. */
  dir: string;
  /** Default: a fresh id. */
  id?: string;
  header: Header;
};

/** An entry to be: without `parent` it hangs on the head. */
export type NewEntry = {
  [T in EntryType]: { type: T; data: EntryData[T]; parent?: string | null | undefined };
}[EntryType];

interface Parts {
  id: string;
  writer: JsonlWriter;
  lock: Lock;
  tree: EntryTree;
  header: Header | null;
  repairs: Repair[];
  nextSeq: number;
}

export class SessionLog {
  readonly id: string;
  readonly file: string;
  /** Null only when the file's first line is damaged beyond reading. */
  readonly header: Header | null;
  /** What was wrong with the file when it was opened, and long texts found missing since. */
  readonly repairs: Repair[];
  /** The light index, for tree.ts. Read only. */
  readonly tree: EntryTree;
  readonly #ports: SessionPorts;
  readonly #writer: JsonlWriter;
  readonly #lock: Lock;
  readonly #spill: Spill;
  #nextSeq: number;
  readonly #reader: EntryReader;
  readonly #path: ActivePath;

  private constructor(ports: SessionPorts, parts: Parts) {
    this.id = parts.id;
    this.file = parts.writer.file;
    this.header = parts.header;
    this.repairs = parts.repairs;
    this.tree = parts.tree;
    this.#ports = ports;
    this.#writer = parts.writer;
    this.#lock = parts.lock;
    this.#nextSeq = parts.nextSeq;
    this.#spill = new Spill(ports.disk, ports.spillDir);
    const onLost = (text: string) => this.repairs.push({ kind: "spill", line: null, offset: null, text, known: false });
    const { disk } = ports;
    this.#reader = new EntryReader({ disk, file: this.file, fd: this.#writer.fd, spill: this.#spill, onLost });
    this.#path = new ActivePath((nodes) => this.#reader.read(nodes));
  }

  /** @throws UserError when the id is taken, or the directory cannot be written */
  static create(options: CreateOptions): SessionLog {
    const { dir, header, disk, ids } = options;
    const id = options.id ?? createId(ids);
    if (!isSessionId(id))
      throw new UserError(`"${id}" cannot be the id of a session`, "Use 4 to 64 of a-z, 0-9 and -.");
    const file = join(dir, `${id}.jsonl`);
    let lock: Lock | undefined;
    let writer: JsonlWriter | undefined;
    try {
      disk.mkdirSync(dir, { recursive: true, mode: 0o700 });
      lock = takeLock(disk, file, id);
      writer = JsonlWriter.create(disk, file);
      const parts = { id, writer, lock, tree: emptyTree(), header, repairs: [], nextSeq: 0 };
      const log = new SessionLog(options, parts);
      log.append("header", header, null);
      return log;
    } catch (error) {
      // A file without a header would only puzzle the next reader.
      if (writer) disk.rmSync(file, { force: true });
      writer?.close();
      lock?.release();
      throw cannotKeep(error, dir, id);
    }
  }

  /**
   * Opens, verifies and repairs a session file; see `repairs` for what was found.
   * @throws UserError when it is in use (exit 1), not a session, empty, or of a newer version
   */
  static open(options: SessionPorts & { file: string }): SessionLog {
    const { file, disk } = options;
    const id = idOfFile(file);
    let lock: Lock | undefined;
    let writer: JsonlWriter | undefined;
    try {
      disk.accessSync(file);
      lock = takeLock(disk, file, id);
      const parts = recover(disk, file);
      writer = parts.writer;
      const log = new SessionLog(options, { ...parts, id, lock });
      // What was found goes into the log itself, once: the chain goes on from this note.
      const note = noteOf(log.repairs);
      if (note) log.append("note", note);
      log.#path.load(log.tree.head);
      return log;
    } catch (error) {
      writer?.close();
      lock?.release();
      throw cannotOpen(error, file);
    }
  }

  /** Id of the last entry of the active path, or null. */
  get head(): string | null {
    return this.tree.head?.id ?? null;
  }

  /**
   * What the model still reads of the active path, oldest first, and of what it does not the newest prompt, model and
   * reply. The same array, growing in place, until a compaction or until the head is moved elsewhere.
   */
  path(): readonly PathEntry[] {
    return this.#path.entries;
  }

  /** The whole active path, oldest first; what is not in memory is read as it is asked for. */
  whole(): Iterable<PathEntry> {
    return this.#path.whole((nodes) => this.#reader.readApart(nodes));
  }

  /**
   * Writes one entry, at once. Path types and `head` move the head; `parent` is the head unless given.
   * @throws UserError when the disk does not take it; nothing has then changed, and it may be tried again
   */
  append<T extends EntryType>(type: T, data: EntryData[T], parent?: string | null): Entry<T> {
    const [entry] = this.appendAll([{ type, data, parent } as NewEntry]);
    return entry as Entry<T>;
  }

  /** Writes several entries with one write(2): all of them or none. Each hangs on the head that the ones before made. */
  appendAll(items: readonly NewEntry[]): Entry[] {
    const lines: string[] = [];
    const entries: Entry[] = [];
    const taken = new Set<string>();
    let head = this.head;
    const { redact = (_type, data) => data } = this.#ports;
    for (const [i, given] of items.entries()) {
      const item = { ...given, data: redact(given.type, given.data) } as NewEntry;
      const frame: Frame = {
        seq: this.#nextSeq + i,
        id: this.#freshId(taken),
        parent: item.parent === undefined ? head : this.#known(item.parent, item.type),
        type: item.type,
        time: Math.trunc(this.#ports.clock.now()),
      };
      if (isPathType(item.type)) head = frame.id;
      if (item.type === "head") head = this.#anchorId(item.data.target);
      lines.push(lineOf(frame, this.#encode(item.data)));
      entries.push({ v: 1, ...frame, data: item.data } as Entry);
    }
    const spans = this.#write(lines);
    this.#nextSeq += items.length;
    for (const [i, entry] of entries.entries()) this.#take(entry, spans[i] ?? { offset: 0, length: 0 });
    return entries;
  }

  #take(entry: Entry, span: { offset: number; length: number }): void {
    const before = this.tree.head;
    const node = addNode(this.tree, entry, span);
    advance(this.tree, node, entry.type === "head" ? entry.data.target : undefined);
    if (this.tree.head === before) return;
    const fresh = this.tree.head === node ? (entry as PathEntry) : undefined;
    if (fresh && (node.parent && pathAnchor(node.parent)) === before) this.#path.grow(node, fresh);
    else this.#path.load(this.tree.head, fresh);
  }

  /** Resolves when everything appended so far survives a power loss. A no-op when nothing was written since. */
  async sync(): Promise<void> {
    try {
      await this.#writer.sync();
    } catch (error) {
      throw cannotSync(this.#ports.disk, this.file, error);
    }
  }

  /** Those of a type that is not on the path itself but hangs on it, in file order. Reads the file: not for every turn. */
  attached<T extends Exclude<EntryType, PathEntry["type"]>>(type: T): Entry<T>[] {
    return [...this.since(0, [type])];
  }

  /** How many entries the file holds; `since` goes on from there. */
  get length(): number {
    return this.tree.nodes.length;
  }

  /** Entries on the active path or hanging on it, in file order, without the first `length` of the file. */
  *since<T extends EntryType>(length: number, types: readonly T[]): Generator<Entry<T>> {
    const asked = new Set<string>(types);
    const nodes = this.tree.nodes
      .slice(length)
      .filter((node) => asked.has(node.type) && !node.cut && this.#onPath(node));
    yield* this.#reader.read(nodes) as Generator<Entry<T>>;
  }

  #onPath(node: TreeNode): boolean {
    const anchor = pathAnchor(node);
    return anchor === null || this.#path.nodes.has(anchor);
  }

  /**
   * The entry with this id or unique prefix of one, on whatever branch.
   * @throws UserError naming the candidates when several begin with it
   */
  entry(idOrPrefix: string): Entry | undefined {
    const { found, candidates } = resolveId(this.tree, idOrPrefix);
    if (found) return this.#path.get(found.id) ?? [...this.#reader.read([found])][0];
    if (candidates.length === 0) return undefined;
    throw ambiguous(idOrPrefix, candidates);
  }

  /** Waits for a sync that is under way, closes the file and gives the session free. Does not sync. */
  async close(): Promise<void> {
    await inTurn([() => this.#writer.settled(), () => this.#writer.close(), () => this.#lock.release()]);
  }

  #encode(data: unknown): string {
    try {
      return this.#spill.encode(data);
    } catch (error) {
      throw cannotWrite(error);
    }
  }

  #write(lines: string[]) {
    try {
      return this.#writer.append(lines);
    } catch (error) {
      throw cannotWrite(error);
    }
  }

  #known(parent: string | null, type: EntryType): string | null {
    const node = parent === null ? null : this.tree.byId.get(parent);
    // A label may hang on a lost branch; the conversation may not go on there.
    if (node === undefined || (node?.cut && isPathType(type)))
      throw new Error(`no entry ${parent} to hang a ${type} on`);
    return parent;
  }

  #anchorId(target: string | null): string | null {
    if (target === null) return null;
    const node = this.tree.byId.get(target);
    if (!node || node.cut) throw new Error(`no entry ${target} to move the head to`);
    return pathAnchor(node)?.id ?? null;
  }

  #freshId(taken: Set<string>): string {
    // Only injected ids ever repeat: counters that start again after a resume.
    for (let tries = 0; tries < 100_000; tries++) {
      const id = this.#ports.ids.next();
      if (this.tree.byId.has(id) || taken.has(id)) continue;
      taken.add(id);
      return id;
    }
    throw new Error("the source of ids repeats itself");
  }
}
