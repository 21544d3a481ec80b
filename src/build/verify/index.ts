// What is true of a build: files, start, browser, acceptance, level by level, each with its proof.
// Invariant: every level asked for leaves evidence, also when it could not look; nothing is judged here (gate.ts).

import type { Fs } from "../../lib/fs.js";
import type { Evidence, Verification, VerifyBuild } from "../ports.js";
import { checkAcceptance } from "./acceptance.js";
import { checkAnswers } from "./answers.js";
import { checkBrowsed } from "./browsed.js";
import { checkFiles } from "./files.js";

/** `path`: where a browser is looked for. */
export function verifier(disk: Fs, path: string): VerifyBuild {
  return async (verification: Verification) => {
    const { levels, signal } = verification;
    const wants = (level: Evidence["level"]) => levels.includes(level) && !signal.aborted;
    const found: Evidence[] = [];
    if (wants("L1")) found.push(...(await checkFiles(disk, verification)));
    if (wants("L2") || wants("L3")) {
      const { evidence, url } = await checkAnswers(disk, verification);
      found.push(evidence);
      if (wants("L3")) found.push(...(await checkBrowsed(disk, verification, { path, url })));
    }
    if (wants("L4")) found.push(...(await checkAcceptance(disk, verification)));
    return found;
  };
}
