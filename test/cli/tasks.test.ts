// Tasks and the program that owns them: it is killed, it ends, another one looks (SEEDS D 97, 100; SECURITY 99–101).

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import buildDist from "../support/build.js";
import { type CliStage, cliStage, jsonLines } from "../support/cli.js";
import { needs } from "../support/needs.js";
import { eventually, processesOf, taskLog, taskRecords } from "../support/tasks.js";

beforeAll(buildDist);

const start = (command: string, more: object = {}) => ({
  tool: "start_background_task",
  input: { kind: "shell", command, ...more },
});

const control = ["--output-format", "stream-json", "--input-format", "stream-json", "--permission-mode", "auto"];

function records(stage: CliStage) {
  return existsSync(join(stage.home, "tasks")) ? taskRecords(stage.home) : [];
}

async function listed(stage: CliStage) {
  const { stdout, exit } = await stage.bare(["tasks", "list", "--json"]);
  expect(exit).toBe(0);
  return (JSON.parse(stdout) as { tasks: ReturnType<typeof taskRecords> }).tasks;
}

/** The session of this stage goes on, with a model that only answers. */
function goOn(stage: CliStage, format: string) {
  const file = join(stage.home, "answer.json");
  writeFileSync(file, JSON.stringify([{ text: "fine" }]));
  return stage.bare(["-m", `scripted/${file}`, "--output-format", format, "-c", "-p", "go on"]);
}

/** A session that stays open, with these commands at work. */
async function working(commands: readonly object[], settings?: object) {
  const stage = cliStage([{ calls: commands }, { text: "started" }, { text: "again" }]);
  const more = settings ? ["--settings", join(stage.home, "more.json")] : [];
  if (settings) writeFileSync(join(stage.home, "more.json"), JSON.stringify({ sandbox: { mode: "off" }, ...settings }));
  const live = stage.start([...control, ...more]);
  live.send({ type: "user", text: "go" });
  await live.line(({ type }) => type === "result");
  const running = await eventually(() => {
    const found = records(stage);
    return found.length === commands.length && found.every(({ pgid }) => pgid !== undefined) && found;
  });
  return { stage, live, running };
}

test("killed with -9: commands and their setsid children end, what they printed is kept, and nothing is reported as running", async () => {
  needs("/proc");
  const loud = "echo before; setsid sleep 301 & sleep 300";
  const { stage, live, running } = await working([start(loud), start("trap '' TERM; echo stubborn; sleep 302")]);
  await eventually(() => running.every(({ id }) => taskLog(stage.home, id) !== ""));
  live.child.kill("SIGKILL");
  await live.done;
  const after = await listed(stage);
  expect(after.map(({ state, error }) => [state, error?.kind])).toEqual([
    ["interrupted", "crash"],
    ["interrupted", "crash"],
  ]);
  for (const { id } of running) expect(processesOf(id)).toEqual([]);
  expect(running.map(({ id }) => taskLog(stage.home, id)).sort()).toEqual(["before\n", "stubborn\n"]);
  // The session hears of it when it goes on, once.
  const on = await goOn(stage, "stream-json");
  expect(on.stdout.split("interrupted").length).toBe(3);
  const again = await goOn(stage, "stream-json");
  expect(again.stdout).not.toContain("interrupted");
  expect(records(stage).every(({ told }) => told)).toBe(true);
});

test("its watcher is killed as well: what carries the mark is ended by whoever looks next", async () => {
  needs("/proc");
  const { stage, live, running } = await working([start("echo x; sleep 303")]);
  process.kill(running[0]?.pid ?? 0, "SIGKILL");
  live.child.kill("SIGKILL");
  await live.done;
  const [after] = await listed(stage);
  expect(after).toMatchObject({ state: "interrupted", error: { kind: "crash" } });
  expect(processesOf(after?.id ?? "")).toEqual([]);
});

test("a second Cinch leaves the first one's tasks alone, lists them as running, reads them, and can ask for their end", async () => {
  const { stage, live, running } = await working([start("echo hello; sleep 304")]);
  const id = running[0]?.id ?? "";
  expect((await listed(stage)).map(({ state }) => state)).toEqual(["running"]);
  await eventually(() => taskLog(stage.home, id) !== "");
  expect((await stage.bare(["tasks", "output", id.slice(0, 6)])).stdout).toBe("hello\n");
  const shown = await stage.bare(["tasks", "show", id]);
  expect(shown.stdout).toContain(`task     ${id}, running: echo hello; sleep 304 (command)`);
  const ended = await stage.bare(["tasks", "cancel", id, "--json"]);
  expect(ended).toMatchObject({ exit: 0 });
  expect(JSON.parse(ended.stdout)).toMatchObject({ id, state: "cancelled", owner: { pid: live.child.pid } });
  expect(processesOf(id)).toEqual([]);
  live.end();
  expect((await live.done).exit).toBe(0);
});

