// A program whose event loop turns no more ends by itself and tells the truth (CONTRACT 6.4). It is made to hang from outside,
// with a limit of 3 s in place of 30.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { cliStage } from "../support/cli.js";
import { needsProc } from "../support/needs.js";
import { running } from "../support/processes.js";
import { root } from "../support/run.js";

const env = { CINCH_STALL_MS: "3000" };
const preload = ["--import", join(root, "test/support/hang.mjs")];
const auto = ["--permission-mode", "auto"];
const asks = (command: string) => [{ calls: [{ tool: "run_command", input: { command } }] }, { text: "done" }];

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20));
}

for (const way of ["loop", "expression", "promises", "lock", "child"]) {
  needsProc(`stuck (${way}): ended, with a whole session and no child`, async () => {
    const word = `${process.pid}${way.length}3600`;
    const stage = cliStage(asks(`sleep ${word} & touch hang-${way}; sleep ${word}`));
    const cli = stage.start(["-p", "go", ...auto], { env, node: preload });
    cli.end();
    const { exit, signal, stdout, stderr } = await cli.done;
    // What waits in the system cannot be interrupted, only killed.
    expect([exit, signal]).toEqual(way === "child" ? [null, "SIGKILL"] : [1, null]);
    expect(stderr).toContain("Something is wrong in Cinch itself: it did not respond for 3 s, so it was ended.");
    expect(stderr).toContain("To resume the session: cinch -c\n");
    expect(stderr).not.toContain("debugger");
    expect(stdout).toBe("");
    if (way === "expression") expect(readFileSync(join(stage.home, "bugs.log"), "utf8")).toContain("hang.mjs");
    await until(() => running(word).length === 0);
    expect((await stage.bare(["sessions", "verify"])).exit).toBe(0);
    writeFileSync(join(stage.project, "again.json"), '[{ "text": "resumed" }]');
    const resumed = await stage.bare(["-m", "scripted/again.json", "-c", "-p", "again"]);
    expect(resumed).toMatchObject({ exit: 0, stdout: "resumed\n" });
  });
}

needsProc("stopped for longer than the limit, it goes on", async () => {
  const stage = cliStage(asks("touch up; until [ -e go ]; do sleep 0.1; done"));
  const cli = stage.start(["-p", "go", ...auto], { env });
  cli.end();
  await until(() => existsSync(join(stage.project, "up")));
  cli.child.kill("SIGSTOP");
  // Another one, which hangs: when it has ended, more than the limit is over.
  const other = cliStage(asks("touch hang-loop; sleep 3600"));
  const stuck = other.start(["-p", "go", ...auto], { env, node: preload });
  stuck.end();
  expect(await stuck.done).toMatchObject({ exit: 1 });
  writeFileSync(join(stage.project, "go"), "");
  cli.child.kill("SIGCONT");
  expect(await cli.done).toMatchObject({ exit: 0, stdout: "done\n" });
});
