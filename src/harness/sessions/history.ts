// Sessions as files: listing them, showing their trees, labels, forks, deletion. What only reads takes no lock; what
// writes opens the session, so it is refused while another process has it. Nothing here needs a model or settings.

import { dirname, join } from "node:path";
import { UserError } from "../../core/errors.js";
import type { Lock } from "../../lib/lock.js";
import { cannotDelete, takeLock } from "../../session/faults.js";
import { glance } from "../../session/glance.js";
import { SessionLog } from "../../session/log.js";
import {
  allSessions,
  listSessions,
  projectKey,
  type SessionInfo,
  sessionDir,
  sessionsBelow,
  usedAt,
} from "../../session/store.js";
import type {
  Deleted,
  Fork,
  ForkOptions,
  SessionDetails,
  SessionSummary,
  Sessions,
  SessionTree,
} from "../api/index.js";
import { type Place, sessionAt } from "../place.js";
import { branch, label, putFilesBack, sessionWith, treeOf } from "./branch.js";
import { findEntry } from "./find-entry.js";
import { logPorts } from "./log-ports.js";
import { copyPath } from "./session-copy.js";

export class History implements Sessions {
  readonly #place: Place;

  constructor(place: Place) {
    this.#place = place;
  }

  async list({ all = false }: { all?: boolean } = {}): Promise<SessionSummary[]> {
    const { disk, state, root } = this.#place;
    const found = all ? allSessions(disk, state) : listSessions(disk, sessionDir(state, projectKey(root)));
    const summaries = found.map((info) => this.#summary(info));
    return summaries.sort((a, b) => Date.parse(b.last_activity) - Date.parse(a.last_activity));
  }

  #summary(info: SessionInfo): SessionSummary {
    const { id, file, label: name, root, created, size, mtime, problem } = info;
    const { disk } = this.#place;
    const { prompt, entries } = glance(disk, { file, size });
    const last_activity = new Date(usedAt(disk, info) ?? mtime).toISOString();
    return { id, label: name, prompt, created, last_activity, entries, root, file, size, problem };
  }

  async show(session?: string): Promise<SessionDetails> {
    const info = sessionAt(this.#place, session);
    const { session_id: _id, entries, ...facts } = treeOf(this.#place, info.id, info.file);
    const parents = new Set(entries.map(({ parent }) => parent));
    return {
      ...this.#summary(info),
      ...facts,
      model: entries.findLast(({ type, active }) => type === "model" && active)?.text ?? null,
      turns: entries.filter(({ role }) => role === "assistant").length,
      branches: entries.filter(({ id }) => !parents.has(id)).length,
      labels: entries.flatMap(({ id, label }) => (label === null ? [] : [{ entry: id, label }])),
    };
  }

  async tree(session?: string): Promise<SessionTree> {
    const { id, file } = sessionAt(this.#place, session);
    return treeOf(this.#place, id, file);
  }

  async label(entry: string, text: string, session?: string): Promise<string> {
    const { id, file } = this.#sessionWith(entry, session);
    const tree = treeOf(this.#place, id, file);
    return this.#writing(file, (log) => label(log, tree, entry, text));
  }

  async fork(entry: string, options: ForkOptions & { name?: string; session?: string } = {}): Promise<Fork> {
    const { session, name, what = "conversation" } = options;
    const { id, file } = this.#sessionWith(entry, session);
    const tree = treeOf(this.#place, id, file);
    const target = findEntry(tree.entries, entry).id;
    if (name === undefined) return this.#writing(file, (log) => branch(this.#place, log, { entry: target, what }));
    if (what === "files") throw new UserError("Files alone make no session that could have a name.", "Leave it out.");
    const copy = await copyPath(this.#place, { file, tree, entry: target, name });
    try {
      // The model of the copy is nowhere else, so it need not hear of the files; that of the source must.
      const back = (log: SessionLog) => putFilesBack(this.#place, log, target, false);
      const files = what === "both" ? await this.#writing(file, back) : [];
      return { session_id: copy.id, head: copy.head, name, files, draft: null };
    } catch (error) {
      // Without its files the branch is not what was asked for.
      this.#place.disk.rmSync(copy.file, { force: true });
      throw error;
    } finally {
      await copy.close();
    }
  }

  #sessionWith(entry: string, session: string | undefined): SessionInfo {
    const info = sessionAt(this.#place, session);
    return session === undefined ? sessionWith(this.#place, info, entry) : info;
  }

  async delete(session: string): Promise<Deleted> {
    const { disk } = this.#place;
    const info = sessionAt(this.#place, session);
    // Whoever worked for it has no meaning without it; those that did for them go first.
    const removed = sessionsBelow(disk, info)
      .reverse()
      .flatMap((below) => this.#remove(below));
    return { session_id: info.id, removed: [...removed, ...this.#remove(info)] };
  }

  #remove({ id, file }: Pick<SessionInfo, "id" | "file">): string[] {
    const { disk, state } = this.#place;
    let lock: Lock | undefined;
    try {
      lock = takeLock(disk, file, id);
      const dir = dirname(file);
      // Torn tails and the like stand beside it; the lock goes when it is released.
      const own = disk.readdirSync(dir).filter((name) => name.startsWith(`${id}.`) && name !== `${id}.lock`);
      const there = own.map((name) => join(dir, name));
      const texts = join(state, "spill", id);
      if (disk.lstatSync(texts, { throwIfNoEntry: false })) there.push(texts);
      for (const path of there) disk.rmSync(path, { recursive: true, force: true });
      return there;
    } catch (error) {
      throw cannotDelete(error, id);
    } finally {
      lock?.release();
    }
  }

  async #writing<Value>(file: string, work: (log: SessionLog) => Promise<Value>): Promise<Value> {
    const log = SessionLog.open({ ...logPorts(this.#place), file });
    try {
      return await work(log);
    } finally {
      await log.close();
    }
  }
}
