// A build from the command line: harness and session, the plan and the question, the news as lines on stderr, the outcome.
// Invariants: stdout gets the outcome and nothing else; a signal pauses between calls and says how to go on; every way out
// closes what was opened.

import { isatty } from "node:tty";
import { recordsOf } from "../../build/crew.js";
import { judge } from "../../build/gate.js";
import { ProjectPreviews } from "../../build/preview/previews.js";
import { BuildRecord, manifestOf } from "../../build/record.js";
import { formationsOf } from "../../build/roster.js";
import { type BuildPlace, beginBuild, carryOut, planBuild, reopen } from "../../build/session-build.js";
import { startThrough } from "../../build/session-hands.js";
import { verifier } from "../../build/verify/index.js";
import { UserError } from "../../core/errors.js";
import { createHarness, type Harness, type HarnessOptions } from "../../index.js";
import { nodeFs } from "../../lib/fs.js";
import { safeJson, safeText } from "../../lib/safe-text.js";
import { readSmall } from "../../lib/small-file.js";
import { systemClock, systemIds } from "../../lib/system.js";
import type { Values } from "../args.js";
import { askYesNo } from "../ask.js";
import { takeEnvironment } from "../environment.js";
import { pathOf, settingsOf, workingDirectory } from "../setup.js";
import { Signals } from "../signals.js";
import { writeErr, writeOut } from "../stdio.js";
import { BuildNarrator, outcomeText } from "../views/build.js";
import { accepted, planFrom } from "./plan-question.js";

const isTerminal = () => isatty(0) && isatty(1);

export async function runBuild(values: Values, wanted: string | undefined): Promise<number> {
  if (!values.has("yes") && !isTerminal())
    throw new UserError(
      "Nobody is there to say yes to the plan: this is no terminal.",
      "Add --yes; the plan is then carried out as it is made.",
    );
  const signals = new Signals();
  const pausing = new AbortController();
  const env = takeEnvironment();
  const resumed = values.text("resume");
  const harness = createHarness({ ...optionsOf(values), env });
  try {
    const { root } = await harness.trust.status();
    const old = resumed === undefined ? undefined : BuildRecord.load(nodeFs, root, resumed);
    const session = await harness.open(old ? { resume: old.state.session } : {});
    signals.onStop(() => pausing.abort());
    const place: BuildPlace = { harness, session, disk: nodeFs, signal: pausing.signal };
    if (old) reopen(old);
    const record = old ?? (await newBuild(values, wanted, place));
    if (!record) return 1;
    const said = await finished(values, place, record, env["PATH"] ?? "");
    return said ?? signals.code ?? 130;
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
  const id = `${new Date(now).toISOString().slice(0, 10)}-${systemIds.next().slice(0, 6)}`;
  const known = await formationsOf(place.harness);
  const file = pathOf(values, "plan");
  const named = values.text("formation") ?? null;
  const spec = file === undefined ? specOf(wanted ?? "") : "";
  if (file === undefined) writeErr(safeText("Planning.\n"));
  const made = file === undefined ? await planBuild(place, { id, spec, named, known }) : planFrom(file, known);
  const plan = values.has("yes") ? made : await accepted(made, known, place.session.init.root);
  return plan && beginBuild(place, { id, spec, ...plan, now });
}

const largest = 256 * 1024;

/** A file's text, or the words themselves. */
function specOf(wanted: string): string {
  if (!/\.(?:md|markdown|txt)$/i.test(wanted)) return wanted;
  const read = readSmall(nodeFs, wanted, largest);
  if (!read || read.cut)
    throw new UserError(
      `${wanted} is no text of at most ${largest / 1024} KB that can be read.`,
      "Name a file, or say in a sentence what to build.",
    );
  return read.text;
}

/** The exit code; null when it was paused. */
async function finished(values: Values, place: BuildPlace, record: BuildRecord, path: string): Promise<number | null> {
  const { harness, session, signal } = place;
  const previews = new ProjectPreviews({
    root: session.init.root,
    disk: nodeFs,
    clock: systemClock,
    start: startThrough(harness, session),
  });
  const narrator = new BuildNarrator(record.state, () => systemClock.mono());
  const tell = (text: string) => writeErr(safeText(`${text}\n`));
  tell(narrator.opening());
  const ended = await carryOut(place, record, {
    verify: values.has("no-verify") ? null : verifier(nodeFs, path),
    judge: values.has("no-review") ? null : judge,
    previews,
    news: (news) => tell(narrator.line(news)),
  });
  if (!ended) {
    tell(`Paused. Go on with: cinch build --resume ${record.state.id}`);
    return null;
  }
  await show(values, place, record, previews);
  await sayOutcome(values, place, record);
  const { state } = record;
  if (
    isTerminal() &&
    !values.has("json") &&
    !values.has("yes") &&
    state.preview?.state === "healthy" &&
    !values.has("detach")
  ) {
    tell(`The preview is at ${state.preview.url}; Ctrl-C ends it.`);
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    return 0;
  }
  return state.outcome === "done" ? 0 : 1;
}

/** What is running after the checks, or is started now; nothing of a build that has failed. */
async function show(
  values: Values,
  { signal }: BuildPlace,
  record: BuildRecord,
  previews: ProjectPreviews,
): Promise<void> {
  const { state } = record;
  if (values.has("no-preview") || state.outcome !== "done") {
    await previews.stop();
    return;
  }
  const { start, path } = state.plan.app ?? {};
  const app = { ...(start === undefined ? {} : { start }), ...(path === undefined ? {} : { path }) };
  const detach = values.has("detach");
  const now = await previews.status();
  state.preview = now.state === "healthy" && !detach ? now : await previews.start({ ...app, detach }, signal);
  await record.save();
}

async function sayOutcome(values: Values, { harness }: { harness: Harness }, record: BuildRecord): Promise<void> {
  const manifest = manifestOf(record.state, await recordsOf(harness, record.state.id));
  await record.keep("artifacts.json", `${JSON.stringify(manifest, null, 2)}\n`);
  const { failure, ...rest } = manifest;
  const told = failure ? { ...rest, detail: failure.detail, why: failure.why } : rest;
  writeOut(
    values.has("json")
      ? safeJson({ ...told, directory: record.directory })
      : safeText(`${outcomeText(manifest, record.directory)}\n`),
  );
}
