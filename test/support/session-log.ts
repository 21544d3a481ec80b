// Sessions in a directory of their own, on the real disk, for the tests of session/.

import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EntryData } from "../../src/core/entry.js";
import { nodeFs } from "../../src/lib/fs.js";
import { systemClock, systemIds } from "../../src/lib/system.js";
import { SessionLog } from "../../src/session/log.js";
import type { SessionPorts } from "../../src/session/ports.js";

export const header: EntryData["header"] = {
  format: "cinch-session",
  project: "p-00000000",
  root: "/p",
  created: "2026-01-01",
};

/** A state directory; `create` and `open` work in its only project. */
export function sessions() {
  const base = mkdtempSync(join(tmpdir(), "session-"));
  const dir = join(base, "sessions", "p");
  const ports: SessionPorts = { spillDir: join(base, "spill"), disk: nodeFs, clock: systemClock, ids: systemIds };
  return {
    base,
    dir,
    ports,
    create: (changes: Partial<SessionPorts> = {}) => SessionLog.create({ ...ports, ...changes, dir, header }),
    open: (file: string) => SessionLog.open({ ...ports, file }),
  };
}

export const user = (text: string): EntryData["message"] => ({ role: "user", parts: [{ type: "text", text }] });

/** The texts of the messages on the active path. */
export function texts(log: SessionLog): string[] {
  const first = log.path().map((entry) => (entry.type === "message" ? entry.data.parts[0] : undefined));
  return first.map((part) => (part?.type === "text" ? part.text : ""));
}

/** The only session file below a state directory. */
export function logFile(home: string): string {
  const project = readdirSync(join(home, "sessions"))[0] ?? "";
  const file = readdirSync(join(home, "sessions", project)).find((name) => name.endsWith(".jsonl")) ?? "";
  return join(home, "sessions", project, file);
}
