// `cinch why <file>:<line>`: the call that made a line, its run, its approval and agent, and what the line replaced.

import { UserError } from "../../core/errors.js";
import type { Json } from "../../core/json.js";
import { type Why, why } from "../../harness/undo/why.js";
import { nodeFs } from "../../lib/fs.js";
import { safeJson, safeText } from "../../lib/safe-text.js";
import { systemClock, systemIds } from "../../lib/system.js";
import type { Values } from "../args.js";
import { currentPlace } from "../current.js";
import { jsonFlag } from "../flags.js";
import { writeOut } from "../stdio.js";
import type { Command } from "./index.js";

const command: Command = {
  flags: [jsonFlag],
  words: { max: 1, hint: "<file>:<line>" },

  async run(values: Values, [place]: readonly string[]): Promise<number> {
    const { file, line } = placeOf(place);
    const at = { ...currentPlace(values), disk: nodeFs, clock: systemClock, ids: systemIds };
    const found = await why(at, file, line);
    writeOut(values.has("json") ? safeJson(asJson(found)) : safeText(`${asText(found)}\n`));
    return 0;
  },
};

export default command;

function placeOf(place: string | undefined): { file: string; line: number } {
  const [, file, line] = /^(.+):([1-9]\d{0,8})$/s.exec(place ?? "") ?? [];
  if (file === undefined) throw new UserError("cinch why needs a place.", "Write it like: cinch why src/a.ts:12");
  return { file, line: Number(line) };
}

function asJson({ path, line, text, origin, session, family, action, approval }: Why): Json {
  const place = { path, line, text, made: origin.made };
  if (origin.made === "unknown") return { ...place, why: origin.why };
  if (origin.made === "before") return place;
  if (origin.made === "outside") {
    return { ...place, since_call: origin.since.call, until_call: origin.until?.call ?? null };
  }
  const { call, tool, agent, entry, time } = origin.step;
  const { decision = null, rule = null, by = null } = approval ?? {};
  const replaced = origin.replaced.map(readable);
  const whose = family === null ? {} : { family_session_id: family };
  const made = { session_id: session, ...whose, run: action?.text ?? null, call, tool, agent, entry };
  return { ...place, ...made, time: new Date(time).toISOString(), approval: { decision, rule, by }, replaced };
}

function asText({ origin, session, family, action, approval, text }: Why): string {
  switch (origin.made) {
    case "unknown":
      return `It cannot be told who made this line: ${origin.why}.`;
    case "before":
      return origin.first
        ? `This line is older than the first call that changed the file (${origin.first.call}).`
        : "No call of this project's sessions changed this file.";
    case "outside": {
      const until = origin.until ? ` and before ${origin.until.call}` : "";
      return `This line was made outside Cinch, after ${origin.since.call}${until}.`;
    }
    case "call": {
      const { call, tool, agent, entry, time } = origin.step;
      const whose = family === null ? "" : `, for session ${family}`;
      return [
        `  ${text}`,
        `made by  ${tool} (call ${call}, entry ${entry}, agent ${agent}), ${new Date(time).toISOString()}`,
        `in       ${done(action)} (session ${session}${whose})`,
        ...(approval ? [`allowed  by ${approval.by}${approval.rule === null ? "" : `, ${approval.rule}`}`] : []),
        origin.replaced.length > 0 ? "it replaced" : "it replaced nothing",
        ...origin.replaced.map((line) => `- ${readable(line)}`),
      ].join("\n");
    }
  }
}

function done(action: Why["action"]): string {
  if (action?.kind === "undo") return `an undo of ${action.text}`;
  return action?.kind === "work" ? action.text : JSON.stringify(action?.text ?? "");
}

function readable(line: string): string {
  return Buffer.from(line, "latin1")
    .toString()
    .replace(/\r?\n$/, "");
}
