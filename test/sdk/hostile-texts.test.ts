// No text that a model, a project or a file brings keeps the main thread (CONTRACT 6.4): test/support/hostile-texts.ts gives
// parsers the texts that are worst for them, as long as they are let in.
// What counts is processor time of a process of its own, not time on the wall, so others at work on the machine don't matter;
// and the budget is many times what linear work takes and a small part of what quadratic work would, so nothing depends on
// how fast the processor is. A parser that never comes back is ended by the system, and its text is the first one missing.

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root } from "../support/run.js";

/** Milliseconds of processor time for one text. */
const budget = 6_000;
/** The same for all of a subject, in seconds. */
const limit = 100;

let directory = "";

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "hostile-texts-"));
  symlinkSync(join(root, "node_modules"), join(directory, "node_modules"));
  await build({
    entryPoints: [join(root, "test/support/hostile-texts.ts")],
    outfile: join(directory, "texts.mjs"),
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    define: { __CINCH_VERSION__: '"0"' },
    logLevel: "error",
  });
});

afterAll(() => rmSync(directory, { recursive: true }));

test.each(["markdown", "plans", "redaction", "edits", "diffs", "arguments", "styles"])(
  "%s",
  async (subject) => {
    const command = `ulimit -t ${limit}; exec "$0" "$1" "$2"`;
    const args = ["-c", command, process.execPath, join(directory, "texts.mjs"), subject];
    const { failed, stdout } = await new Promise<{ failed: boolean; stdout: string }>((resolve) => {
      execFile("bash", args, (error, out) => resolve({ failed: error !== null, stdout: out }));
    });
    const done = stdout
      .split("\n")
      .flatMap((line) => (line === "" ? [] : [JSON.parse(line) as { what: string; ms: number; fault?: string }]));
    expect(done.filter(({ ms, fault }) => ms > budget || fault !== undefined)).toEqual([]);
    expect([failed, done.at(-1)?.what]).toEqual([false, "the end"]);
  },
  600_000,
);
