// /build: a plan from a sentence or a spec, shown and asked about; with a yes it is carried out in the open session, by the same
// code and with the same flags as `cinch build`. Cancelling pauses it, and `resume` goes on.
// Invariants: without a yes to this very plan, or `--yes`, nothing is built; a plan waits for its answer in this process alone;
// whatever comes of it, the answer says what its agents have used.

import { resolve } from "node:path";
import { spentOn } from "../../build/crew.js";
import { Meter } from "../../build/meter.js";
import { planText } from "../../build/plan.js";
import { BuildRecord } from "../../build/record.js";
import { formationsOf } from "../../build/roster.js";
import { type BuildPlace, planBuild, reopen } from "../../build/session-build.js";
import { Cancelled, UserError } from "../../core/errors.js";
import type { Session, Work } from "../../index.js";
import { nodeFs } from "../../lib/fs.js";
import { systemClock } from "../../lib/system.js";
import type { Values } from "../args.js";
import { begun, courseOf, followed, keptBuilds, newBuildId, specOf } from "../build/course.js";
import { slashBuildFlags } from "../build/flags.js";
import { type Made, planFrom, planIn } from "../build/plan-question.js";
import { readWanted } from "../build/words.js";
import { outcomeText, planView } from "../views/build.js";
import { defineSlash, type SlashAnswer, type SlashContext } from "./slash.js";

interface Waiting extends Made {
  id: string;
  spec: string;
  /** The flags it was asked for with. */
  values: Values;
}

type Subtype = NonNullable<SlashAnswer["asked"]>["subtype"];
/** `subtype`: what its result is, if it is no success. */
type Told = SlashAnswer & { subtype?: Subtype };

const waiting = new WeakMap<Session, Waiting>();
const use =
  "Write /build <spec.md or what>, with --yes to build without being asked; /build yes, edit, no or resume <id>.";

export default defineSlash({
  name: "build",
  usage: "[<flags>] <spec.md | what> | yes | edit | no | resume <id>",
  doc: "Plans what is wanted and, after your yes, lets a team build it; flags as of `cinch build`",

  async run(context) {
    const { argument, session, front } = context;
    if (argument.startsWith("plan:")) return changed(context, argument.slice("plan:".length));
    const { values, wanted } = readWanted(argument, slashBuildFlags);
    const [first = "", second = "", ...more] = wanted.split(/\s+/);
    if (first === "resume" && second !== "" && more.length === 0) return goneOn(context, values, second);
    if (["yes", "edit", "no"].includes(wanted)) return answered(context, wanted);
    const file = values.text("plan");
    if ((wanted === "") === (file === undefined))
      throw new UserError(wanted === "" ? "There is nothing to build." : "What to build is said twice.", use, 1);
    if (!values.has("yes") && !front.hears)
      throw new UserError("Nobody is there to say yes to the plan.", "Write /build <what> --yes.", 1);
    const known = await formationsOf(context.harness);
    const id = newBuildId(systemClock.now());
    const own = file === undefined ? null : planFrom(resolve(session.init.cwd, file), known);
    return metered(context, values, async (place) => {
      const spec = own ? "" : specOf(wanted, session.init.cwd);
      if (!own) context.tell("Planning.");
      const named = values.text("formation") ?? null;
      const made = { id, spec, values, ...(own ?? (await planBuild(place, { id, spec, named, known }))) };
      return values.has("yes") ? started(context, place, made) : asked(context, made);
    });
  },
});

/** Does it with what it uses counted, within what is left of `--max-cost`; `before`: spent on the same build. */
async function metered(
  { harness, session, dirs, signal }: SlashContext,
  values: Values,
  work: (place: BuildPlace) => Promise<Told>,
  before = 0,
): Promise<SlashAnswer> {
  const limit = values.number("max-cost");
  if (limit !== undefined && limit <= before)
    throw new UserError(`All of $${limit} has been spent on this build before.`, "Give a larger --max-cost.", 1);
  const meter = new Meter(session, limit === undefined ? undefined : limit - before);
  const kept = keptBuilds(dirs.state, session.init.root);
  const began = systemClock.mono();
  let build: Work | undefined;
  const place: BuildPlace = {
    ...{ harness, session, disk: nodeFs, kept, signal: AbortSignal.any([signal, meter.signal]) },
    began: (work) => {
      build = work;
    },
  };
  try {
    const { subtype = "success", ...answer } = await work(place).catch((error: unknown) => failed(error, meter));
    // Events wait for nothing but their turn.
    await new Promise(setImmediate);
    const { requests, usage, cost, why } = meter;
    const text = why === null ? answer.text : `${why}\n${answer.text}`;
    const end = why === null ? subtype : "error_budget";
    const duration_ms = Math.round(systemClock.mono() - began);
    return { ...answer, text, asked: { subtype: end, requests, usage, cost, duration_ms, ...(await build?.done()) } };
  } finally {
    meter.close();
  }
}

