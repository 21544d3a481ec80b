// What becomes of the preview of a build, and what the outcome says of it.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Manifest } from "../../src/build/record.js";
import type { ScriptItem } from "../../src/models/script.js";
import { needs } from "../support/needs.js";
import { plan, smallBuild as staged, verdict } from "../support/small-build.js";
import { TestTerminal } from "../support/terminal.js";

const patient = { timeout: 120_000 };
const page: ScriptItem = {
  ...{ match: "Write the page|was interrupted", skip: true },
  calls: [{ tool: "write_file", input: { path: "index.html", content: "<title>Timer</title><p>25:00" } }],
};
const pagePlan = { ...plan, tasks: [{ ...plan.tasks[0], prompt: "Write the page.", files: ["index.html"] }] };

test.each<[string, string, object, RegExp]>([
  ["a page that would have to stay", "auto", {}, /Cinch itself serves this page, so it ends with Cinch/],
  ["a start that nobody allows", "acceptEdits", { start: "node no.js" }, /Denied/],
])(
  "the outcome of a build that is done is told whatever becomes of its preview: %s",
  patient,
  async (_what, mode, app, why) => {
    const at = staged({ implementer: [page, { text: "Made." }], gate: verdict("PASS") }, { ...pagePlan, app });
    const shown = (args: string[]) =>
      args.flatMap((each) => (each === "--no-preview" ? [] : each === "auto" ? mode : each));
    const done = await at.run([...shown(at.planned), "--detach", "--json"]);
    expect(done.exit, done.stderr).toBe(0);
    expect(JSON.parse(done.stdout)).toMatchObject({
      outcome: "done",
      preview: { state: "stopped", url: null, what: expect.stringMatching(why) },
    });
    const again = await at.run([...shown(at.build), "--detach", "--resume", at.onlyBuild()]);
    expect([again.exit, again.stdout]).toEqual([0, expect.stringMatching(/Preview: .*(?:serves this page|Denied)/)]);
  },
);

needs("python3")(
  "in a terminal the preview stays until Ctrl-C, also with --yes, and is then written as stopped",
  async () => {
    const at = staged({ implementer: [page, { text: "Made." }], gate: verdict("PASS") }, pagePlan);
    const args = at.planned.filter((each) => each !== "--no-preview");
    const terminal = new TestTerminal([...args, "-m", at.model], { cwd: at.project, home: at.home });
    await expect.poll(() => terminal.bytes, { timeout: 60_000 }).toMatch(/The preview is at http\S+; Ctrl-C ends it/);
    const artifacts = () =>
      JSON.parse(readFileSync(join(at.project, ".cinch/build", at.onlyBuild(), "artifacts.json"), "utf8")) as Manifest;
    expect(artifacts().preview).toMatchObject({ state: "healthy", stack: "static" });
    terminal.type("\x03");
    expect(await terminal.done, terminal.bytes).toBe(0);
    expect(artifacts().preview).toMatchObject({ state: "stopped", what: "It was stopped." });
  },
);
