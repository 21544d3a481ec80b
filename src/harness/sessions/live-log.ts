// The session log as a live session uses it: every entry is announced, and the barrier covers what lies beside the log.

import type { Log } from "../../agent/ports.js";
import type { Entry } from "../../core/entry.js";
import type { SessionLog } from "../../session/log.js";
import type { EventHub } from "../events.js";

export type LiveLog = Log & Pick<SessionLog, "attached" | "whole"> & { entry(id: string): Entry | undefined };

/** The log, with an event for every entry it takes; `before` joins what else is due at its barrier. */
export function liveLog(log: SessionLog, hub: EventHub, before: () => Promise<void>): LiveLog {
  const say = (entry: { id: string; type: string }) => hub.append(entry as Entry);
  return {
    append(type, data, parent) {
      const entry = log.append(type, data, parent);
      say(entry);
      return entry;
    },
    appendAll(items) {
      const entries = log.appendAll(items);
      entries.forEach(say);
      return entries;
    },
    async sync() {
      await Promise.all([before(), log.sync()]);
    },
    path: () => log.path(),
    whole: () => log.whole(),
    entry: (id) => log.entry(id),
    attached: (type) => log.attached(type),
  };
}