/** What will not do is a result with what it took, once it took something. */
function failed(error: unknown, { requests }: Meter): Told {
  if (error instanceof Cancelled) return { text: "Stopped. Nothing is built.", subtype: "error_cancelled" };
  if (!(error instanceof UserError) || requests === 0) throw error;
  return { text: error.fix ? `${error.message} ${error.fix}` : error.message, subtype: "error_during_execution" };
}

function asked({ session, tell }: SlashContext, made: Waiting): SlashAnswer {
  waiting.set(session, made);
  tell(planView(made.plan, made.formation));
  const items = [
    { value: "yes", label: "yes", doc: "Build this" },
    { value: "edit", label: "edit", doc: "Change the plan first" },
    { value: "no", label: "no", doc: "Not this one" },
  ];
  return {
    text: "Build this? /build yes, /build edit or /build no.",
    choice: { title: "Build this?", command: "build", items },
  };
}

async function answered(context: SlashContext, answer: string): Promise<SlashAnswer> {
  const { session } = context;
  const made = waiting.get(session);
  if (!made) throw new UserError("No plan waits for an answer in this session.", use, 1);
  if (answer === "edit") {
    const draft = `/build plan:\n${planText(made.plan)}`;
    return { text: "Change the plan and send it.", draft };
  }
  waiting.delete(session);
  if (answer === "no") return { text: "Nothing is built." };
  const before = await spentOn(context.harness, made.id);
  return metered(context, made.values, (place) => started(context, place, made), before);
}

/** A plan that was changed is checked like every other, and asked about. */
async function changed(context: SlashContext, text: string): Promise<SlashAnswer> {
  const made = waiting.get(context.session);
  if (!made) throw new UserError("No plan waits to be changed in this session.", use, 1);
  const now = planIn(text, await formationsOf(context.harness));
  if ("problems" in now)
    throw new UserError(
      `The plan does not hold:\n${now.problems.join("\n")}`,
      "/build edit gives it again as it was.",
      1,
    );
  return asked(context, { ...made, ...now });
}

async function started(context: SlashContext, place: BuildPlace, made: Waiting): Promise<Told> {
  return carried(context, place, made.values, await begun(place, { ...made, now: systemClock.now() }, context.tell));
}

/** Its agents are tasks of the session it began in, which alone can wake them. */
async function goneOn(context: SlashContext, values: Values, id: string): Promise<SlashAnswer> {
  const { harness, session, dirs } = context;
  const { root } = session.init;
  const record = BuildRecord.load({ disk: nodeFs, root, kept: keptBuilds(dirs.state, root) }, id);
  const { session: home } = record.state;
  if (home !== session.id)
    throw new UserError(
      `The build ${id} belongs to another session.`,
      `Write /resume ${home} first, or run: cinch build --resume ${id}`,
      1,
    );
  const work = (place: BuildPlace) => {
    reopen(record);
    return carried(context, place, values, record);
  };
  return metered(context, values, work, await spentOn(harness, id));
}

async function carried(
  { tell, front }: SlashContext,
  place: BuildPlace,
  values: Values,
  record: BuildRecord,
): Promise<Told> {
  const manifest = await followed(
    place,
    record,
    courseOf(values, { attended: front.hears, path: process.env["PATH"] ?? "", tell }),
  );
  const again = `/build resume ${record.state.id}`;
  if (!manifest) return { text: `Paused. Go on with: ${again}`, subtype: "error_cancelled" };
  const text = outcomeText(manifest, record.directory);
  if (manifest.outcome === "done") return { text };
  return { text: `${text}\nWhat had failed begins anew with: ${again}`, subtype: "error_during_execution" };
}