test("detached: it survives kill -9, is watched over again by its session, and its true exit code is told", async () => {
  needs("/proc");
  const gate = "while [ ! -e go ]; do sleep 0.05; done; echo survived; exit 7";
  const { stage, live, running } = await working([start(gate, { detach: true })]);
  const { id = "", pgid = 0 } = running[0] ?? {};
  onTestFinished(() => void stage.bare(["tasks", "cancel", id]));
  live.child.kill("SIGKILL");
  await live.done;
  expect((await listed(stage)).map(({ state }) => state)).toEqual(["running"]);
  expect(processesOf(id)).toContain(pgid);
  const doctor = await stage.bare(["doctor"]);
  expect(doctor.stdout).toContain(`tasks     detached, and left running: ${id} (while [ ! -e go ]`);
  // Its session goes on while it runs: it is adopted, told of nothing, and left behind again.
  const on = await goOn(stage, "json");
  expect(JSON.parse(on.stdout)).toMatchObject({ tasks: [{ id, state: "running" }] });
  writeFileSync(join(stage.project, "go"), "");
  await eventually(() => processesOf(id).length === 0);
  expect(await eventually(async () => (await listed(stage))[0])).toMatchObject({ state: "failed", exit_code: 7 });
  const last = await goOn(stage, "stream-json");
  expect(last.stdout).toContain("exit code 7");
  expect(taskLog(stage.home, id)).toBe("survived\n");
});

test("D 101: a record of an earlier boot is interrupted and nothing is signalled", async () => {
  needs("/proc");
  const { stage, live, running } = await working([start("sleep 305", { detach: true })]);
  const record = running[0];
  if (!record) throw new Error("no task");
  onTestFinished(() => void process.kill(-(record.pgid ?? 0), "SIGKILL"));
  live.child.kill("SIGKILL");
  await live.done;
  const path = join(stage.home, "tasks", `${record.id}.json`);
  const kept = JSON.parse(readFileSync(path, "utf8")) as typeof record;
  writeFileSync(path, JSON.stringify({ ...kept, owner: { ...kept.owner, boot: "another" } }));
  expect(await listed(stage)).toMatchObject([{ state: "interrupted" }]);
  expect(processesOf(record.id)).toContain(record.pgid);
});

test("a headless run ends its commands, says so in the result, and leaves nothing running", async () => {
  needs("/proc");
  const stage = cliStage([{ calls: [start("echo on; (sleep 306 &) ; sleep 307")] }, { text: "bye" }]);
  const ended = await stage.run(["-p", "go", "--permission-mode", "auto", "--output-format", "json"]);
  const result = JSON.parse(ended.stdout) as { tasks: { id: string; state: string }[]; exit_code: number };
  expect(result).toMatchObject({ exit_code: 0, tasks: [{ kind: "shell", state: "cancelled" }] });
  expect(processesOf(result.tasks[0]?.id ?? "")).toEqual([]);
});

test("words and names that are not there are refused", async () => {
  const stage = cliStage();
  expect(await stage.bare(["tasks", "list"])).toMatchObject({ exit: 0, stdout: "There are no tasks.\n" });
  expect(existsSync(join(stage.home, "tasks"))).toBe(false);
  expect(await stage.bare(["tasks", "eat"])).toMatchObject({ exit: 2 });
  expect(await stage.bare(["tasks", "show"])).toMatchObject({ exit: 2 });
  expect(await stage.bare(["tasks", "show", "nope"])).toMatchObject({ exit: 2 });
});

test("a record that cannot be read is named on stderr and kept, and a session with tasks says so once", async () => {
  const stage = cliStage([{ calls: [start("true")] }, { text: "done" }]);
  mkdirSync(join(stage.home, "tasks"));
  const path = join(stage.home, "tasks", "0000000000a0.json");
  writeFileSync(path, "{");
  const said = `${path} is no record of a task and was left as it is: it is not one JSON object.`;
  expect(await stage.bare(["tasks", "list"])).toMatchObject({
    exit: 0,
    stdout: "There are no tasks.\n",
    stderr: `${said}\n`,
  });
  const args = ["-p", "go", "--permission-mode", "auto", "--output-format", "events"];
  const { stdout } = await stage.run(args, { env: { CINCH_HOME: stage.home } });
  const notices = jsonLines(stdout).filter(({ type, code }) => type === "notice" && code === "tasks");
  expect(notices).toMatchObject([{ level: "warning", text: said }]);
  expect(readFileSync(path, "utf8")).toBe("{");
});

