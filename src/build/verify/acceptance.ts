// L4: the commands by which each task of the plan is accepted, run as the session runs commands.
// Invariant: a command that was not allowed is unchecked, never ok; the end of what each printed is kept.

import type { Fs } from "../../lib/fs.js";
import { acceptPatience } from "../plan.js";
import type { Evidence, Verification } from "../ports.js";
import { keepProof } from "./evidence.js";

/** Of the output, in the sentence; all of it is in the proof. */
const shownLines = 15;

export async function checkAcceptance(disk: Fs, verification: Verification): Promise<Evidence[]> {
  const { plan, run, signal } = verification;
  const found: Evidence[] = [];
  for (const { id: task, accept } of plan.tasks) {
    for (const [i, command] of accept.entries()) {
      if (signal.aborted) return found;
      const { code, output, refused } = await run(command, { task, timeout: acceptPatience, signal });
      const end =
        code === null ? (refused ? "was not allowed" : "did not end by itself") : `ended with exit code ${code}`;
      const log = `$ ${command}\n${output}\n(${end})\n`;
      const artifact = await keepProof(disk, verification, `accept-${task}-${i + 1}.log`, log);
      const evidence: Evidence = { level: "L4", ok: code === 0, what: `\`${command}\` ${end}.`, artifact, task };
      if (refused) found.push({ ...evidence, unchecked: true, what: `Not checked: ${evidence.what}` });
      else found.push(code === 0 ? evidence : { ...evidence, what: `${evidence.what}${lastOf(output)}` });
    }
  }
  return found;
}

function lastOf(output: string): string {
  const lines = output.trimEnd().split("\n").slice(-shownLines).join("\n");
  return lines === "" ? "" : ` It printed last:\n${lines}`;
}
