import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir, unguarded } from "../../test/support/run.js";
import { nodeFs } from "./fs.js";
import { runProgram, runShell } from "./process.js";
import type { ShellLimits } from "./shell-limits.js";

const env = { PATH: process.env["PATH"] ?? "" };

function run(command: string, more: { timeoutMs?: number; signal?: AbortSignal; limits?: Partial<ShellLimits> } = {}) {
  const cwd = tempDir("cinch-process-");
  const lines: string[] = [];
  const result = runShell({
    command,
    cwd,
    env,
    timeoutMs: more.timeoutMs ?? 20_000,
    signal: more.signal ?? new AbortController().signal,
    onLine: (line) => lines.push(line),
    spillDir: join(cwd, "spill"),
    disk: nodeFs,
    guard: unguarded,
    ...(more.limits ? { limits: more.limits } : {}),
  });
  return result.then((end) => ({ ...end, cwd, shown: lines }));
}

/** Whether a process is there and is not a zombie. */
function runs(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}

test("returns output, exit code and live lines, and writes no file for short output", async () => {
  const end = await run("echo one; echo two; exit 3");
  expect(end).toMatchObject({ exit: 3, output: "one\ntwo\n", lines: 2, bytes: 8, spill: null, leftRunning: 0 });
  expect(end.shown).toEqual(["one", "two"]);
  expect(readdirSync(end.cwd)).toEqual([]);
});

test("keeps the order of stdout and stderr", async () => {
  const end = await run("for i in 1 2 3; do echo out$i; echo err$i >&2; done");
  expect(end.output).toBe("out1\nerr1\nout2\nerr2\nout3\nerr3\n");
});

test("a syntax error is reported with its own line number", async () => {
  const end = await run("echo a\nif then");
  expect(end.exit).toBe(2);
  expect(end.output).toMatch(/^a\n.*line 2: syntax error/);
});

test.each([
  ["a comment first", "# note\necho ok"],
  ["a here-document", "cat <<EOF\nok\nEOF"],
  ["a leading line end", "\n\necho ok"],
])("runs a command with %s", async (_, command) => {
  expect((await run(command)).output).toBe("ok\n");
});

test("D 94, 95: stdin is empty and there is no terminal", async () => {
  const end = await run("cat; read x || echo closed; (echo hi >/dev/tty) 2>/dev/null || echo no tty");
  expect(end.output).toBe("closed\nno tty\n");
});

test("D 86, 88: a time-out ends the whole group, also what ignores TERM", async () => {
  const end = await run("trap '' TERM; sleep 300 & echo $!; wait", { timeoutMs: 150, limits: { graceMs: 100 } });
  expect(end).toMatchObject({ timedOut: true, cancelled: false, signal: "SIGKILL", exit: null });
  expect(runs(Number(end.output.trim()))).toBe(false);
});

test("a cancelled command is ended with its children", async () => {
  const controller = new AbortController();
  const started = run("sleep 300 & echo $!; wait", { signal: controller.signal });
  setTimeout(() => controller.abort(), 100);
  const end = await started;
  expect(end.cancelled).toBe(true);
  expect(runs(Number(end.output.trim()))).toBe(false);
});

test("nothing is started when the call is cancelled before", async () => {
  const end = await run("touch made", { signal: AbortSignal.abort() });
  expect(end.cancelled).toBe(true);
  expect(existsSync(join(end.cwd, "made"))).toBe(false);
});

test("D 89, 93: returns at exit although a child holds the pipe, and ends and counts that child", async () => {
  const end = await run("sleep 300 & sleep 300 & echo $!");
  expect(end).toMatchObject({ exit: 0, leftRunning: 2, timedOut: false });
  expect(end.ms).toBeLessThan(10_000);
  expect(runs(Number(end.output.trim()))).toBe(false);
});

