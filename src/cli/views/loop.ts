// What the runs of a session did, for a person: state, transitions, counts, reminders, and what waits to be said. Pure.

import type { LoopReport } from "../../index.js";

type Run = LoopReport["runs"][number];

/** `all`: every run; otherwise the newest alone. */
export function loopView({ runs, waiting }: LoopReport, { all }: { all: boolean }): string {
  const shown = all ? runs : runs.slice(-1);
  const lines = shown.flatMap((run, at) => runLines(run, all ? at + 1 : runs.length));
  if (lines.length === 0) lines.push("Nothing has run in this session yet.");
  for (const { mode, text } of waiting) lines.push(`waiting     ${mode}: ${JSON.stringify(text)}`);
  return lines.join("\n");
}

function runLines(run: Run, number: number): string[] {
  const { counts, transitions, reminders, stopped, delivered, undelivered } = run;
  const steps = transitions.map(({ to, action }) => (action === null ? to : `${to} (${action})`));
  const steering = delivered === 0 ? [] : [`steered     ${delivered} delivered`];
  return [
    `run ${number}`.padEnd(12) + run.state,
    `path        ${["created", ...steps].join(" → ")}`,
    `counts      ${counts.model_calls} requests, ${counts.tool_calls} calls, ${counts.retries} retries, ${counts.hook_retries} sent back by hooks, ${counts.queued_steers} waiting`,
    ...reminders.map(({ n, shape, count }) => `reminder ${n}  ${shape}, ${count} rounds`),
    ...(stopped ? [`stopped     as a loop: ${stopped.shape}, ${stopped.count} rounds`] : []),
    ...steering,
    ...undelivered.map(({ mode, text }) => `undelivered ${mode}: ${JSON.stringify(text)}`),
  ];
}
