// Ways around a table of programs: each is a spelling under which a command that does more might pass for one that reads.
// What is expected is the mildest verdict that is still right; beside them spellings that must stay read-only.

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { analystIn, hostileTwins, makeShellProject, shellBypasses } from "../../../test/support/shell-cases.js";

const project = makeShellProject();
afterAll(project.remove);
let analyse: Awaited<ReturnType<typeof analystIn>>;
beforeAll(async () => {
  const { root } = project;
  symlinkSync("/etc", join(root, "etc"));
  symlinkSync(".env", join(root, "plain.txt"));
  writeFileSync(join(root, ".env"), "A=1\n");
  mkdirSync(join(root, "clean"));
  analyse = await analystIn(root, project.home);
});

const rows = Object.entries(shellBypasses()).flatMap(([expected, commands]) =>
  commands.map((command) => ({ command, expected })),
);

it.each(rows)("$expected: $command", ({ command, expected }) => {
  const { verdict, reason, parts } = analyse(command);
  expect([verdict, ...(reason ? [reason] : [])].join(" "), JSON.stringify(parts)).toBe(expected);
});

it.each(hostileTwins())("not read-only: %s", (command) => {
  const { verdict, parts } = analyse(command);
  expect(verdict, JSON.stringify(parts)).not.toBe("readonly");
});
