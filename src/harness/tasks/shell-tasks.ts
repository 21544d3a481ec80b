// Commands in the background, as a session starts them: planned like any other command, under the same rules, in the same
// sandbox and environment, and then left to their watcher.
// Invariant: what is detached outlives whatever holds a sandbox together, so it runs in none, and whoever allows it knows
// that it survives.

import { ModelError } from "../../core/errors.js";
import type { ShellPlan } from "../../core/ports.js";
import type { TaskPlan, TaskRecord, TaskRequest } from "../../core/task.js";
import { sha256 } from "../../lib/hash.js";
import { canonical } from "../../lib/json.js";
import { printable } from "../../lib/paths.js";
import type { ShellRunner } from "../../tasks/shell-runner.js";
import type { LaunchingShell } from "../ports.js";
import type { TaskTrade } from "./session-tasks.js";

interface ShellTaskPlan extends TaskPlan {
  planned: ShellPlan;
}

/** What nobody watches over ends by itself at last. Seconds. */
const detachedSeconds = 24 * 60 * 60;

export function shellTrade(shell: LaunchingShell, runner: ShellRunner): TaskTrade {
  return {
    plan: (request) => planOf(shell, request),
    record(plan, { id, byHand }) {
      const { request, planned } = plan as ShellTaskPlan;
      if (request.kind !== "shell") throw new Error("a plan of another kind");
      const { command, cwd, analysis } = planned;
      const { detach = false } = request;
      const how = { command, cwd, readsOnly: analysis.verdict === "readonly", byHand: byHand || detach };
      runner.prepare(id, () => shell.launch(how));
      const own = { command, cwd, detach, title: request.title ?? titleOf(command), ...limitsOf(request) };
      return how.readsOnly ? { ...own, readsOnly: true } : own;
    },
  };
}

async function planOf(shell: LaunchingShell, request: TaskRequest): Promise<ShellTaskPlan> {
  if (request.kind !== "shell") throw new ModelError("This is no command. Nothing was started.");
  const planned = await shell.plan(request.command, request.cwd);
  const { command, cwd, analysis } = planned;
  const { detach = false } = request;
  const seconds = limitsOf(request).limits?.time;
  const survives = `, and leave it running when Cinch has ended, for ${Math.round((seconds ?? 0) / 360) / 10} h at most`;
  return {
    request,
    planned,
    summary: `start in the background: ${printable(command)}${detach ? survives : ""}`,
    analysis,
    digest: sha256(canonical({ command, cwd, detach, seconds: seconds ?? null })),
  };
}

function limitsOf(request: TaskRequest): Partial<TaskRecord> {
  const isDetached = request.kind === "shell" && request.detach === true;
  const seconds = request.timeoutMs === undefined ? undefined : request.timeoutMs / 1_000;
  const time = seconds ?? (isDetached ? detachedSeconds : undefined);
  return { limits: time === undefined ? {} : { time } };
}

function titleOf(command: string): string {
  const line = printable(command.trim().split("\n", 1)[0] ?? "");
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
