// The sandbox as the program has it: what is left when Cinch is killed, and what a script sees of it.

import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { TaskRecord } from "../../src/index.js";
import { tempDirectoryName } from "../../src/lib/temp-name.js";
import { cliStage, jsonLines } from "../support/cli.js";
import { needs } from "../support/needs.js";
import { running } from "../support/processes.js";
import { bin, cleanEnv } from "../support/run.js";
import { processesOf, taskLog } from "../support/tasks.js";

const sandboxed = needs("bwrap", "python3");

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20));
}

sandboxed("kill -9 of Cinch ends everything inside, also what hid, and leaves no name behind", async () => {
  const word = `word-${process.pid}-${Date.now()}`;
  const command = "bash ./run.sh";
  const stage = cliStage([{ calls: [{ tool: "run_command", input: { command } }] }, { text: "done" }], {
    sandboxed: true,
  });
  // Out of the group, out of the session, and without the mark that a supervisor looks for.
  const hidden = `env -i setsid --fork python3 -c "import time; '${word}'; time.sleep(300)"; touch started; sleep 300`;
  writeFileSync(join(stage.project, "run.sh"), hidden);
  const cli = stage.start(["-p", "go", "--permission-mode", "auto"]);
  await until(() => existsSync(join(stage.project, "started")) && running(word).length > 0);
  expect(readdirSync(stage.project)).toContain(".claude");
  cli.child.kill("SIGKILL");
  await cli.done;
  await until(() => running(word).length === 0);
  await until(() => readdirSync(join(stage.home, "running")).length === 0);
  expect(readdirSync(stage.project).sort()).toEqual([".git", "run.sh", "started"]);
});

sandboxed(
  "kill -9 leaves a temporary directory that doctor names and the next command removes, and no other",
  async () => {
    const calls = (command: string) => [{ calls: [{ tool: "run_command", input: { command } }] }, { text: "done" }];
    const command = "touch /tmp/left; bash ./wait.sh";
    const stage = cliStage(calls(command), { sandboxed: true });
    const temp = join(stage.project, "../temp");
    mkdirSync(temp);
    const env = { TMPDIR: temp, CINCH_HOME: stage.home };
    writeFileSync(join(stage.project, "wait.sh"), "touch started; test -e again || sleep 300");
    const cli = stage.start(["-p", "go", "--permission-mode", "auto"], { env });
    await until(() => existsSync(join(stage.project, "started")));
    cli.child.kill("SIGKILL");
    await cli.done;
    const own = readdirSync(temp);
    expect(own).toHaveLength(1);
    const dead = own[0] ?? "";
    expect(readdirSync(join(temp, dead))).toContain("left");
    const { stdout } = await stage.bare(["doctor"], { env });
    expect(stdout).toContain(`${join(temp, dead)} (0.0 MB)`);
    // Of a living process; and what only has the name of a dead one.
    const living = tempDirectoryName();
    mkdirSync(join(temp, living));
    const link = dead.replace(/.$/, (digit) => (digit === "0" ? "1" : "0"));
    symlinkSync(stage.project, join(temp, link));
    writeFileSync(join(stage.project, "again"), "");
    const again = await stage.run(["-p", "go", "--permission-mode", "auto"], { env });
    expect(again.exit, again.stderr).toBe(0);
    expect(readdirSync(temp).sort()).toEqual([living, link].sort());
    expect(existsSync(join(stage.project, "wait.sh"))).toBe(true);
  },
);

sandboxed(
  "a command in the background: kill -9 of Cinch ends everything inside, keeps the log, and it is not said to run",
  async () => {
    const word = `task-word-${process.pid}-${Date.now()}`;
    const start = { tool: "start_background_task", input: { kind: "shell", command: "bash ./run.sh" } };
    const stage = cliStage([{ calls: [start] }, { text: "started" }], { sandboxed: true });
    const hidden = `echo begun; env -i setsid --fork python3 -c "import time; '${word}'; time.sleep(300)"; touch started; sleep 300`;
    writeFileSync(join(stage.project, "run.sh"), hidden);
    const control = ["--input-format", "stream-json", "--output-format", "stream-json"];
    const live = stage.start([...control, "--permission-mode", "auto"]);
    live.send({ type: "user", text: "go" });
    await live.line(({ type }) => type === "result");
    await until(() => existsSync(join(stage.project, "started")) && running(word).length > 0);
    live.child.kill("SIGKILL");
    await live.done;
    await until(() => running(word).length === 0);
    const { stdout } = await stage.bare(["tasks", "list", "--json"]);
    const [record] = (JSON.parse(stdout) as { tasks: TaskRecord[] }).tasks;
    expect(record).toMatchObject({ state: "interrupted", error: { kind: "crash" } });
    expect(taskLog(stage.home, record?.id ?? "")).toBe("begun\n");
    expect(processesOf(record?.id ?? "")).toEqual([]);
  },
);

