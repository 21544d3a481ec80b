// The corpus of shell commands: every row has its verdict.

import { afterAll, beforeAll, expect, it } from "vitest";
import { analystIn, makeShellProject, shellCases } from "../../../test/support/shell-cases.js";

const project = makeShellProject();
afterAll(project.remove);
let analyse: Awaited<ReturnType<typeof analystIn>>;
beforeAll(async () => {
  analyse = await analystIn(project.root, project.home);
});

it.each(shellCases())("$id $cmd", ({ cmd, verdict }) => {
  const analysis = analyse(cmd);
  expect(analysis.verdict, JSON.stringify(analysis, null, 1)).toBe(verdict);
});
