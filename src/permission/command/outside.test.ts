// What a command changes outside of the project is dangerous, however the place is spelled and whatever writes there.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { analystIn, makeShellProject, outsideWrites } from "../../../test/support/shell-cases.js";

const project = makeShellProject();
afterAll(project.remove);
let analyse: Awaited<ReturnType<typeof analystIn>>;
beforeAll(async () => {
  mkdirSync(join(project.root, "../x"));
  writeFileSync(join(project.root, "../x/a"), "1\n");
  analyse = await analystIn(project.root, project.home);
});

it.each(outsideWrites())("%s", (command) => {
  const { verdict, reason, parts } = analyse(command);
  expect([verdict, reason], JSON.stringify(parts)).toEqual(["never-auto", "danger"]);
});

it.each([
  ["touch /tmp/a-name-that-is-new", "needs-approval", undefined],
  ["ls > /tmp/a-name-that-is-new", "needs-approval", undefined],
  ["touch /tmp/a-name-that-is-new/x", "never-auto", "path:temporary"],
  ["chmod u+s /tmp/a-name-that-is-new/x", "never-auto", "program:chmod"],
  ["rm -rf /tmp", "never-auto", "path:whole"],
  ["rm -rf /tmp/*", "never-auto", "path:outside"],
  ["cp README.md copy.md", "needs-approval", undefined],
  ["cp ../x/a copy.md", "needs-approval", undefined],
  ["tar xf ../x/a.tar", "needs-approval", undefined],
  ["tar tf ../x/a.tar", "needs-approval", undefined],
  ["git log main..dev", "readonly", undefined],
  ["git checkout -b a/b", "needs-approval", undefined],
  ["git push origin main", "needs-approval", undefined],
  ["git commit -F ../x/a", "needs-approval", undefined],
  ["npm run build", "needs-approval", undefined],
  ["cd src && npm test", "needs-approval", undefined],
  ["rm src/*.ts", "needs-approval", undefined],
  ["rm {a,b}.ts", "needs-approval", undefined],
  ["curl -s https://example.com/x -o page.html", "needs-approval", undefined],
  ["ls > /dev/stderr", "needs-approval", undefined],
])("%s: %s", (command, verdict, rule) => {
  const analysis = analyse(command);
  expect(analysis.verdict, JSON.stringify(analysis.parts)).toBe(verdict);
  if (rule !== undefined) expect(analysis.parts.map((part) => part.rule)).toContain(rule);
});
