// The journal of a session: which directories it looks at, where it keeps what it takes, and within which limits.
// Invariant: wiring only; loaded with the first call that may change something.

import { join } from "node:path";
import { Journal, type JournalOptions } from "../../files/journal/journal.js";
import { resolvePath } from "../../lib/paths.js";
import { systemClock } from "../../lib/system.js";
import { projectKey } from "../../session/store.js";
import { ownGround } from "../place.js";
import type { WorkspaceOptions } from "./workspace.js";

interface SessionJournalOptions
  extends Pick<WorkspaceOptions, "root" | "cwd" | "state" | "disk" | "settings" | "log" | "permissions">,
    Pick<JournalOptions, "objects" | "seen"> {
  addDirs: readonly string[];
}

export async function sessionJournal(options: SessionJournalOptions): Promise<Journal> {
  const { root, cwd, state, disk, settings, log, permissions, addDirs, objects, seen } = options;
  const { maxBytes, maxIgnoredBytes, maxSessionBytes, maxEntries } = settings.files;
  return new Journal({
    disk,
    cwd,
    bases: [root, ...addDirs].map((path) => resolvePath(disk, "/", path).path),
    skip: ownGround({ state, root }).map((path) => resolvePath(disk, "/", path).path),
    objects,
    seen,
    limits: { file: maxBytes, ignored: maxIgnoredBytes, session: maxSessionBytes, entries: maxEntries },
    // Time stamps of files are those of the system, whatever clock the harness goes by.
    clock: systemClock,
    conceals: await permissions.concealed(),
    cache: join(state, "checkpoints", "index", projectKey(root)),
    checkpoint: (data) => void log.append("checkpoint", data),
  });
}