test("tasks output --follow prints what comes until the task has ended", async () => {
  const command = "echo one; until [ -e go ]; do sleep 0.02; done; echo two";
  const { stage, live, running } = await working([start(command)]);
  const follower = stage.start(["tasks", "output", running[0]?.id ?? "", "--follow"]);
  await eventually(() => follower.stdout === "one\n");
  writeFileSync(join(stage.project, "go"), "");
  expect(await follower.done).toMatchObject({ exit: 0, stdout: "one\ntwo\n", stderr: "" });
  live.end();
  await live.done;
});

test("/tasks lists, shows and ends tasks in the conversation itself", async () => {
  const { live, running } = await working([start("echo here; sleep 319")]);
  const id = running[0]?.id ?? "";
  const said = async (text: string) => {
    const before = live.stdout.length;
    live.send({ type: "user", text });
    const ends = await live.line(
      (line) => line.type === "result" && live.stdout.indexOf(JSON.stringify(line)) >= before,
    );
    return ends["result"] as string;
  };
  expect(await said("/tasks")).toBe(`${id}  running      echo here; sleep 319 (command)`);
  expect(await said(`/tasks ${id.slice(0, 6)}`)).toContain("command  echo here; sleep 319");
  expect(await said(`/tasks cancel ${id}`)).toContain(`task     ${id}, cancelled: echo here`);
  expect(processesOf(id)).toEqual([]);
  live.end();
  await live.done;
});

test.each(["text", "json", "stream-json"])(
  "/tasks resume with -p, as %s: the agent is waited for, and one result says what came of it",
  async (format) => {
    const stage = cliStage();
    const submit = {
      tool: "submit_agent_tasks",
      input: { tasks: [{ agent_name: "implement", prompt: "go" }], wait: false },
    };
    const play = (main: object[], implement: object[]) =>
      writeFileSync(join(stage.project, "../script.json"), JSON.stringify({ main, agents: { implement } }));
    play([{ calls: [submit] }, { text: "begun" }], [{ text: "late", delay_ms: 600_000 }]);
    const live = stage.start(control);
    live.send({ type: "user", text: "go" });
    await live.line(({ type }) => type === "result");
    const { id } = await eventually(() => records(stage).find(({ state }) => state === "running"));
    live.child.kill("SIGKILL");
    await live.done;
    play([{ match: "it is finished", text: "thanks" }], [{ text: "it is finished" }]);
    const args = ["-c", "-p", `/tasks resume ${id}`, "--output-format", format];
    const { exit, stdout } = await stage.run(args, { env: { CINCH_HOME: stage.home } });
    expect(exit).toBe(0);
    expect(records(stage)).toMatchObject([{ state: "succeeded", result: "it is finished", told: true }]);
    if (format === "text") expect(stdout).toBe("thanks\n");
    else expect(jsonLines(stdout).filter(({ type }) => type === "result")).toMatchObject([{ result: "thanks" }]);
  },
);

test("an agent that was killed goes on when that is asked for, and its session hears of it (D 97)", async () => {
  const work = { agent_name: "implement", prompt: "go" };
  const submit = { tool: "submit_agent_tasks", input: { tasks: [work], wait: false } };
  const stage = cliStage();
  const script = join(stage.project, "../script.json");
  const play = (main: object[], implement: object[]) =>
    writeFileSync(script, JSON.stringify({ main, agents: { implement } }));
  play([{ calls: [submit] }, { text: "begun" }], [{ text: "late", delay_ms: 600_000 }]);
  const live = stage.start(control);
  live.send({ type: "user", text: "go" });
  await live.line(({ type }) => type === "result");
  const { id } = await eventually(() => records(stage).find(({ state }) => state === "running"));
  const early = await stage.bare(["tasks", "resume", id]);
  expect([early.exit, early.stderr]).toEqual([1, expect.stringContaining("is in use by process")]);
  live.child.kill("SIGKILL");
  await live.done;
  expect((await stage.bare(["doctor"])).stdout).toContain(`of a Cinch that is gone: ${id} (go)`);
  expect(records(stage)).toMatchObject([{ state: "running" }]);
  await stage.bare(["tasks", "list"]);
  expect((await stage.bare(["doctor"])).stdout).toContain(`tasks     interrupted: ${id} (go)`);
  play([], [{ text: "finished" }]);
  const { exit, stdout } = await stage.bare(["tasks", "resume", id.slice(0, 8), "--json"]);
  expect([exit, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ state: "succeeded", result: "finished" })]);
  const again = await stage.bare(["tasks", "resume", id]);
  expect([again.exit, again.stderr]).toEqual([1, expect.stringContaining("is succeeded. Nothing was started.")]);
  expect(records(stage)).toMatchObject([{ state: "succeeded", told: true }]);
});
