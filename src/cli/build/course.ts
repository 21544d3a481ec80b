// The course of a build once somebody has said yes to its plan, for `cinch build` and `/build` alike: carried out, its preview
// shown or ended, its outcome written down. And what both take as what is wanted.
// Not here: who is asked about the plan (plan-question.ts, slash/build.ts), and what becomes of the outcome.

import { join, resolve } from "node:path";
import { recordsOf } from "../../build/crew.js";
import { judge } from "../../build/gate.js";
import { appOf, planText } from "../../build/plan.js";
import type { PreviewStatus, Previews } from "../../build/ports.js";
import { previewsOf } from "../../build/preview/of-project.js";
import { type BuildRecord, type Manifest, manifestOf } from "../../build/record.js";
import { type BuildPlace, beginBuild, carryOut } from "../../build/session-build.js";
import { verifier } from "../../build/verify/index.js";
import { Cancelled, UserError } from "../../core/errors.js";
import { nodeFs } from "../../lib/fs.js";
import { readSmall } from "../../lib/small-file.js";
import { systemClock, systemIds } from "../../lib/system.js";
import { projectKey } from "../../session/store.js";
import type { Values } from "../args.js";
import { BuildNarrator } from "../views/build.js";

export interface Course {
  verify: boolean;
  review: boolean;
  preview: boolean;
  detach: boolean;
  /** Somebody is there to look at the preview, and to end it. */
  attended: boolean;
  /** Where a browser is looked for. */
  path: string;
  tell(text: string): void;
}

/** Where the builds of a project are kept, below Cinch's state directory. */
export function keptBuilds(state: string, root: string): string {
  return join(state, "builds", projectKey(root));
}

export function newBuildId(now: number): string {
  return `${new Date(now).toISOString().slice(0, 10)}-${systemIds.next().slice(0, 6)}`;
}

/** As the flags say. */
export function courseOf(values: Values, rest: Pick<Course, "attended" | "path" | "tell">): Course {
  return {
    ...rest,
    verify: !values.has("no-verify"),
    review: !values.has("no-review"),
    preview: !values.has("no-preview"),
    detach: values.has("detach"),
  };
}

const largest = 256 * 1024;

/** A file's text, or the words themselves; never nothing. */
export function specOf(wanted: string, directory: string): string {
  const spec = textOf(wanted, directory);
  if (spec.trim() !== "") return spec;
  throw new UserError(
    wanted.trim() === "" ? "There is nothing to build." : `${wanted} is empty: there is nothing to build.`,
    "Say in a sentence what to build, or name a file that does.",
  );
}

function textOf(wanted: string, directory: string): string {
  if (!/\.(?:md|markdown|txt)$/i.test(wanted)) return wanted;
  const read = readSmall(nodeFs, resolve(directory, wanted), largest);
  // A sentence may end with the name of a file that is to be made.
  if (!read && /\s/.test(wanted)) return wanted;
  if (!read || read.cut)
    throw new UserError(
      `${wanted} is no text of at most ${largest / 1024} KB that can be read.`,
      "Name a file, or say in a sentence what to build.",
    );
  return read.text;
}

/** A plan that took a while is not lost where nothing can be kept: it is told. */
export async function begun(
  place: BuildPlace,
  made: Parameters<typeof beginBuild>[1],
  tell: Course["tell"],
): Promise<BuildRecord> {
  try {
    return await beginBuild(place, made);
  } catch (error) {
    if (error instanceof UserError)
      tell(`The plan, for --plan <file> when what follows is mended:\n${planText(made.plan)}`);
    throw error;
  }
}

/** Null when it was paused. */
export async function followed(place: BuildPlace, record: BuildRecord, course: Course): Promise<Manifest | null> {
  const { harness, session } = place;
  const { tell } = course;
  const previews = previewsOf(harness, session);
  const narrator = new BuildNarrator(record.state, () => systemClock.mono());
  tell(narrator.opening());
  const ended = await carryOut(place, record, {
    verify: course.verify ? verifier(nodeFs, course.path) : null,
    judge: course.review ? judge : null,
    previews,
    news: (news) => tell(narrator.line(news)),
  });
  if (!ended) return null;
  return written(place, record, await show(place, record, previews, course));
}

/** Ends what was shown of it, and writes that down. */
export async function endPreview(place: BuildPlace, record: BuildRecord): Promise<void> {
  const previews = previewsOf(place.harness, place.session);
  await written(place, record, await previews.stop({ keepDetached: true }));
}

async function written({ harness }: BuildPlace, record: BuildRecord, preview: PreviewStatus | null): Promise<Manifest> {
  record.state.preview = preview;
  await record.save();
  const records = await recordsOf(harness, record.state.id);
  await record.manifest(records);
  return manifestOf(record.state, records);
}

/**
 * What is running after the checks, or is started now; nothing of a build that has failed, and what ends with Cinch only while
 * somebody is there. One that may not start takes nothing from a build that is done.
 */
async function show(
  { signal }: BuildPlace,
  { state }: BuildRecord,
  previews: Previews,
  { preview, detach, attended }: Course,
): Promise<PreviewStatus | null> {
  if (!preview || state.outcome !== "done" || !(detach || attended)) {
    const ended = await previews.stop({ keepDetached: true });
    if (!preview || state.outcome !== "done" || ended.url === null) return null;
    return ended.state === "stopped" ? { ...ended, what: "It ended with Cinch; --detach leaves it running." } : ended;
  }
  const now = await previews.status();
  if (now.state === "healthy" && !detach) return now;
  try {
    return await previews.start({ ...appOf(state.plan), detach }, signal);
  } catch (error) {
    const none = { state: "stopped", url: null, stack: null, status: null } as const;
    if (error instanceof Cancelled) return { ...none, what: "It was stopped before it was started." };
    if (!(error instanceof UserError)) throw error;
    return { ...none, what: error.fix ? `${error.message} ${error.fix}` : error.message };
  }
}
