// L2: the application starts and answers.
// Invariant: what could not be started because nobody allowed it, or because there is nothing to start, is unchecked.

import { UserError } from "../../core/errors.js";
import type { Fs } from "../../lib/fs.js";
import { appOf } from "../plan.js";
import type { Evidence, PreviewStatus, Verification } from "../ports.js";
import { entryOf, fileIn, keepProof, makerOf } from "./evidence.js";

/** `url`: where it answers; null = it does not. */
export async function checkAnswers(
  disk: Fs,
  verification: Verification,
): Promise<{ evidence: Evidence; url: string | null }> {
  const { plan, previews, signal } = verification;
  let status: PreviewStatus;
  try {
    status = await previews.start(appOf(plan), signal);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const what = `Not checked whether it starts: ${error.message}`;
    return { evidence: { level: "L2", ok: false, unchecked: true, what }, url: null };
  }
  const { state, url, stack, what } = status;
  if (stack === null)
    return {
      evidence: { level: "L2", ok: false, unchecked: true, what: `Not checked whether it starts: ${what}` },
      url,
    };
  if (state === "healthy")
    return { evidence: { level: "L2", ok: true, what: `It starts (${stack}) and answers at ${url}.` }, url };
  const file = fileIn(plan, what) ?? entryOf(plan);
  const artifact = await keepProof(disk, verification, "start.log", `${what}\n`);
  const evidence: Evidence = {
    ...{ level: "L2", ok: false, what: `It was started (${stack}) at ${url}. ${what}`, artifact },
    ...(file === undefined ? {} : { file }),
    ...makerOf(plan, file),
  };
  return { evidence, url: null };
}
