// /build: a plan from a sentence or a spec, shown and asked about; with a yes it is carried out in the open session, by the same
// code as `cinch build`. Cancelling pauses it, and `resume` goes on.
// Invariant: without a yes to this very plan, or `--yes`, nothing is built. A plan waits for its answer in this process alone.

import { planText } from "../../build/plan.js";
import { BuildRecord } from "../../build/record.js";
import { formationsOf } from "../../build/roster.js";
import { type BuildPlace, beginBuild, planBuild, reopen } from "../../build/session-build.js";
import { UserError } from "../../core/errors.js";
import type { Session } from "../../index.js";
import { nodeFs } from "../../lib/fs.js";
import { systemClock } from "../../lib/system.js";
import { followed, keptBuilds, newBuildId, specOf } from "../build/course.js";
import { type Made, planOf } from "../build/plan-question.js";
import { outcomeText, planView } from "../views/build.js";
import { defineSlash, type SlashAnswer, type SlashContext } from "./slash.js";

interface Waiting extends Made {
  id: string;
  spec: string;
}

const waiting = new WeakMap<Session, Waiting>();
const use =
  "Write /build <spec.md or what>, with --yes to build without being asked; /build yes, edit, no or resume <id>.";

export default defineSlash({
  name: "build",
  usage: "<spec.md | what> [--yes] | yes | edit | no | resume <id>",
  doc: "Plans what is wanted and, after your yes, lets a team build it",

  async run(context) {
    const { argument, words, front } = context;
    const [first = "", id = ""] = words;
    const rest = argument.slice(first.length).trim();
    if (first === "resume" && words.length === 2) return carried(context, goneOnWith(context, id));
    if (first === "plan:") return changed(context, rest);
    if (words.length === 1 && ["yes", "edit", "no"].includes(first)) return answered(context, first);
    const unasked = words.includes("--yes");
    const wanted = argument.replace(/(^|\s)--yes(?=\s|$)/g, " ").trim();
    if (wanted === "") throw new UserError("There is nothing to build.", use, 1);
    if (!unasked && !front.hears)
      throw new UserError("Nobody is there to say yes to the plan.", "Write /build <what> --yes.", 1);
    const made = await planned(context, wanted);
    return unasked ? begun(context, made) : asked(context, made);
  },
});

async function planned(context: SlashContext, wanted: string): Promise<Waiting> {
  const { harness, session, tell } = context;
  const id = newBuildId(systemClock.now());
  const spec = specOf(wanted, session.init.cwd);
  const known = await formationsOf(harness);
  tell("Planning.");
  return { id, spec, ...(await planBuild(placeOf(context), { id, spec, named: null, known })) };
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
  return answer === "yes" ? begun(context, made) : { text: "Nothing is built." };
}

/** A plan that was changed is checked like every other, and asked about. */
async function changed(context: SlashContext, text: string): Promise<SlashAnswer> {
  const made = waiting.get(context.session);
  if (!made) throw new UserError("No plan waits to be changed in this session.", use, 1);
  const now = planOf(text, await formationsOf(context.harness));
  if ("problems" in now)
    throw new UserError(
      `The plan does not hold:\n${now.problems.join("\n")}`,
      "/build edit gives it again as it was.",
      1,
    );
  return asked(context, { ...made, ...now });
}

async function begun(context: SlashContext, made: Waiting): Promise<SlashAnswer> {
  return carried(context, await beginBuild(placeOf(context), { ...made, now: systemClock.now() }));
}

/** Its agents are tasks of the session it began in, which alone can wake them. */
function goneOnWith(context: SlashContext, id: string): BuildRecord {
  const { session } = context;
  const record = BuildRecord.load({ ...placeOf(context), root: session.init.root }, id);
  const { session: home } = record.state;
  if (home !== session.id)
    throw new UserError(
      `The build ${id} belongs to another session.`,
      `Write /resume ${home} first, or run: cinch build --resume ${id}`,
      1,
    );
  reopen(record);
  return record;
}

async function carried(context: SlashContext, record: BuildRecord): Promise<SlashAnswer> {
  const { tell } = context;
  const course = { verify: true, review: true, preview: true, detach: false, path: process.env["PATH"] ?? "", tell };
  const manifest = await followed(placeOf(context), record, course);
  const again = `/build resume ${record.state.id}`;
  if (!manifest) throw new UserError(`Paused. Go on with: ${again}`, undefined, 1);
  const text = outcomeText(manifest, record.directory);
  if (manifest.outcome !== "done") throw new UserError(text, `What had failed begins anew with: ${again}`, 1);
  return { text };
}

function placeOf({ harness, session, dirs, signal }: SlashContext): BuildPlace {
  return { harness, session, disk: nodeFs, kept: keptBuilds(dirs.state, session.init.root), signal };
}
