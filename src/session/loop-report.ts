// What the controllers of a session's runs did, from its entries alone: states, actions, counts, reminders, steering.
// Invariant: pure; a run begins with its first change of state, and one that a crash ended stays in the state it had.

import type { Entry } from "../core/entry.js";
import type { RunCounts } from "../core/event.js";
import { changeOf, revised, steerCodes, steeredIn, type Waiting } from "../core/steer.js";

export interface LoopReport {
  runs: RunReport[];
  /** Accepted and neither delivered nor given back: the next run gets it. */
  waiting: Waiting[];
}

export interface RunReport {
  /** As of its newest transition. */
  state: string;
  transitions: { time: string; from: string; to: string; action: string | null }[];
  counts: RunCounts;
  /** Given to the model because it went round in circles. */
  reminders: { n: number; shape: string; count: number }[];
  /** What it was stopped for as a loop. */
  stopped: { shape: string; count: number } | null;
  /** Steers that reached the model in this run. */
  delivered: number;
  /** Steers given back at its end. */
  undelivered: Waiting[];
}

/** `entries` in file order; of them only states and notes count. */
export function loopReport(entries: Iterable<Entry>): LoopReport {
  const report: LoopReport = { runs: [], waiting: [] };
  for (const entry of entries) {
    if (entry.type === "state") takeState(report.runs, entry);
    else if (entry.type === "note") takeNote(report, entry.data);
  }
  return report;
}

function takeState(runs: RunReport[], { time, data }: Entry<"state">): void {
  const counts = data.counts as unknown as RunCounts;
  const { from, to, action } = data;
  if (from === "created") {
    runs.push({ state: to, transitions: [], counts, reminders: [], stopped: null, delivered: 0, undelivered: [] });
  }
  const run = runs.at(-1);
  if (!run) return;
  run.transitions.push({ time: new Date(time).toISOString(), from, to, action });
  run.state = to;
  run.counts = counts;
}

function takeNote(report: LoopReport, note: Entry<"note">["data"]): void {
  const { code, data = {} } = note;
  const run = report.runs.at(-1);
  const id = String(data["id"]);
  const finding = { shape: String(data["shape"]), count: Number(data["count"]) };
  const left = () => report.waiting.filter((each) => each.id !== id);
  switch (code) {
    case steerCodes.queued:
      report.waiting = [...report.waiting, waitingIn(note)];
      return;
    case steerCodes.revised:
      report.waiting = revised(report.waiting, id, changeOf(note));
      return;
    case steerCodes.delivered:
      report.waiting = left();
      if (run) run.delivered++;
      return;
    case steerCodes.dropped:
      run?.undelivered.push(...report.waiting.filter((each) => each.id === id));
      report.waiting = left();
      return;
    case "loop.nudge":
      run?.reminders.push({ n: Number(data["n"]), ...finding });
      return;
    case "loop.stop":
      if (run) run.stopped = finding;
  }
}

function waitingIn(note: Entry<"note">["data"]): Waiting {
  const { id, mode, text } = steeredIn(note);
  return { id, mode, text };
}
