// A build from the command line: harness and session, the plan and the question, the news as lines on stderr, the outcome.
// Invariants: what is wrong with plan, spec or formation is said before a model is looked for; stdout gets the outcome and
// nothing else; a signal pauses between calls and says how to go on; every way out closes what was opened.

import { isatty } from "node:tty";
import { spentOn } from "../../build/crew.js";
import { Meter } from "../../build/meter.js";
import { BuildRecord, type Manifest } from "../../build/record.js";
import { formationsOf } from "../../build/roster.js";
import { type BuildPlace, formationNamed, planBuild, reopen } from "../../build/session-build.js";
import { loadSettings } from "../../config/load.js";
import { Cancelled, UserError } from "../../core/errors.js";
import { placeOf } from "../../harness/place.js";
import { createHarness, type Harness, type HarnessOptions } from "../../index.js";
import { nodeFs } from "../../lib/fs.js";
import { safeJson, safeText } from "../../lib/safe-text.js";
import { systemClock } from "../../lib/system.js";
import { providerNames } from "../../models/open.js";
import type { Values } from "../args.js";
import { askYesNo } from "../ask.js";
import { takeEnvironment } from "../environment.js";
import { pathOf, settingsOf, workingDirectory } from "../setup.js";
import { Signals } from "../signals.js";
import { writeErr, writeOut } from "../stdio.js";
import { outcomeText } from "../views/build.js";
import { begun, courseOf, endPreview, followed, keptBuilds, newBuildId, specOf } from "./course.js";
import { accepted, type Made, planFrom } from "./plan-question.js";

const isTerminal = () => isatty(0) && isatty(1);
const tell = (text: string) => writeErr(safeText(`${text}\n`));

/** What a build begins with, checked as far as that needs no model. */
interface Ready {
  id: string;
  spec: string;
  known: Awaited<ReturnType<typeof formationsOf>>;
  named: string | null;
  /** A plan of one's own. */
  made: Made | null;
}

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
  const { root, state } = placeOf(given);
  const kept = keptBuilds(state, root);
  const old = resumed === undefined ? undefined : BuildRecord.load({ disk: nodeFs, root, kept }, resumed);
  const left = await costLeft(given, old?.state.id);
  const harness = createHarness(left === undefined ? given : limitedTo(left, given));
  try {
    const ready = old ? null : await readyFor(harness, values, wanted);
    const session = await harness.open(old ? { resume: old.state.session } : {});
    const meter = new Meter(session, left);
    signals.onStop(() => pausing.abort());
    const signal = AbortSignal.any([pausing.signal, meter.signal]);
    const place: BuildPlace = { harness, session, disk: nodeFs, kept, signal };
    if (old) reopen(old);
    const record = old ?? (await newBuild(values, ready, place));
    if (record === "stopped") return stopped(meter, signals, null);
    if (!record) {
      tell("Nothing is built.");
      return 1;
    }
    const attended = isTerminal() && !values.has("json");
    const course = courseOf(values, { attended, path: env["PATH"] ?? "", tell });
    const manifest = await followed(place, record, course);
    return manifest
      ? await ended(values, place, record, { manifest, stays: attended && !course.detach })
      : stopped(meter, signals, record.state.id);
  } finally {
    await harness.close();
  }
}

/** `id` null: before there was a build. */
function stopped({ why }: Meter, { code }: Signals, id: string | null): number {
  const again = id === null ? "Nothing is built." : `Go on with: cinch build --resume ${id}`;
  if (why !== null) throw new UserError(why, id === null ? again : `${again} --max-cost <more>`, 6);
  tell(id === null ? `Stopped. ${again}` : `Paused. ${again}`);
  return code ?? 130;
}

/** US dollars of what flags and settings allow that were not spent on this build before; undefined: there is no limit. */
async function costLeft(options: HarnessOptions, build: string | undefined): Promise<number | undefined> {
  const { root, config } = placeOf(options);
  const { settings } = await loadSettings({
    ...{ disk: nodeFs, configDir: config, projectRoot: root, providers: providerNames() },
    ...{ flags: options.settings ?? {}, settingsFile: options.settingsFile, rules: undefined },
  });
  const { cost } = settings.limits;
  if (cost === undefined || build === undefined) return cost;
  const harness = createHarness(options);
  try {
    const left = cost - (await spentOn(harness, build));
    if (left > 0) return left;
  } finally {
    await harness.close();
  }
  throw new UserError(`All of $${cost} has been spent on the build ${build} before.`, "Give a larger --max-cost.", 6);
}

function limitedTo(cost: number, { settings = {}, ...options }: HarnessOptions): HarnessOptions {
  return { ...options, settings: { ...settings, limits: { ...settings.limits, cost } } };
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

async function readyFor(harness: Harness, values: Values, wanted: string | undefined): Promise<Ready> {
  const known = await formationsOf(harness);
  const file = pathOf(values, "plan");
  const named = values.text("formation") ?? null;
  if (named !== null) formationNamed(named, known);
  const id = newBuildId(systemClock.now());
  return {
    ...{ id, known, named },
    spec: file === undefined ? specOf(wanted ?? "", ".") : "",
    made: file === undefined ? null : planFrom(file, known),
  };
}

/** Null: the plan was not wanted. */
async function newBuild(
  values: Values,
  ready: Ready | null,
  place: BuildPlace,
): Promise<BuildRecord | null | "stopped"> {
  if (!ready) throw new Error("a build that goes on is no new one");
  const { id, spec, known } = ready;
  if (!ready.made) tell("Planning.");
  try {
    const made = ready.made ?? (await planBuild(place, ready));
    const plan = values.has("yes") ? made : await accepted(made, known, place.session.init.root);
    return plan && (await begun(place, { id, spec, ...plan, now: systemClock.now() }, tell));
  } catch (error) {
    if (error instanceof Cancelled) return "stopped";
    throw error;
  }
}

/** The outcome on stdout; in a terminal the preview stays until Ctrl-C. */
async function ended(
  values: Values,
  place: BuildPlace,
  record: BuildRecord,
  { manifest, stays }: { manifest: Manifest; stays: boolean },
): Promise<number> {
  const { state, directory } = record;
  const { failure, ...rest } = manifest;
  const told = failure ? { ...rest, detail: failure.detail, why: failure.why } : rest;
  const shown = values.has("json")
    ? safeJson({ ...told, directory })
    : safeText(`${outcomeText(manifest, directory)}\n`);
  writeOut(shown);
  if (failure) tell(`What had failed begins anew with: cinch build --resume ${state.id}`);
  if (stays && state.preview?.state === "healthy") {
    tell(`The preview is at ${state.preview.url}; Ctrl-C ends it.`);
    await aborted(place.signal);
    await endPreview(place, record);
  }
  return state.outcome === "done" ? 0 : 1;
}

/** A server of Cinch's own keeps no process, and a signal is nothing that one waits for: a timer holds it. */
async function aborted(signal: AbortSignal): Promise<void> {
  const hold = setInterval(() => {}, 60_000);
  if (!signal.aborted)
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  clearInterval(hold);
}
