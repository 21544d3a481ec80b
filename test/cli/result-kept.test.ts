// The result of the shipped program, whatever fails beside it: on stdout in each format, with its exit code.

import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import buildDist from "../support/build.js";
import { cliStage, jsonLines } from "../support/cli.js";
import { needs } from "../support/needs.js";
import { bin, cleanEnv, type Outcome } from "../support/run.js";

const script = [
  { calls: [{ tool: "run_command", input: { command: "echo hi > a.txt" } }] },
  { calls: [{ tool: "search_text", input: { pattern: "hi" } }] },
  { text: "the answer" },
];

const formats = ["text", "json", "stream-json", "events"];

beforeAll(buildDist);

/** The built program with a script and without the sandbox, started by `bash -c <before>`, which begins it with `exec "$@"`. */
function limited(before: string, format: string, said: readonly object[] = script, files: Record<string, string> = {}) {
  const { project, home } = cliStage(said);
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(project, name), text.replaceAll("$HOME_OF_CINCH", home));
    chmodSync(join(project, name), 0o755);
  }
  const model = ["-m", `scripted/${join(project, "../script.json")}`, "--settings", join(project, "../settings.json")];
  const args = [bin, "-p", "go", "--permission-mode", "auto", "--output-format", format, ...model];
  const child = spawn("bash", ["-c", before, "bash", process.execPath, ...args], {
    cwd: project,
    env: cleanEnv({ CINCH_HOME: home }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const outcome: Outcome = { exit: null, stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    outcome.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    outcome.stderr += text;
  });
  return new Promise<Outcome>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (exit) => resolve({ ...outcome, exit }));
  });
}

/** There is one result, its exit code is that of the program, and it is the answer or says why there is none. */
function expectResult({ exit, stdout, stderr }: Outcome, format: string, about = "") {
  if (format === "text") {
    expect(stdout, `${about} ${stderr}`).toBe(exit === 0 ? "the answer\n" : "");
    if (exit !== 0) expect(stderr, about).not.toBe("");
    return;
  }
  const lines = jsonLines(stdout);
  const last = lines.at(-1);
  expect(lines.filter(({ subtype }) => subtype === last?.subtype)).toHaveLength(1);
  expect(last, `${about} ${stderr}`).toMatchObject({
    type: format === "events" ? "run.end" : "result",
    exit_code: exit,
  });
  if (exit === 0) expect(last, about).toMatchObject({ subtype: "success", result: "the answer" });
  else expect(last, about).toMatchObject({ subtype: "error_during_execution", detail: expect.stringMatching(/\w/) });
}

describe("a limit on open files", () => {
  it.each(formats)("never costs the result (%s)", async (format) => {
    for (let limit = 20; limit <= 36; limit += format === "json" ? 2 : 8) {
      const ended = await limited(`ulimit -n ${limit}; exec "$@"`, format);
      expectResult(ended, format, `ulimit -n ${limit}`);
    }
  });

  it("ends a run that has been paid for with a result that says what it cost", async () => {
    const ended = await limited('ulimit -n 24; exec "$@"', "json");
    expect(jsonLines(ended.stdout).at(-1)).toMatchObject({
      exit_code: 1,
      num_turns: 1,
      usage: { output_tokens: expect.any(Number) },
      detail: expect.stringMatching(/too many open files.*ulimit -n/),
    });
  });
});

describe("a limit on the size of files", () => {
  it.each(formats)("never costs the result (%s)", async (format) => {
    for (const limit of [1, 4, 16]) {
      const ended = await limited(`ulimit -f ${limit}; exec "$@"`, format);
      expectResult(ended, format, `ulimit -f ${limit}`);
    }
  });
});

describe("the disk of the state directory", () => {
  const mounted = (size: number) =>
    `mount -t tmpfs -o size=${size}k tmpfs "$CINCH_HOME" && exec "$@"`.replaceAll('"', '\\"');
  const inside = (commands: string) =>
    `exec unshare --user --map-root-user --mount bash -c "${commands.replaceAll("$", "\\$")}" bash "$@"`;

  for (const format of formats) {
    needs("unshare")(`is too small: there is a result (${format})`, async () => {
      const exits = new Set<number | null>();
      for (const size of [4, 16, 64]) {
        const ended = await limited(inside(mounted(size)), format);
        expectResult(ended, format, `${size} KB`);
        if (ended.exit !== 0) expect(ended.stderr).toMatch(/ENOSPC|no space|Free some space/);
        exits.add(ended.exit);
      }
      expect(exits).toContain(1);
    });

    needs("unshare")(`becomes read-only after the first answer: there is a result (${format})`, async () => {
      const freeze =
        '#!/bin/sh\nmount --bind "$HOME_OF_CINCH" "$HOME_OF_CINCH" && mount -o remount,bind,ro "$HOME_OF_CINCH" && echo frozen\n';
      const said = [{ calls: [{ tool: "run_command", input: { command: "./freeze" } }] }, ...script];
      const ended = await limited(inside('exec \\"$@\\"'), format, said, { freeze });
      expectResult(ended, format);
      expect(ended.stderr).toMatch(/read-only|EROFS/);
    });
  }
});

describe("an index of the project that cannot be written at the end", () => {
  it.each(["text", "json", "stream-json", "events"])("leaves the result in %s, exit 0 and a notice", async (format) => {
    const stage = cliStage(script);
    mkdirSync(join(stage.home, "checkpoints"));
    // A file where a directory has to be: nobody can write below it, root neither.
    writeFileSync(join(stage.home, "checkpoints", "index"), "");
    const args = ["-p", "go", "--permission-mode", "auto", "--output-format", format];
    const { exit, stdout, stderr } = await stage.run(args, { env: { CINCH_HOME: stage.home } });
    expect(exit, stderr).toBe(0);
    if (format === "text") expect(stdout).toBe("the answer\n");
    else expect(jsonLines(stdout).at(-1)).toMatchObject({ subtype: "success", result: "the answer", exit_code: 0 });
    expect(stderr).toMatch(/The result is complete, but not everything could be saved: .*checkpoints\/index/);
  });
});
