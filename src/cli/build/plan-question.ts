// The plan before a person: shown with its waves, changed in an editor and checked again, accepted or not.

import { createInterface } from "node:readline";
import type { KnownFormation } from "../../build/catalog.js";
import type { Formation } from "../../build/formation.js";
import { type BuildPlan, planText, readPlan } from "../../build/plan.js";
import { formationNamed } from "../../build/session-build.js";
import { Cancelled, UserError } from "../../core/errors.js";
import { nodeFs } from "../../lib/fs.js";
import { safeText } from "../../lib/safe-text.js";
import { readSmall } from "../../lib/small-file.js";
import { writeErr } from "../stdio.js";
import { editorOf } from "../tui/external-editor.js";
import { planView } from "../views/build.js";

export interface Made {
  formation: Formation;
  plan: BuildPlan;
}

const largest = 1024 * 1024;

/** @throws UserError with every problem and its line */
export function planFrom(file: string, known: readonly KnownFormation[]): Made {
  const read = readSmall(nodeFs, file, largest);
  if (!read || read.cut) throw new UserError(`${file} is no plan that can be read.`, "Name a plan.yaml.");
  const made = planIn(read.text, known);
  if ("problems" in made)
    throw new UserError(made.problems.map((each) => `${file}:${each}`).join("\n"), "Mend the plan.");
  return made;
}

/** From its YAML. `problems`: each with its line. */
export function planIn(text: string, known: readonly KnownFormation[]): Made | { problems: string[] } {
  const of = (name: string) => known.find((each) => each.name === name)?.formation ?? null;
  const { value, problems } = readPlan(text, of);
  if (!value) return { problems: problems.map(({ line, text: what }) => `${line}: ${what}`) };
  return { plan: value, formation: formationNamed(value.formation, known) };
}

/** Null: not this one. @throws Cancelled with Ctrl-C */
export async function accepted(made: Made, known: readonly KnownFormation[], cwd: string): Promise<Made | null> {
  let now = made;
  for (;;) {
    writeErr(safeText(`${planView(now.plan, now.formation)}\n`));
    const answer = await asked("Build this? [y]es, [e]dit, [N]o ");
    if (/^y(es)?$/i.test(answer)) return now;
    if (!/^e(dit)?$/i.test(answer)) return null;
    now = await edited(now, known, cwd);
  }
}

/** What does not hold is shown, and the text is edited again. */
async function edited(before: Made, known: readonly KnownFormation[], cwd: string): Promise<Made> {
  const edit = editorOf({ env: process.env, cwd, disk: nodeFs });
  let text = planText(before.plan);
  for (;;) {
    const next = await edit(text);
    if (next === null) {
      writeErr(safeText("The editor did not end well ($VISUAL, $EDITOR, else vi). The plan is as it was.\n"));
      return before;
    }
    text = next;
    const made = planIn(text, known);
    if (!("problems" in made)) return made;
    writeErr(safeText(`${made.problems.map((each) => `plan.yaml:${each}`).join("\n")}\n`));
    if (!/^e(dit)?$/i.test(await asked("It does not hold. [e]dit again, or anything else for the plan as it was ")))
      return before;
  }
}

/** Escape and the end of input are no answer. @throws Cancelled with Ctrl-C */
async function asked(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const onKey = (_: unknown, key?: { name?: string }) => key?.name === "escape" && lines.close();
  process.stdin.on("keypress", onKey);
  try {
    return await new Promise((resolve, reject) => {
      lines.once("SIGINT", () => reject(new Cancelled()));
      lines.question(question, (answer) => resolve(answer.trim()));
      lines.once("close", () => resolve(""));
    });
  } finally {
    process.stdin.off("keypress", onKey);
    lines.close();
  }
}
