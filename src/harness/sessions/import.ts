// `cinch import`: a session file of another program, or of another machine, as a new session of this project.
// Invariants: the file is only read; a session appears only when all of it could be read and holds a conversation.
// The first run of the session writes a prompt of its own: no system text, tool or permission comes out of a file.

import { basename } from "node:path";
import { codeOf, messageOf, UserError } from "../../core/errors.js";
import type { Clock, Ids } from "../../core/ids.js";
import type { Fs } from "../../lib/fs.js";
import { sha256 } from "../../lib/hash.js";
import { readCinch } from "../../session/import/cinch.js";
import type { About, Foreign } from "../../session/import/foreign.js";
import { plant } from "../../session/import/plant.js";
import { type ForeignFormat, readForeign } from "../../session/import/read.js";
import { readSession } from "../../session/index.js";
import { SessionLog } from "../../session/log.js";
import { projectKey, sessionDir } from "../../session/store.js";
import { foreignLogPorts } from "./log-ports.js";

export interface ImportPlace {
  root: string;
  /** State directory. */
  state: string;
  disk: Fs;
  clock: Clock;
  ids: Ids;
}

export interface Imported {
  session: string;
  format: ForeignFormat;
  about: About;
  messages: number;
  calls: number;
  /** How often what was left out, by reason. */
  dropped: ReadonlyMap<string, number>;
}

/** @throws UserError when the file cannot be read, is of no known form (exit 2), or holds no conversation (exit 1) */
export async function importSession(at: ImportPlace, file: string): Promise<Imported> {
  const bytes = read(at.disk, file);
  const { format, foreign: other } = readForeign(bytes.toString("utf8"));
  const foreign = other ?? readCinch(ownEntries(at, file));
  if (format === "cinch") foreign.about.session = basename(file).replace(/\.jsonl$/, "");
  if (foreign.turns.length === 0) {
    throw new UserError(`${file} holds no conversation; nothing was imported.`, "Name another file.", 1);
  }
  return await write(at, foreign, { format, file, hash: sha256(bytes) });
}

/** More than any conversation has, and less than one text can hold. */
const sizeLimit = 256 * 1024 * 1024;

function read(disk: Fs, file: string): Buffer {
  const unfit = (why: string) => new UserError(`${file} ${why}.`, "Name the file of a session.");
  try {
    const stat = disk.statSync(file);
    // A device or a pipe may never end, and says nothing of its size.
    if (!stat.isFile()) throw unfit("is not a regular file");
    if (stat.size <= sizeLimit) return disk.readFileSync(file);
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw unfit(codeOf(error) === "ENOENT" ? "is not there" : `could not be read: ${messageOf(error)}`);
  }
  throw new UserError(`${file} is larger than 256 MiB; nothing was imported.`, "Export a part of it.", 1);
}

function* ownEntries({ disk }: ImportPlace, file: string) {
  for (const { entry } of readSession(file, { fs: disk })) yield entry;
}

interface Source {
  format: ForeignFormat;
  file: string;
  hash: string;
}

async function write(at: ImportPlace, foreign: Foreign, { format, file, hash }: Source): Promise<Imported> {
  const { disk, root, state } = at;
  const project = projectKey(root);
  const now = at.clock.now();
  // Entries keep their times, which never go back here however the clock of the source jumped.
  let time = now;
  const clock = { ...at.clock, now: () => time };
  const created = new Date(now).toISOString();
  const { about, dropped } = foreign;
  const header = { format: "cinch-session", project, root, created } as const;
  const log = SessionLog.create({
    ...foreignLogPorts({ ...at, clock }),
    dir: sessionDir(state, project),
    header: about.session === null ? header : { ...header, parentSession: about.session },
  });
  try {
    const { messages, calls } = plant(foreign, (type, data, parent, when) => {
      time = when ?? time;
      return log.append(type, data, parent).id;
    });
    time = now;
    const left = Object.fromEntries(dropped);
    const source = { format, file: basename(file), sha256: hash, ...about };
    const text = `Imported from ${format}: ${messages} messages, ${calls} calls.`;
    log.append("note", { code: "imported", text, data: { source, left_out: left } }, null);
    await log.sync();
    return { session: log.id, format, about, messages, calls, dropped };
  } catch (error) {
    disk.rmSync(log.file, { force: true });
    throw error;
  } finally {
    await log.close();
  }
}
