// Where tests take sessions over to: a project and a home, both new, and what is in the logs there afterwards.
// Every line of them must be whole.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { placeOf } from "../../src/harness/place.js";
import { type Entry, readSession } from "../../src/session/index.js";
import { tempDir } from "./run.js";

/** A project to import into. */
export function project() {
  const home = tempDir();
  const cwd = tempDir();
  const place = placeOf({ cwd, home });
  const logs = () => {
    const files = readdirSync(home, { recursive: true, encoding: "utf8" });
    return files.filter((file) => file.endsWith(".jsonl")).map((file) => join(home, file));
  };
  return { home, cwd, place, logs };
}

export function entriesIn(file: string): Entry[] {
  return [...readSession(file)].flatMap(({ entry, problem }) => {
    expect(problem).toBeNull();
    return entry ? [entry] : [];
  });
}
