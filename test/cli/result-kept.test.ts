// The result of the shipped program, whatever fails beside it: on stdout in each format, with its exit code.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import buildDist from "../support/build.js";
import { cliStage, jsonLines } from "../support/cli.js";

const script = [
  { calls: [{ tool: "run_command", input: { command: "echo hi > a.txt" } }] },
  { calls: [{ tool: "search_text", input: { pattern: "hi" } }] },
  { text: "the answer" },
];

beforeAll(buildDist);

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
