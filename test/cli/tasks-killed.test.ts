// kill -9 of the program while six agents and three commands run, then a new start: a true report, nothing left behind, no
// output lost, and nothing done twice.

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cliStage, jsonLines } from "../support/cli.js";
import { recordsIn } from "../support/tasks.js";

const shells = ["one", "two", "three"];

const script = {
  main: [
    {
      calls: [
        ...shells.map((name) => ({
          tool: "start_background_task",
          input: {
            kind: "shell",
            command: `echo ${name} >> begun.txt; echo said ${name}; echo $$ > ${name}.pid; sleep 1000`,
          },
        })),
        {
          tool: "submit_agent_tasks",
          input: {
            tasks: Array.from({ length: 6 }, (_, i) => ({ agent_name: "implement", prompt: `work ${i}` })),
            max_parallel: 6,
          },
        },
      ],
    },
    { text: "looked" },
  ],
  agents: {
    implement: [
      {
        calls: [{ tool: "run_command", input: { command: "echo $$ >> agents.txt; sleep 1000", timeout_seconds: 600 } }],
      },
    ],
  },
};

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
};

const linesOf = (path: string) =>
  existsSync(path)
    ? readFileSync(path, "utf8")
        .split("\n")
        .filter((line) => line !== "")
    : [];

test("six agents and three commands, kill -9, and a new start", async () => {
  const stage = cliStage([]);
  writeFileSync(join(stage.project, "../script.json"), JSON.stringify(script));
  const args = ["--permission-mode", "auto", "--output-format", "events"];
  const live = stage.start(["-p", "go", ...args]);
  const begun = () => linesOf(join(stage.project, "agents.txt"));
  await expect.poll(begun, { timeout: 60_000 }).toHaveLength(6);
  await expect
    .poll(() => shells.every((name) => existsSync(join(stage.project, `${name}.pid`))), { timeout: 30_000 })
    .toBe(true);
  const pids = [...begun(), ...shells.flatMap((name) => linesOf(join(stage.project, `${name}.pid`)))].map(Number);
  live.child.kill("SIGKILL");
  await live.done;
  await expect.poll(() => pids.filter(isAlive), { timeout: 30_000 }).toEqual([]);

  writeFileSync(
    join(stage.project, "../script.json"),
    JSON.stringify({ main: [{ match: "interrupted", text: "I see." }] }),
  );
  const again = await stage.run(["-p", "what happened?", "-c", ...args], { env: { CINCH_HOME: stage.home } });
  expect(again.exit).toBe(0);
  const records = recordsIn(stage.home);
  expect(records.map(({ kind, state }) => `${kind} ${state}`).sort()).toEqual([
    ...Array(6).fill("agent interrupted"),
    ...Array(3).fill("shell interrupted"),
  ]);
  // Nothing was done a second time, and what was printed is kept.
  expect(begun()).toHaveLength(6);
  expect(linesOf(join(stage.project, "begun.txt")).sort()).toEqual([...shells].sort());
  const logs = readdirSync(join(stage.home, "tasks")).filter((name) => name.endsWith(".log"));
  const printed = logs.map((name) => readFileSync(join(stage.home, "tasks", name), "utf8").trim());
  expect(printed.sort()).toEqual(shells.map((name) => `said ${name}`).sort());
  // Each agent has one conversation, which can go on.
  expect(new Set(records.flatMap(({ session }) => session ?? [])).size).toBe(6);
  const end = jsonLines(again.stdout).findLast(({ type }) => type === "run.end");
  expect(end).toMatchObject({ result: "I see." });

  // They go on when that is asked for, and what was cut off is not run again.
  const settings = join(stage.project, "../resume.json");
  writeFileSync(settings, '{"sandbox": {"mode": "off"}, "tasks": {"resume": "auto"}}');
  const goOn = {
    main: [{ text: "waiting", repeat: 8 }],
    agents: { implement: [{ match: "interrupted", text: "finished" }] },
  };
  writeFileSync(join(stage.project, "../script.json"), JSON.stringify(goOn));
  const resumed = await stage.run(["-p", "go on", "-c", "--settings", settings, ...args], {
    env: { CINCH_HOME: stage.home },
  });
  expect(resumed.exit).toBe(0);
  const agents = recordsIn(stage.home).filter(({ kind }) => kind === "agent");
  expect(agents.map(({ state, result }) => `${state} ${result}`)).toEqual(Array(6).fill("succeeded finished"));
  expect(begun()).toHaveLength(6);
});
