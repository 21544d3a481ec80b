// No process of a command survives Cinch, whatever ends it (SPEC 1.20, SECURITY D 86-88, 100).

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { cliStage } from "../support/cli.js";
import { needsProc } from "../support/needs.js";

const children = [
  ["in the foreground", "sleep 300"],
  ["in the background", "sleep 300 & sleep 300"],
  ["in a session of its own", "setsid sleep 300 & sleep 300"],
  ["deaf to TERM, INT and HUP", "trap '' TERM INT HUP; sleep 300"],
] as const;
const endings = ["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"] as const;
const cases = children.flatMap(([kind, command]) => endings.map((ending) => [kind, ending, command] as const));

/** Living processes with this text in their environment or on their command line. */
function living(text: string, where: "environ" | "cmdline"): number[] {
  const pids = readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const dead = /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
      return !dead && readFileSync(`/proc/${pid}/${where}`, "utf8").includes(text);
    } catch {
      return false;
    }
  });
  return pids.map(Number);
}

const withWord = (word: string) => living(word, "environ");

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20));
}

for (const [kind, ending, command] of cases)
  needsProc(`${kind}, ${ending}`, async () => {
    const word = `WORD=${Buffer.from(`${kind}${ending}${process.pid}`).toString("hex")}`;
    const started = `touch started; export ${word}; exec bash -c ${JSON.stringify(command)}`;
    const stage = cliStage([{ calls: [{ tool: "run_command", input: { command: started } }] }, { text: "done" }]);
    const cli = stage.start(["-p", "go", "--permission-mode", "auto"]);
    await until(() => existsSync(join(stage.project, "started")) && withWord(word).length > 0);
    cli.child.kill(ending);
    const end = await cli.done;
    if (ending !== "SIGKILL") expect(end.exit).toBe({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }[ending]);
    await until(() => withWord(word).length === 0);
    // Neither a supervisor nor a record of the run is left.
    const records = join(stage.home, "running");
    await until(() => readdirSync(records).length === 0);
    await until(() => living(records, "cmdline").length === 0);
  });

needsProc("D 100: what a harness left that died together with its supervisor is ended by the next one", async () => {
  const word = `WORD=${Buffer.from(`both${process.pid}`).toString("hex")}`;
  const command = `touch started; export ${word}; exec setsid --wait sleep 300`;
  const stage = cliStage([{ calls: [{ tool: "run_command", input: { command } }] }, { text: "done" }]);
  const cli = stage.start(["-p", "go", "--permission-mode", "auto"]);
  await until(() => existsSync(join(stage.project, "started")) && withWord(word).length > 0);
  const supervisors = living(join(stage.home, "running"), "cmdline");
  expect(supervisors).toHaveLength(1);
  for (const pid of supervisors) process.kill(pid, "SIGKILL");
  cli.child.kill("SIGKILL");
  await cli.done;
  expect(withWord(word)).not.toEqual([]);

  const script = join(stage.project, "next.json");
  writeFileSync(script, JSON.stringify([{ calls: [{ tool: "run_command", input: { command: "true" } }] }]));
  const next = await stage.bare(["-m", `scripted/${script}`, "-p", "again", "--permission-mode", "auto"]);
  expect(next.exit).toBe(0);
  expect(withWord(word)).toEqual([]);
  expect(readdirSync(join(stage.home, "running"))).toEqual([]);
});
