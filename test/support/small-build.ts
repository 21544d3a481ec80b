// A build of one file by one scripted agent, for tests of what surrounds the work: questions, limits, pauses, kills.

import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ScriptItem } from "../../src/models/script.js";
import { cliStage } from "./cli.js";
import { writeScript } from "./pomodoro.js";

export const plan = {
  goal: "An app",
  formation: "single-file",
  tasks: [{ id: "app", title: "The app", role: "implementer", prompt: "Write the app.", files: ["app.js"] }],
};

export const app: ScriptItem = {
  ...{ match: "Write the app|was interrupted", skip: true },
  calls: [{ tool: "write_file", input: { path: "app.js", content: "export const on = () => true;\n" } }],
};

export const verdict = (said: string, ...findings: object[]) => [{ text: JSON.stringify({ verdict: said, findings }) }];

export function smallBuild(agents: Record<string, ScriptItem[]>, planned: object = plan) {
  const at = cliStage();
  const base = join(at.home, "..");
  const script = join(base, "script.json");
  const play = (next: Record<string, ScriptItem[]>) => writeScript(script, { main: [], agents: next });
  play(agents);
  const settings = join(base, "priced.json");
  const models = { prices: { [`scripted/${script}`]: { input: 1, output: 1 } } };
  const limit = (limits: object) =>
    writeFileSync(settings, JSON.stringify({ sandbox: { mode: "off" }, lsp: { disabled: ["*"] }, models, limits }));
  limit({});
  const planFile = join(base, "plan.yaml");
  writeFileSync(planFile, JSON.stringify(planned));
  const flags = ["--settings", settings, "--permission-mode", "auto"];
  const build = ["build", ...flags, "--yes", "--no-verify", "--no-preview"];
  const onlyBuild = () => {
    const [id = ""] = readdirSync(join(at.project, ".cinch/build")).filter((name) => name !== ".gitignore");
    return id;
  };
  return {
    ...{ ...at, base, play, flags, build, onlyBuild, limit, planFile },
    model: `scripted/${script}`,
    planned: [...build, "--plan", planFile],
  };
}
