// Cinch is killed while a command of a build runs: an acceptance command, the application that is looked at. Nothing of it is left,
// and the build goes on.

import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { needsProc } from "../support/needs.js";
import { running } from "../support/processes.js";
import { app, plan, smallBuild } from "../support/small-build.js";

/** Holds on for ever, with a child that has left its session; both have the mark among their arguments. */
const hold = `import { spawn } from "node:child_process";
const mark = process.argv[2];
if (mark !== undefined) spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)", mark], { detached: true, stdio: "ignore" });
setInterval(() => {}, 1000);
`;
const serve = `import { createServer } from "node:http";
createServer((_, response) => response.end("here")).listen(process.env.PORT, process.env.HOST);
`;

const [task] = plan.tasks;

for (const { what, mend, planned } of [
  {
    what: "an acceptance command",
    mend: "process.exit(0);\n",
    planned: (mark: string) => ({ ...plan, tasks: [{ ...task, accept: [`node hold.mjs ${mark}`] }] }),
  },
  {
    what: "the application that is looked at",
    mend: serve,
    planned: (mark: string) => ({ ...plan, app: { start: `node hold.mjs ${mark}` } }),
  },
]) {
  needsProc(`killed during ${what}: it and what it started is gone, and the build goes on`, async () => {
    const mark = `mark-${randomBytes(8).toString("hex")}`;
    const at = smallBuild({ implementer: [app, { text: "Made." }] }, planned(mark));
    const file = join(at.project, "hold.mjs");
    writeFileSync(file, hold);
    const build = ["build", ...at.flags, "--no-review", "--no-preview"];
    const live = at.start([...build, "--yes", "--plan", at.planFile]);
    // The command's own shell, the program, its child.
    await expect.poll(() => running(mark).length, { timeout: 60_000 }).toBeGreaterThan(1);
    live.child.kill("SIGKILL");
    await live.done;
    await expect.poll(() => running(mark), { timeout: 30_000 }).toEqual([]);
    writeFileSync(file, mend);
    const resumed = await at.run([...build, "--resume", at.onlyBuild()]);
    expect([resumed.exit, resumed.stdout], resumed.stderr).toEqual([0, expect.stringContaining("Built: ")]);
    expect(running(mark)).toEqual([]);
  });
}
