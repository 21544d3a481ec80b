// Living processes, as a test looks for them.

import { readdirSync, readFileSync } from "node:fs";

/** Those with this word among their arguments, as the system numbers them. */
export function running(word: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(word);
    } catch {
      return false;
    }
  });
}