test("long output: head, tail and a note in memory, everything in a private file", async () => {
  const end = await run("seq 1 20000", { limits: { head: 100, tail: 100 } });
  expect(end.lines).toBe(20_000);
  expect(end.output).toMatch(/^1\n2\n/);
  expect(end.output).toMatch(/19999\n20000\n$/);
  expect(end.output.length).toBeLessThan(500);
  const [, lines, path = ""] = /\[… (\d+) lines .* whole output in (.*)\]/.exec(end.output) ?? [];
  expect(end.spill).toBe(path);
  const shown = end.output.split("\n").length - 2;
  expect(Number(lines) + shown).toBe(20_000);
  const whole = readFileSync(path, "utf8");
  expect(whole.length).toBe(end.bytes);
  expect(whole.endsWith("19999\n20000\n")).toBe(true);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("D 91: a flood without line ends is ended at the limit, the file stays below its cap", async () => {
  const limits = { head: 100, tail: 100, spill: 200_000, total: 5_000_000 };
  const end = await run("tr '\\0' x </dev/zero", { limits });
  expect(end).toMatchObject({ signal: "SIGTERM", flooded: true });
  expect(end.output).toContain("first 200000 bytes in");
  expect(statSync(end.spill ?? "").size).toBe(200_000);
});

test("D 105: characters cut between chunks stay whole", async () => {
  const end = await run("printf '\\303'; sleep 0.05; printf '\\244\\n'");
  expect(end.output).toBe("ä\n");
  expect(end.shown).toEqual(["ä"]);
});

test("D 107: a directory that is gone and a command that is too long are system errors", async () => {
  const signal = new AbortController().signal;
  const base = { env, timeoutMs: 1000, signal, spillDir: "/nonexistent", disk: nodeFs, guard: unguarded };
  await expect(runShell({ ...base, command: "true", cwd: "/nonexistent" })).rejects.toMatchObject({ code: "ENOENT" });
  const long = `: ${"x".repeat(4_000_000)}`;
  await expect(runShell({ ...base, command: long, cwd: "/" })).rejects.toMatchObject({ code: "E2BIG" });
});

test("D 97: death by signal is not success", async () => {
  expect(await run("kill -9 $$")).toMatchObject({ exit: null, signal: "SIGKILL" });
});

test("runProgram: a program that is stopped is over, whoever else holds its pipes", async () => {
  const all = { cwd: "/", env: {}, signal: AbortSignal.timeout(50), onChunk: () => undefined };
  const told = await Promise.all([
    // It waits for a child of its own, or has left one behind.
    runProgram("/bin/sh", ["-c", "/bin/sleep 20; :"], all),
    runProgram("/bin/sh", ["-c", "/bin/sleep 20 &"], all),
  ]);
  expect(told.map(({ stopped }) => stopped)).toEqual([true, true]);
}, 10_000);

test("runProgram: output in chunks, stopped by the reader, and a missing program rejects", async () => {
  const signal = new AbortController().signal;
  let text = "";
  const onChunk = (chunk: Buffer) => {
    text += chunk.toString();
    return true;
  };
  expect(await runProgram("/bin/echo", ["hi"], { cwd: "/", env, signal, onChunk })).toMatchObject({ exit: 0 });
  expect(text).toBe("hi\n");
  const stopped = await runProgram("/usr/bin/yes", [], { cwd: "/", env, signal, onChunk: () => false });
  expect(stopped.stopped).toBe(true);
  await expect(runProgram("/nonexistent", [], { cwd: "/", env, signal, onChunk })).rejects.toMatchObject({
    code: "ENOENT",
  });
});

test("D 87: a child that left the group with setsid is ended and counted, also one that ignores TERM", async () => {
  const end = await run("setsid bash -c 'trap \"\" TERM; echo $$; exec >&- 2>&-; sleep 300' & sleep 0.2", {
    limits: { graceMs: 100 },
  });
  expect(end.leftRunning).toBeGreaterThan(0);
  expect(runs(Number(end.output))).toBe(false);
});

test("D 90, 91: a flood of lines, or one line of 300 MB, takes no memory and no disk beyond its limits", async () => {
  const limits = { spill: 1_000_000 };
  await run("yes | head -c 30000000; head -c 30000000 /dev/zero", { limits });
  global.gc?.();
  const before = process.memoryUsage().rss;
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 10);
  for (const flood of ["yes | head -c 300000000", "tr '\\0' x < /dev/zero | head -c 300000000"]) {
    const end = await run(flood, { limits, timeoutMs: 60_000 });
    expect(end).toMatchObject({ exit: 0, bytes: 300_000_000, flooded: false });
    expect(end.output.length).toBeLessThan(20_000);
    expect(statSync(end.spill ?? "").size).toBe(1_000_000);
  }
  clearInterval(watch);
  expect(peak - before).toBeLessThan(100 * 1024 * 1024);
}, 60_000);

test("D 96: processes that only start others are ended with their group", async () => {
  const relay = "f() { sleep 0.005; echo on; f & }; f; sleep 300";
  const end = await run(relay, { timeoutMs: 300, limits: { graceMs: 100 } });
  expect(end.timedOut).toBe(true);
  expect(end.lines).toBeGreaterThan(0);
  // Nothing writes any more: the pipe had its end, and no process has this directory.
  const here = readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && runs(Number(pid)) && cwdOf(pid) === end.cwd);
  expect(here).toEqual([]);
});

function cwdOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return "";
  }
}

test("D 105: what is not UTF-8 is kept byte for byte on disk and shown as what it is not", async () => {
  const end = await run("printf 'a\\377\\376b\\n'; seq 1 20000", { limits: { head: 100, tail: 100 } });
  expect(end.output.startsWith("a\uFFFD\uFFFDb\n")).toBe(true);
  expect(readFileSync(end.spill ?? "").subarray(0, 5)).toEqual(Buffer.from([0x61, 0xff, 0xfe, 0x62, 0x0a]));
});

test("D 108: stopped in the moment it starts, it is gone, and so is what it started", async () => {
  for (let at = 0; at < 10; at++) {
    const controller = new AbortController();
    const started = run("setsid sleep 300 & sleep 300 & sleep 300", { signal: controller.signal });
    const abort = () => controller.abort();
    if (at < 3) abort();
    else if (at < 6) queueMicrotask(abort);
    else setImmediate(abort);
    const end = await started;
    expect(end.cancelled).toBe(true);
    const left = readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && runs(Number(pid)) && cwdOf(pid) === end.cwd);
    expect(left).toEqual([]);
  }
});
