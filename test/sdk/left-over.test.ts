// What a killed process left of an unfinished write: never shown to the model, and gone when the project is next looked at.

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodeFs } from "../../src/lib/fs.js";
import { thisLife } from "../../src/lib/life.js";
import { tempName } from "../../src/lib/temp-name.js";
import { resultText, stage } from "../support/stage.js";

test("a dead process's is hidden and swept, a living one's only hidden", async () => {
  const looks = [
    { id: "l", name: "list_files", input: { path: "." } },
    { id: "f", name: "find_files", input: { glob: "**" } },
    { id: "s", name: "search_text", input: { pattern: "half" } },
  ];
  const s = await stage([
    { calls: looks },
    { calls: [{ id: "c", name: "run_command", input: { command: "touch done" } }] },
    { text: "done" },
  ]);
  const life = thisLife(nodeFs);
  const [dead, living] = [tempName({ ...life, start: "1" }), tempName(life)];
  for (const name of [dead, living, "whole.txt"]) writeFileSync(join(s.root, name), "half\n");
  await (await s.open()).send("go");
  for (const { id } of looks) {
    expect(resultText(s.bodies()[1], id)).toContain("whole.txt");
    expect(resultText(s.bodies()[1], id)).not.toContain(".cinch-");
  }
  expect([dead, living].map((name) => existsSync(join(s.root, name)))).toEqual([false, true]);
});
