// A build as text for a person: its plan, what happens, what came of it. Pure.

import type { BuildNews } from "../../build/engine.js";
import type { Formation } from "../../build/formation.js";
import type { BuildPlan } from "../../build/plan.js";
import type { Finding } from "../../build/ports.js";
import type { Manifest } from "../../build/record.js";
import { type Report, reportsOf } from "../../build/reports.js";
import { type BuildState, endedTasks } from "../../build/state.js";
import { asWaves, dependencies } from "../../build/waves.js";
import { exactRow, row } from "./row.js";

export function planView(plan: BuildPlan, formation: Formation): string {
  const task = (id: string) => plan.tasks.find((each) => each.id === id);
  const waves = asWaves(dependencies(plan.tasks, formation)).flatMap((wave, i) => [
    `Wave ${i + 1}`,
    ...wave.flatMap((id) => {
      const { title = "", role = "", files = [], accept = [], escalate } = task(id) ?? {};
      return [
        `  ${id} (${role}): ${row(title)}`,
        ...files.map((file) => `    ${exactRow(file)}`),
        ...accept.map((each) => `    $ ${exactRow(each)}`),
        ...(escalate === undefined ? [] : [`    not done: goes on with ${exactRow(escalate)}`]),
      ];
    }),
  ]);
  const start = plan.app?.start;
  const app = start === undefined ? [] : ["Started with", `    $ ${exactRow(start)}`];
  return [row(plan.goal), `Team: ${formation.name}`, ...waves, ...app].join("\n");
}

function findingRow({ file, line, what }: Finding): string {
  return `${file === undefined ? "" : exactRow(file)}${line === undefined ? "" : `:${line}`} ${row(what)}`;
}

export class BuildNarrator {
  readonly #state: BuildState;
  readonly #mono: () => number;
  readonly #began: number;
  readonly #had: number;

  constructor(state: BuildState, mono: () => number) {
    this.#state = state;
    this.#mono = mono;
    this.#began = mono();
    this.#had = endedTasks(state);
  }

  opening(): string {
    const { id, plan } = this.#state;
    const done = this.#had === 0 ? "" : `; ${this.#had} of ${plan.tasks.length} tasks have ended before`;
    return `Build ${id}: ${row(plan.goal)}${done}`;
  }

  line(news: BuildNews): string {
    if (news.type === "note") return `  ${news.task}: ${news.what}`;
    if (news.type === "verdict") {
      const findings = news.verdict.findings.map((finding) => `  ${finding.severity}: ${findingRow(finding)}`);
      return [`Gate: ${news.verdict.verdict}`, ...findings].join("\n");
    }
    if (news.type === "check") {
      const { level, ok, unchecked, file, what } = news.evidence;
      return `${level} ${ok ? "ok" : unchecked ? "not checked" : "FAILED"} ${file === undefined ? "" : `${exactRow(file)}: `}${what.split("\n", 1)[0]}`;
    }
    return `${news.task} ${news.state}: ${news.what.split("\n", 1)[0]}${this.#eta(news.left)}`;
  }

  /** By what the tasks so far have taken. */
  #eta(left: number): string {
    const done = endedTasks(this.#state) - this.#had;
    if (done === 0 || left === 0) return left === 0 ? "" : ` (${left} to go)`;
    const seconds = Math.round((((this.#mono() - this.#began) / done) * left) / 1_000);
    return ` (${left} to go, about ${seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`})`;
  }
}

/** All of it; indented, so that no line of it looks like one of the outcome. */
function reportRows({ task, title, role, answer }: Report): string[] {
  const lines = answer.split("\n").map((line) => (line.trim() === "" ? "" : `    ${line}`));
  return ["", `${task} (${role}): ${row(title)}`, "", ...lines, ""];
}

export function outcomeText(
  { build, outcome, failure, tasks, gate, preview, cost, usage }: Manifest,
  directory: string,
): string {
  const lines = Object.entries(tasks).map(
    ([id, { status, files, why }]) =>
      `  ${id}: ${status}${why ? `, ${why.split("\n", 1)[0]}` : ""}${files.length > 0 ? ` (${files.map(({ path }) => exactRow(path)).join(", ")})` : ""}`,
  );
  const open =
    gate?.verdict === "CONDITIONAL" ? ["Open:", ...gate.findings.map((finding) => `  ${findingRow(finding)}`)] : [];
  const spent = cost === null ? `${usage.input + usage.output} tokens` : `$${cost.toFixed(4)}`;
  return [
    outcome === "done" ? `Built: ${build}.` : `Failed (${failure?.detail ?? outcome}): ${build}.`,
    ...lines,
    ...(failure ? failure.why.split("\n").map((line) => `    ${line}`) : []),
    ...reportsOf(tasks).flatMap(reportRows),
    ...open,
    ...(preview
      ? [`Preview: ${preview.url === null ? "" : `${preview.url} is ${preview.state}. `}${preview.what}`]
      : []),
    `${spent}. All of it: ${directory}/artifacts.json`,
  ].join("\n");
}
