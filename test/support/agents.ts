// A session whose model plays a script with parts for several agents (SPEC 2.11), in a project and a home of its own.

import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { JsonObject } from "../../src/core/json.js";
import type { TaskRecord } from "../../src/core/task.js";
import { createHarness, type Event, type Harness, type HarnessOptions, type Session } from "../../src/index.js";
import type { ScriptItem } from "../../src/models/script.js";
import { tempDir } from "./run.js";
import { recordsIn } from "./tasks.js";

export interface AgentStage {
  root: string;
  home: string;
  /** Opens another harness on the same home and project. */
  open(
    options?: Partial<HarnessOptions>,
    resume?: string | true,
  ): Promise<{ session: Session; harness: Harness; events: Event[] }>;
  /** From now on the models play this instead. */
  play(script: AgentScript): void;
  /** Name of a model that plays this, for one task. */
  model(items: readonly ScriptItem[]): string;
  records(): TaskRecord[];
}

export interface AgentScript {
  main?: ScriptItem[];
  agents?: Record<string, ScriptItem[]>;
}

export function agentStage(script: AgentScript, files: Record<string, string> = {}): AgentStage {
  const base = tempDir("cinch-agents-");
  const [root, home] = [join(base, "project"), join(base, "home")];
  mkdirSync(join(root, ".git"), { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    const path = join(base, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const file = join(base, "script.json");
  const play = (next: AgentScript) => writeFileSync(file, JSON.stringify({ main: [], agents: {}, ...next }));
  play(script);
  let models = 0;
  return {
    root,
    home,
    play,
    model(items) {
      const own = join(base, `model-${models++}.json`);
      writeFileSync(own, JSON.stringify(items));
      return `scripted/${own}`;
    },
    async open(options = {}, resume) {
      const { settings = { permissions: { mode: "auto" } }, ...more } = options;
      const env = { PATH: process.env["PATH"] };
      const open = { sandbox: { mode: "off" }, ...settings } as const;
      const harness = createHarness({ cwd: root, home, model: `scripted/${file}`, env, settings: open, ...more });
      onTestFinished(() => harness.close());
      const session = await harness.open(resume === undefined ? {} : { resume });
      const events: Event[] = [];
      void (async () => {
        for await (const event of session.events()) events.push(event);
      })();
      return { session, harness, events };
    },
    records: () => recordsIn(home),
  };
}

/** A call in a script. */
export function call(tool: string, input: JsonObject): ScriptItem {
  return { calls: [{ tool, input }] };
}

/** A call that makes a file. */
export const write = (path: string, content = "made\n") => call("write_file", { path, content });

/** A call that gives these tasks to agents. */
export function submit(tasks: object[], more: object = {}): ScriptItem {
  return call("submit_agent_tasks", { tasks, ...more } as JsonObject);
}

/** The file of an agent, with these fields of its head. */
export const agentFile = (name: string, fields = "") => `---\nname: ${name}\ndescription: d\n${fields}\n---\nYou work.`;

/** The text of the newest result of a tool in the conversation. */
export function lastResult(session: Session, tool: string): string {
  const parts = [...session.entries()].flatMap((entry) => (entry.type === "message" ? entry.data.parts : []));
  const found = parts.findLast((part) => part.type === "result" && part.tool === tool);
  expect(found, `a result of ${tool}`).toBeDefined();
  return found?.type === "result" ? found.text : "";
}

/** How many of these tasks ran at once at most, by the events. */
export function peakOf(events: readonly Event[]): number {
  let [now, peak] = [0, 0];
  for (const event of events) {
    if (event.type !== "task.change") continue;
    if (event.to === "running") now++;
    else if (event.from === "running") now--;
    peak = Math.max(peak, now);
  }
  return peak;
}

/** The same, with a repository of one commit in which everything of the project is. */
export function repositoryStage(script: AgentScript, files: Record<string, string> = {}): AgentStage {
  const at = agentStage(script, { "project/old.txt": "old\n", ...files });
  rmSync(join(at.root, ".git"), { recursive: true });
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd: at.root });
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "first");
  return at;
}
