// A build from the command line: harness and session, the plan and the question, the news as lines on stderr, the outcome.
// Invariants: stdout gets the outcome and nothing else; a signal pauses between calls and says how to go on; every way out
// closes what was opened.

import { isatty } from "node:tty";
import { spentOn } from "../../build/crew.js";
import { BuildRecord, type Manifest } from "../../build/record.js";
import { formationsOf } from "../../build/roster.js";
import { type BuildPlace, beginBuild, planBuild, reopen } from "../../build/session-build.js";
import { UserError } from "../../core/errors.js";
import { homeOf } from "../../harness/place.js";
import { createHarness, type HarnessOptions } from "../../index.js";
import { nodeFs } from "../../lib/fs.js";
import { safeJson, safeText } from "../../lib/safe-text.js";
import { systemClock } from "../../lib/system.js";
import type { Values } from "../args.js";
import { askYesNo } from "../ask.js";
import { takeEnvironment } from "../environment.js";
import { pathOf, settingsOf, workingDirectory } from "../setup.js";
import { Signals } from "../signals.js";
import { writeErr, writeOut } from "../stdio.js";
import { outcomeText } from "../views/build.js";
import { followed, keptBuilds, newBuildId, specOf } from "./course.js";
import { accepted, planFrom } from "./plan-question.js";

const isTerminal = () => isatty(0) && isatty(1);
const tell = (text: string) => writeErr(safeText(`${text}\n`));

export async function runBuild(values: Values, wanted: string | undefined): Promise<number> {
  const resumed = values.text("resume");
  // The plan of a build that goes on has had its yes.
  if (resumed === undefined && !values.has("yes") && !isTerminal())
    throw new UserError(
      "Nobody is there to say yes to the plan: this is no terminal.",
      "Add --yes; the plan is then carried out as it is made.",
    );
  const signals = new Signals();
  const pausing = new AbortController();
  const env = takeEnvironment();
  const given: HarnessOptions = { ...optionsOf(values), env };
  const old = resumed === undefined ? undefined : await takenUp(given, resumed);
  const harness = createHarness(old?.options ?? given);
  try {
    const session = await harness.open(old ? { resume: old.record.state.session } : {});
    signals.onStop(() => pausing.abort());
    const kept = keptBuilds(homeOf(given).state, session.init.root);
    const place: BuildPlace = { harness, session, disk: nodeFs, kept, signal: pausing.signal };
    if (old) reopen(old.record);
    const record = old?.record ?? (await newBuild(values, wanted, place));
    if (!record) return 1;
    const manifest = await followed(place, record, {
      verify: !values.has("no-verify"),
      review: !values.has("no-review"),
      preview: !values.has("no-preview"),
      detach: values.has("detach"),
      path: env["PATH"] ?? "",
      tell,
    });
    if (manifest) return await ended(values, place, record, manifest);
    tell(`Paused. Go on with: cinch build --resume ${record.state.id}`);
    return signals.code ?? 130;
  } finally {
    await harness.close();
  }
}

/** A build of before, and what may be spent on it from here on. */
async function takenUp(options: HarnessOptions, id: string): Promise<{ record: BuildRecord; options: HarnessOptions }> {
  const harness = createHarness(options);
  try {
    const { root } = await harness.trust.status();
    const record = BuildRecord.load({ disk: nodeFs, root, kept: keptBuilds(homeOf(options).state, root) }, id);
    const { settings = {} } = options;
    const cost = settings.limits?.cost;
    if (cost === undefined) return { record, options };
    const left = cost - (await spentOn(harness, id));
    if (left > 0)
      return { record, options: { ...options, settings: { ...settings, limits: { ...settings.limits, cost: left } } } };
    throw new UserError(`All of $${cost} has been spent on the build ${id} before.`, "Give a larger --max-cost.", 1);
  } finally {
    await harness.close();
  }
}

function optionsOf(values: Values): HarnessOptions {
  const settingsFile = pathOf(values, "settings");
  const model = values.text("model");
  return {
    cwd: workingDirectory(values),
    settings: settingsOf(values),
    ...(model === undefined ? {} : { model }),
    ...(settingsFile === undefined ? {} : { settingsFile }),
    ...(values.has("trust") ? { trust: true } : {}),
    ...(isTerminal() ? { ask: onTerminal } : {}),
  };
}

const onTerminal: NonNullable<HarnessOptions["ask"]> = async ({ summary, reason, agent }) => {
  const yes = await askYesNo(safeText(`${agent === undefined ? "" : `[${agent}] `}${summary} (${reason}). Allow?`));
  return { decision: yes ? "allow" : "deny" };
};

/** Null: the plan was not wanted. */
async function newBuild(values: Values, wanted: string | undefined, place: BuildPlace): Promise<BuildRecord | null> {
  const now = systemClock.now();
  const id = newBuildId(now);
  const known = await formationsOf(place.harness);
  const file = pathOf(values, "plan");
  const named = values.text("formation") ?? null;
  const spec = file === undefined ? specOf(wanted ?? "", ".") : "";
  if (file === undefined) tell("Planning.");
  const made = file === undefined ? await planBuild(place, { id, spec, named, known }) : planFrom(file, known);
  const plan = values.has("yes") ? made : await accepted(made, known, place.session.init.root);
  return plan && beginBuild(place, { id, spec, ...plan, now });
}

/** The outcome on stdout; in a terminal the preview stays until Ctrl-C. */
async function ended(
  values: Values,
  { signal }: BuildPlace,
  { state, directory }: BuildRecord,
  manifest: Manifest,
): Promise<number> {
  const { failure, ...rest } = manifest;
  const told = failure ? { ...rest, detail: failure.detail, why: failure.why } : rest;
  const shown = values.has("json")
    ? safeJson({ ...told, directory })
    : safeText(`${outcomeText(manifest, directory)}\n`);
  writeOut(shown);
  const attended = isTerminal() && !values.has("json") && !values.has("yes") && !values.has("detach");
  if (attended && state.preview?.state === "healthy") {
    tell(`The preview is at ${state.preview.url}; Ctrl-C ends it.`);
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    return 0;
  }
  return state.outcome === "done" ? 0 : 1;
}
