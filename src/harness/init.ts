// What a front end shows first of a session: where it is, what holds in it, and what the user should know.

import type { Model } from "../core/model.js";
import { version } from "../core/version.js";
import type { SessionLog } from "../session/log.js";
import type { Init } from "./api/index.js";
import type { Surroundings } from "./surroundings.js";
import type { SessionTools } from "./toolbox.js";

interface Opened {
  at: Surroundings;
  log: SessionLog;
  model: Model;
  source: string;
  tools: SessionTools;
  notices: readonly string[];
}

export function initOf({ at, log, model, source, tools, notices }: Opened): Init {
  return {
    session_id: log.id,
    model: model.id,
    cwd: at.cwd,
    root: at.root,
    tools: tools.declared.map((tool) => tool.name),
    permission_mode: at.settings.permissions.mode,
    trust: at.project.trust,
    ignored: [...at.project.ignored, ...at.unused],
    not_loaded: at.unused,
    sandbox: at.sandboxing.expected,
    version,
    model_source: source,
    window: model.facts.window,
    notices: [...at.notices, ...notices, ...damage(log), ...elsewhere(log, at.root)],
  };
}

/** A text or an image that the conversation held is gone: its next request cannot extend the last one. */
export function lossIn({ repairs }: SessionLog): string | undefined {
  return repairs.some(({ kind }) => kind === "spill") ? "damage" : undefined;
}

/** What was found for the first time in full; what has been told before in one line. */
function damage({ id, repairs, head }: SessionLog): string[] {
  const fresh = repairs.filter((repair) => !repair.known);
  const told = fresh.map((repair) => repair.text);
  const list = `\`cinch sessions verify ${id}\` says what is wrong and what is left.`;
  if (fresh.some(({ kind }) => kind === "cut")) {
    const from = `goes on from entry ${head}, the last before the damage`;
    told.push(`The conversation ${head ? from : "begins anew: nothing of it is before the damage"}. ${list}`);
  } else if (fresh.length < repairs.length)
    told.push(`The log of this session has damage that was told before. ${list}`);
  return told;
}

/** A session may be continued from another project; the user and the model then mean different files by one name. */
function elsewhere({ header }: SessionLog, root: string): string[] {
  if (!header || header.root === root) return [];
  return [`This session worked in ${header.root}; it goes on in ${root}.`];
}
