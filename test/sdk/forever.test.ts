// A run that goes on and on, at a length for every day; at full length it is test/slow/bounded.test.ts.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { forever } from "../../src/bench/forever.js";
import { tempDir } from "../support/run.js";

test("what the model read and a compaction stands for does not stay in memory", async () => {
  const folder = tempDir();
  mkdirSync(join(folder, "project"));
  writeFileSync(join(folder, "project", "book.txt"), `${"word ".repeat(30)}\n`.repeat(1_000));
  const read = (turn: number) => ({ tool: "read_file", input: { path: "book.txt", offset: turn, limit: 120 } });
  const made = await forever({ turns: 200, folder, env: {}, call: read });
  expect(made).toMatchObject({ subtype: "success", turns: 200 });
  expect(made.compactions).toBeGreaterThan(15);
  // Of 19 KB a turn; what is left is the index of the log, and code that is compiled on the way.
  expect(made.growth).toBeLessThan(6);
});
