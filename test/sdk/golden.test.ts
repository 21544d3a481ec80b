// Golden transcripts: with a fixed clock and counted ids, a script gives the same log byte for byte (root apart).
// Each folder of test/golden holds script.json, perhaps project/ and settings.json, and the transcript.
// After a change that is meant, look at the difference and run with UPDATE_GOLDEN=1.

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createHarness } from "../../src/index.js";
import { countedIds, fixedClock } from "../../src/lib/fixed.js";
import { root as repository, tempDir } from "../support/run.js";

const golden = join(repository, "test/golden");
const cases = readdirSync(golden);

it("has cases", () => {
  expect(cases.length).toBeGreaterThan(3);
});

it.each(cases)("%s", async (name) => {
  const dir = join(golden, name);
  const base = tempDir();
  const project = join(base, "project");
  mkdirSync(join(project, ".git"), { recursive: true });
  if (existsSync(join(dir, "project"))) cpSync(join(dir, "project"), project, { recursive: true });
  const settingsFile = join(dir, "settings.json");
  const settings = existsSync(settingsFile)
    ? JSON.parse(readFileSync(settingsFile, "utf8"))
    : { permissions: { mode: "auto" } };
  const harness = createHarness({
    cwd: project,
    home: join(base, "home"),
    model: `scripted/${join(dir, "script.json")}`,
    settings,
    env: { PATH: process.env["PATH"] },
    clock: fixedClock(Date.UTC(2026, 0, 1, 12)),
    ids: countedIds(),
  });
  const session = await harness.open();
  const result = await session.send("Do it.");
  await harness.close();
  const text = [...logLines(join(base, "home")), JSON.stringify({ ...result, usage: "…" }, null, 1)].join("\n");
  const shown = `${unplaced(unplaced(text, base, "<base>"), repository, "<repository>/").replace(/project-[0-9a-f]{8}/g, "project-<hash>")}\n`;
  const file = join(dir, "transcript.txt");
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(file, shown);
  expect(shown).toBe(readFileSync(file, "utf8"));
});

/** The log writes what is beyond ASCII as escapes, the result as it is. */
function unplaced(text: string, path: string, name: string): string {
  const escaped = path.replace(/[\u0080-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return text.replaceAll(path, name).replaceAll(escaped, name);
}

/** The log without what depends on the place: checksums, digests, and tokens counted by characters of absolute paths. */
function logLines(home: string): string[] {
  const project = readdirSync(join(home, "sessions"))[0] ?? "";
  const dir = join(home, "sessions", project);
  const log = readdirSync(dir).find((file) => file.endsWith(".jsonl")) ?? "";
  const lines = readFileSync(join(dir, log), "utf8").trimEnd().split("\n");
  return lines.map((line) =>
    line
      .replace(/,"h":"[0-9a-f]+"}$/, "}")
      .replace(/"(digest|tree)":"[0-9a-f]+"/g, '"$1":"…"')
      .replace(/"usage":\{[^}]*\}/g, '"usage":"…"'),
  );
}
