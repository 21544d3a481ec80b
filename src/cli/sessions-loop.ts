// `cinch sessions show [<id>] --loop`: what the runs of a session did, from its log alone.

import { placeOf } from "../harness/place.js";
import { readReport } from "../harness/sessions/session-report.js";
import { safeJson, safeText } from "../lib/safe-text.js";
import { loopReport } from "../session/loop-report.js";
import type { Values } from "./args.js";
import { currentSettings } from "./current.js";
import { writeOut } from "./stdio.js";
import { loopView } from "./views/loop.js";

export async function showLoop(values: Values, id: string | undefined): Promise<number> {
  const { cwd, settings } = await currentSettings(values);
  const { info, entries } = readReport({ ...placeOf({ cwd }), models: settings.models }, id);
  const report = loopReport(entries);
  if (values.has("json")) writeOut(safeJson({ session_id: info.id, ...report }));
  else writeOut(safeText(`${loopView(report, { all: true })}\n`));
  return 0;
}
