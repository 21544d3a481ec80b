// `cinch sessions show [<id>] --cost`: what a session has cost, from its log alone.

import { placeOf } from "../harness/place.js";
import { costOfReport, readReport } from "../harness/sessions/session-report.js";
import { safeJson, safeText } from "../lib/safe-text.js";
import type { Values } from "./args.js";
import { currentSettings } from "./current.js";
import { writeErr, writeOut } from "./stdio.js";
import { costJson, costView } from "./views/cost.js";

export async function showCost(values: Values, id: string | undefined): Promise<number> {
  const { cwd, settings, problems } = await currentSettings(values);
  const at = { ...placeOf({ cwd }), models: settings.models };
  const report = readReport(at, id);
  const cost = costOfReport(at, report);
  if (values.has("json")) writeOut(safeJson(costJson(report.info.id, cost)));
  else writeOut(safeText(`${costView(cost, { explain: true })}\n`));
  for (const problem of problems) writeErr(safeText(`${problem.text}\n`));
  return 0;
}
