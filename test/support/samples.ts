// Languages by examples: texts that must pass, and broken ones with the place that must be named. The place is part of the
// promise, the words are not.

import { describe, expect, it } from "vitest";
import { faultsIn } from "../../src/syntax/verdict.js";

export interface Samples {
  file: string;
  valid: string[];
  broken: [place: string, text: string][];
}

/** Where there are faults; fails where there is no verdict. */
export async function places(file: string, text: string): Promise<string[]> {
  const faults = await faultsIn(file, text);
  if (faults?.kind !== "faults") throw new Error(`no verdict: ${JSON.stringify(faults)}`);
  return faults.issues.filter((issue) => !issue.isHint).map(({ line, column }) => `${line}:${column}`);
}

export function samplesHold(languages: Samples[]): void {
  describe.each(languages)("$file", ({ file, valid, broken }) => {
    it.each(valid.map((text) => [text]))("takes %j", async (text) => {
      expect(await faultsIn(file, text)).toEqual({ kind: "faults", issues: expect.any(Array) });
      expect(await places(file, text)).toEqual([]);
    });

    it.each(broken)("names %s in %j", async (place, text) => {
      expect((await places(file, text))[0]).toBe(place);
    });
  });
}
