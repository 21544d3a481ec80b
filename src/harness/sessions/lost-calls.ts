// Which calls of a session that goes on have no result, and what is found of the one that was killed.
// Invariant: what is attached to the path is read only when there is such a call.

import type { SessionLog } from "../../session/log.js";
import { isBranchedAfter, openCalls } from "../../session/tree.js";
import { loadInterrupted } from "../lazy.js";
import type { Surroundings } from "../surroundings.js";
import type { Interrupted } from "./interrupted.js";
import type { LiveLog } from "./live-log.js";
import type { OpenCall } from "./lost-result.js";

export function openCallsOf(log: SessionLog): OpenCall[] {
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

/** Only where a call was begun and has no end. */
export async function lookBackOf(at: Surroundings, log: SessionLog, looking: Looking): Promise<Interrupted | null> {
  if (!openCallsOf(log).some(({ state }) => state === "unknown")) return null;
  const { lookBack } = await loadInterrupted();
  const { live, conceals } = looking;
  const limits = { keep: at.settings.files.maxBytes, conceals: await conceals() };
  return lookBack(at, { file: log.file, append: live.append }, limits);
}
