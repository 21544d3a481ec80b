// `cinch import <file>`: a session of Claude Code, Codex, pi, opencode or another Cinch, to go on with.

import { resolve } from "node:path";
import { UserError } from "../../core/errors.js";
import { type Imported, importSession } from "../../harness/sessions/import.js";
import { nodeFs } from "../../lib/fs.js";
import { type SafeText, safeJson, safeText } from "../../lib/safe-text.js";
import { systemClock, systemIds } from "../../lib/system.js";
import type { Values } from "../args.js";
import { currentPlace } from "../current.js";
import { jsonFlag } from "../flags.js";
import { writeOut } from "../stdio.js";
import type { Command } from "./index.js";

const command: Command = {
  flags: [jsonFlag],
  words: { max: 1, hint: "<file>" },

  async run(values: Values, [file]: readonly string[]): Promise<number> {
    if (file === undefined)
      throw new UserError("cinch import needs a file.", "Write it like: cinch import session.jsonl");
    const place = { ...currentPlace(values), disk: nodeFs, clock: systemClock, ids: systemIds };
    const imported = await importSession(place, resolve(file));
    writeOut(values.has("json") ? asJson(imported) : safeText(`${asText(imported)}\n`));
    return 0;
  },
};

export default command;

function asJson({ session, format, about, messages, calls, dropped }: Imported): SafeText {
  const facts = { session_id: session, format, source: about, messages, calls, left_out: Object.fromEntries(dropped) };
  return safeJson(facts);
}

function asText({ session, format, messages, calls, dropped }: Imported): string {
  const left = [...dropped].map(([reason, times]) => `  ${String(times).padStart(6)}  ${reason}`);
  return [
    `Imported from ${format}: ${messages} messages with ${calls} calls, as session ${session}.`,
    ...(left.length > 0 ? ["Left out:", ...left] : []),
    `Go on with: cinch -r ${session}`,
  ].join("\n");
}
