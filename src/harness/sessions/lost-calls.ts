// Which calls of a session that goes on have no result.
// Invariant: what is attached to the path is read, and what knows what became of them is loaded, only when there is such a call.

import type { SessionLog } from "../../session/log.js";
import { isBranchedAfter, openCalls } from "../../session/tree.js";
import { loadInterrupted } from "../lazy.js";
import type { Surroundings } from "../surroundings.js";
import type { Settled } from "./interrupted.js";
import type { LiveLog } from "./live-log.js";
import type { OpenCall } from "./lost-result.js";

function openCallsOf(log: SessionLog): OpenCall[] {
  const open = openCalls(log.path(), { intents: [], outcomes: [] });
  const [first] = open;
  if (!first) return [];
  if (isBranchedAfter(log.tree, first.message)) return open.map((call) => ({ ...call, state: "branched" }));
  return openCalls(log.path(), { intents: log.attached("intent"), outcomes: log.attached("outcome") });
}

interface Looking {
  live: LiveLog;
  /** A test for paths whose content is not shown. */
  conceals(): Promise<(path: string) => boolean>;
}

/** Null when every call has its result. */
export async function settledCalls(at: Surroundings, log: SessionLog, looking: Looking): Promise<Settled | null> {
  const open = openCallsOf(log);
  if (open.length === 0) return null;
  const { settleCalls } = await loadInterrupted();
  const { live, conceals } = looking;
  const limits = { keep: at.settings.files.maxBytes, conceals: await conceals() };
  return settleCalls(at, { file: log.file, append: live.append }, { open, intents: log.attached("intent"), limits });
}