needs("bwrap")("bubblewrap that this user may not run is as none: commands run without a sandbox", async () => {
  const command = "printf one > a.txt; cat a.txt";
  const stage = cliStage([{ calls: [{ tool: "run_command", input: { command } }] }, { text: "{{result:-1}}" }]);
  writeFileSync(join(stage.home, "settings.json"), "{}");
  const program = ["/usr/bin/bwrap", "/bin/bwrap"].filter((path) => existsSync(path));
  const hidden = program.flatMap((path) => ["--ro-bind", "/dev/null", realpathSync(path)]);
  const args = ["-p", "go", "-m", `scripted/${join(stage.project, "..", "script.json")}`, "--permission-mode", "auto"];
  const run = promisify(execFile)("bwrap", ["--dev-bind", "/", "/", ...hidden, process.execPath, bin, ...args], {
    ...{ cwd: stage.project, env: cleanEnv({ CINCH_HOME: stage.home }) },
  });
  expect(await run).toMatchObject({
    stdout: expect.stringMatching(/^one/),
    stderr: expect.not.stringContaining("bug"),
  });
});

for (const how of ["ends", "is killed"]) {
  sandboxed(`a name held for two is free when both have let go: the first one ${how}`, async () => {
    const stage = cliStage(
      [{ calls: [{ tool: "run_command", input: { command: "bash ./run.sh" } }] }, { text: "done" }],
      {
        sandboxed: true,
      },
    );
    const at = (name: string) => join(stage.project, name);
    const wait = (name: string) => `until [ -e ${name} ]; do sleep 0.02; done`;
    writeFileSync(
      at("run.sh"),
      `if mkdir one 2>/dev/null; then ${wait("go-one")}; else mkdir two; ${wait("go-two")}
     rm -rf .claude; mkdir .claude; echo evil >.claude/settings.json; fi`,
    );
    const args = ["-p", "go", "--permission-mode", "auto"];
    const first = stage.start(args);
    await until(() => existsSync(at("one")));
    const second = stage.start(args);
    await until(() => existsSync(at("two")));
    if (how === "ends") writeFileSync(at("go-one"), "");
    else first.child.kill("SIGKILL");
    await first.done;
    if (how === "is killed") await until(() => readdirSync(join(stage.home, "running")).length === 1);
    expect(readdirSync(stage.project)).toContain(".claude");
    writeFileSync(at("go-two"), "");
    expect((await second.done).exit).toBe(0);
    expect(readdirSync(stage.project).filter((name) => name.startsWith("."))).toEqual([".git"]);
    expect(readdirSync(join(stage.home, "running-held"))).toEqual([]);
  });
}

sandboxed("init says what is expected of it", async () => {
  const { stdout } = await cliStage(undefined, { sandboxed: true }).run(["-p", "go", "--output-format", "stream-json"]);
  expect(jsonLines(stdout)[0]).toMatchObject({ subtype: "init", sandbox: "full" });
});

test("a project cannot say anything about it", async () => {
  const stage = cliStage(undefined, { sandboxed: true });
  mkdirSync(join(stage.project, ".cinch"));
  writeFileSync(join(stage.project, ".cinch", "settings.json"), '{"sandbox": {"mode": "off"}}');
  const { stdout, stderr } = await stage.run(["-p", "go", "--output-format", "stream-json"]);
  expect(stderr).toContain("sandbox.mode");
  const { sandbox } = jsonLines(stdout)[0] as { sandbox?: string };
  expect(sandbox).toBe(existsSync("/usr/bin/bwrap") ? "full" : "none");
});

test("required and not to be had is exit 2, before anything is asked of a model", async () => {
  const stage = cliStage(undefined, { sandboxed: true });
  writeFileSync(join(stage.home, "settings.json"), '{"sandbox": {"required": true, "mode": "off"}}');
  const { exit, stderr } = await stage.run(["-p", "go"]);
  expect([exit, stderr]).toEqual([2, expect.stringContaining("sandbox.required is set and there is no sandbox")]);
});
