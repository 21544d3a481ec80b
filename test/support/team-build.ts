// A build through the SDK whose agents play a script, without checks: plan, engine and record as they are.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { recordsOf, spentOn } from "../../src/build/crew.js";
import { readFormation } from "../../src/build/formation.js";
import { readPlan } from "../../src/build/plan.js";
import type { JudgeBuild, Verdict, VerifyBuild } from "../../src/build/ports.js";
import { previewsOf } from "../../src/build/preview/of-project.js";
import { type BuildRecord, manifestOf } from "../../src/build/record.js";
import { formationsOf } from "../../src/build/roster.js";
import { beginBuild, carryOut, formationNamed } from "../../src/build/session-build.js";
import { createHarness, type HarnessOptions } from "../../src/index.js";
import { nodeFs } from "../../src/lib/fs.js";
import type { ScriptItem } from "../../src/models/script.js";
import { writeScript } from "./pomodoro.js";
import { tempDir } from "./run.js";

export const write = (content: string, path = "app.js"): ScriptItem => ({
  calls: [{ tool: "write_file", input: { path, content } }],
});
export const command = (line: string): ScriptItem => ({ calls: [{ tool: "run_command", input: { command: line } }] });
export const when = (match: string, item: ScriptItem): ScriptItem => ({ match, skip: true, ...item });
export const said: ScriptItem = { text: "There it is." };

/** One task with these fields and a look at it. */
export const planOf = (task: string) => `goal: An app
formation: lightweight-feature
tasks:
  - { id: app, title: The app, role: implementer, prompt: Write the app.${task === "" ? "" : `, ${task}`} }
  - { id: look, title: A look, role: tester, prompt: Look at the app. }
`;

export interface TeamWishes {
  verify?: VerifyBuild;
  /** What the gate says every time, or who judges. */
  judge?: JudgeBuild | Verdict | undefined;
  signal?: AbortSignal;
}

/** `formation`: its YAML, in place of the one that the plan names. */
export async function teamBuild(
  planText: string,
  agents: Record<string, ScriptItem[]>,
  { formation: team, ...options }: Partial<HarnessOptions> & { formation?: string } = {},
) {
  const base = tempDir();
  const root = join(base, "project");
  mkdirSync(join(root, ".git"), { recursive: true });
  const script = join(base, "script.json");
  writeScript(script, { main: [], agents });
  const model = `scripted/${script}`;
  const { settings, ...more } = options;
  const harness = createHarness({
    ...{ cwd: root, home: join(base, "home"), model, ...more },
    settings: {
      permissions: { mode: "auto" },
      sandbox: { mode: "off" },
      lsp: { disabled: ["*"] },
      models: { prices: { [model]: { input: 1, output: 1 } } },
      ...settings,
    },
  });
  onTestFinished(() => harness.close());
  const session = await harness.open();
  const known = await formationsOf(harness);
  const own = team === undefined ? null : readFormation(team, ["implement", "test", "review", "explore"]);
  if (own && !own.value) throw new Error(own.problems.map(({ text }) => text).join("\n"));
  const { value: plan, problems } = readPlan(planText, (name) => own?.value ?? formationNamed(name, known));
  if (!plan) throw new Error(problems.map(({ text }) => text).join("\n"));
  const kept = join(base, "home", "builds");
  const place = { harness, session, disk: nodeFs, kept, signal: new AbortController().signal };
  const formation = own?.value ?? formationNamed(plan.formation, known);
  const record: BuildRecord = await beginBuild(place, { id: "b", spec: "", formation, plan, now: 0 });
  const notes: string[] = [];
  const records = async () => Promise.all((await recordsOf(harness, "b")).map(({ id }) => harness.tasks.show(id)));
  let { tasks } = manifestOf(record.state, []);
  const carried = ({ verify, judge: wanted, signal = place.signal }: TeamWishes = {}) => {
    const judge = wanted === undefined ? null : typeof wanted === "function" ? wanted : async () => wanted;
    const previews = previewsOf(harness, session);
    return carryOut({ ...place, signal }, record, {
      ...{ verify: verify ?? null, judge, previews },
      news: (news) => void (news.type === "note" && notes.push(`${news.task}: ${news.what}`)),
    });
  };
  return {
    ...{ record, root, script, notes, records, carried },
    state: record.state,
    spent: () => spentOn(harness, "b"),
    manifest: async () => manifestOf(record.state, await recordsOf(harness, "b")),
    attempts: () =>
      Object.fromEntries(Object.entries(tasks).map(([id, { attempts }]) => [id, attempts.map(({ kind }) => kind)])),
    async carry(wishes: TeamWishes = {}) {
      expect(await carried(wishes)).toBe(true);
      ({ tasks } = manifestOf(record.state, await recordsOf(harness, "b")));
    },
  };
}
