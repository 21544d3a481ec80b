// What the controllers of a session's runs did, from its entries alone: states, actions, counts, reminders, steering.
// Invariant: pure; a run begins with its first change of state, and one that a crash ended stays in the state it had.

import type { Entry } from "../core/entry.js";
import type { RunCounts, SteerMode } from "../core/event.js";

export interface LoopReport {
  runs: RunReport[];
  /** Accepted and neither delivered nor given back: the next run gets it. */
  waiting: SteerReport[];
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
  undelivered: SteerReport[];
}

export interface SteerReport {
  id: string;
  mode: SteerMode;
  text: string;
}

/** `entries` in file order; of them only states and notes count. */
export function loopReport(entries: Iterable<Entry>): LoopReport {
  const runs: RunReport[] = [];
  const waiting = new Map<string, SteerReport>();
  for (const entry of entries) {
    if (entry.type === "state") takeState(runs, entry);
    else if (entry.type === "note") takeNote(runs.at(-1), waiting, entry.data);
  }
  return { runs, waiting: [...waiting.values()] };
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

function takeNote(run: RunReport | undefined, waiting: Map<string, SteerReport>, note: Entry<"note">["data"]): void {
  const { code, text, data = {} } = note;
  const id = String(data["id"]);
  const finding = { shape: String(data["shape"]), count: Number(data["count"]) };
  switch (code) {
    case "steer":
      waiting.set(id, { id, mode: data["mode"] === "now" ? "now" : "queue", text });
      return;
    case "steer.delivered":
      waiting.delete(id);
      if (run) run.delivered++;
      return;
    case "steer.dropped": {
      const steer = waiting.get(id);
      waiting.delete(id);
      if (steer) run?.undelivered.push(steer);
      return;
    }
    case "loop.nudge":
      run?.reminders.push({ n: Number(data["n"]), ...finding });
      return;
    case "loop.stop":
      if (run) run.stopped = finding;
  }
}
