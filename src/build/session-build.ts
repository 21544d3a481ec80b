// A build in a session of its own: planned, carried out, gone on with. What front ends call.
// Invariant: until the plan is accepted nothing of it is on disk but the conversation of the planner.

import { Cancelled, UserError } from "../core/errors.js";
import type { Harness, Session, Work } from "../index.js";
import type { Fs } from "../lib/fs.js";
import { sha256 } from "../lib/hash.js";
import type { KnownFormation } from "./catalog.js";
import { Crew } from "./crew.js";
import { BuildEngine, type BuildNews } from "./engine.js";
import type { Formation } from "./formation.js";
import { OpenCalls } from "./open-calls.js";
import { type BuildPlan, planText } from "./plan.js";
import { makePlan, route } from "./planner.js";
import type { AskAgent, JudgeBuild, Previews, VerifyBuild } from "./ports.js";
import { BuildRecord, manifestOf } from "./record.js";
import { reportsOf } from "./reports.js";
import { runThrough } from "./session-hands.js";

export interface BuildPlace {
  harness: Harness;
  session: Session;
  disk: Fs;
  /** A folder of Cinch's own where the builds of this project are kept. */
  kept: string;
  /** Aborted: the build is paused. */
  signal: AbortSignal;
  /** Told when a build is begun or goes on: what is done from then on. */
  began?(work: Work): void;
}

export function formationNamed(name: string, known: readonly KnownFormation[]): Formation {
  const called = known.filter((each) => each.name === name);
  const found = called.find(({ formation }) => formation) ?? called[0];
  if (found?.formation) return found.formation;
  if (found?.untrusted) throw untrustedFormation(found);
  const names = known.filter(({ formation }) => formation).map((each) => each.name);
  const what = found
    ? `The formation ${name} does not hold: ${found.problems.join("; ")}.`
    : `There is no formation ${JSON.stringify(name)}.`;
  throw new UserError(what, `There are: ${names.join(", ")}.`);
}

/** Exit 7: an argument names what belongs to a project that is not trusted. */
export function untrustedFormation({ name, file }: KnownFormation): UserError {
  return new UserError(
    `The formation ${name} is ${file}, which is not trusted as it is; --trust trusts this project for this run. Nothing was run.`,
    "`cinch trust project` shows what is there and trusts it from now on.",
    7,
  );
}

/** Before a model is paid for: in plan mode every task would end without its files. */
function mustWrite({ init }: Session): void {
  if (init.permission_mode !== "plan") return;
  throw new UserError(
    "A build changes files, and plan mode doesn't allow that. Nothing was built.",
    "Use the mode acceptEdits or auto (--permission-mode, /mode).",
  );
}

/** The plan's paths start where it was made. */
function mustBeHere({ state, root }: BuildRecord, { init }: Session): void {
  const { id, cwd = root } = state;
  if (cwd === init.cwd) return;
  throw new UserError(
    `The build ${id} was started in ${cwd}, and this is ${init.cwd}. Nothing was built.`,
    `Run: cinch build --cwd ${cwd} --resume ${id}`,
  );
}

interface Named {
  who: string;
  model: string;
}

/** Before any of them is paid: a model that nobody can reach is found now, and not when its turn comes. */
async function mustHaveModels({ harness }: BuildPlace, named: readonly Named[]): Promise<void> {
  const byModel = new Map(named.map((each) => [each.model, each]));
  for (const { who, model } of byModel.values()) {
    try {
      await harness.checkModel(model);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      throw new UserError(`${who} needs the model ${model}. ${error.message}`, error.fix, error.exit);
    }
  }
}

/** What its roles work with, be it their own or their agent's; without a plan all of them. */
async function modelsOf({ harness }: BuildPlace, { roles }: Formation, plan: BuildPlan | null): Promise<Named[]> {
  const agents = await harness.agents();
  const modelOf = (agent: string) => agents.find(({ name }) => name === agent)?.model ?? "inherit";
  const used = roles.filter(({ name }) => plan?.tasks.some(({ role }) => role === name) ?? true);
  return [
    ...used.map(({ name, agent, model }) => ({
      who: `The role ${name}`,
      model: model === "inherit" ? modelOf(agent) : model,
    })),
    ...(plan?.tasks ?? []).flatMap(({ id, escalate }) =>
      escalate === undefined ? [] : [{ who: `The task ${id} (escalate)`, model: escalate }],
    ),
    { who: "The gate", model: modelOf("review") },
  ];
}

/** `named` null: what fits is found out first. @throws Cancelled when the signal is aborted before there is a plan */
export async function planBuild(
  place: BuildPlace,
  wanted: { id: string; spec: string; named: string | null; known: readonly KnownFormation[] },
): Promise<{ formation: Formation; plan: BuildPlan }> {
  const { id, spec, named, known } = wanted;
  mustWrite(place.session);
  const crew = new Crew(id, 0, place);
  try {
    const router = named === null ? [{ who: "Choosing a formation", model: "fast" }] : [];
    await mustHaveModels(place, [...router, { who: "The planner", model: "smart" }]);
    const formation = formationNamed(named ?? (await route(spec, crew)), known);
    await mustHaveModels(place, await modelsOf(place, formation, null));
    return { formation, plan: await makePlan(spec, formation, crew) };
  } catch (error) {
    if (error instanceof Cancelled) await crew.stop();
    throw error;
  }
}

export async function beginBuild(
  place: BuildPlace,
  made: { id: string; spec: string; formation: Formation; plan: BuildPlan; now: number },
): Promise<BuildRecord> {
  const { session, disk, kept } = place;
  const { id, spec, formation, plan, now: created } = made;
  mustWrite(session);
  await mustHaveModels(place, await modelsOf(place, formation, plan));
  const record = new BuildRecord(
    { disk, kept, root: session.init.root },
    {
      ...{
        v: 1,
        id,
        session: session.id,
        ...(session.init.cwd === session.init.root ? {} : { cwd: session.init.cwd }),
        spec,
        formation,
        plan,
        created,
        tasks: {},
        commands: {},
        conflicts: [],
        round: 0,
        cycles: 0,
      },
      ...{ evidence: [], verdict: null, preview: null, outcome: "open" },
    },
  );
  await record.keep("plan.yaml", planText(plan));
  await record.save();
  return record;
}

/**
 * What had failed, and what that blocked, is to be done anew; what was done and found wrong goes back to its agent. A build that
 * is done stays so.
 */
export function reopen({ state }: BuildRecord): void {
  if (state.outcome !== "failed") return;
  for (const [id, { status, why: _why, ...outcome }] of Object.entries(state.tasks)) {
    if (outcome.found) state.tasks[id] = { ...outcome, status: "mending" };
    // What it changed before stays changed by it.
    else if (status !== "done") state.tasks[id] = { ...outcome, status: "todo" };
  }
  delete state.failure;
  Object.assign(state, { outcome: "open", round: state.round + 1, cycles: 0 });
}

export interface BuildWishes {
  verify: VerifyBuild | null;
  judge: JudgeBuild | null;
  previews: Previews;
  news(news: BuildNews): void;
}

/** True when it has come to its end, false when it was paused. */
export async function carryOut(
  place: BuildPlace,
  record: BuildRecord,
  { verify, judge, previews, news }: BuildWishes,
): Promise<boolean> {
  const { session, disk, signal } = place;
  const { id, round, formation, plan } = record.state;
  mustWrite(session);
  mustBeHere(record, session);
  await mustHaveModels(place, await modelsOf(place, formation, plan));
  const work = await session.beginWork(`the build ${id} (${plan.goal})`, id);
  place.began?.(work);
  const crew = new Crew(id, round, place);
  const ground = { root: session.init.cwd, disk };
  const engine = new BuildEngine({
    record,
    site: { plan, formation, model: session.init.model, crew, ground, run: runThrough(session), signal },
    verify,
    judge:
      judge &&
      ((changed, evidence) =>
        judge(
          {
            ...{ goal: plan.goal, criteria: criteriaOf(formation, plan), evidence, changed },
            reports: reportsOf(manifestOf(record.state, []).tasks).map(({ task, title, answer }) => ({
              ...{ task, title, answer: answer.slice(0, maxReport) },
            })),
          },
          askWith(crew, record.state.cycles),
          signal,
        )),
    previews,
    news,
  });
  const calls = new OpenCalls(session);
  try {
    await engine.run();
    return true;
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    await calls.quiet(patience);
    await crew.stop();
    return false;
  } finally {
    calls.close();
  }
}

/** Characters of each report that the gate reads. */
const maxReport = 8_000;

/** Milliseconds that a pause waits for calls under way. */
const patience = 5_000;

function criteriaOf({ gate }: Formation, { tasks }: BuildPlan): string[] {
  return [...gate, ...tasks.flatMap(({ id, accept }) => accept.map((command) => `${id}: \`${command}\` succeeds.`))];
}

/** The same question is asked once, also over a kill; what was mended meanwhile makes it another one. */
export function askWith(crew: Crew, cycle: number): AskAgent {
  return async ({ schema, ...asked }) => {
    const kind = `${asked.title} ${cycle} ${sha256(asked.prompt).slice(0, 8)}`;
    const ended = await crew.work({ task: "", kind, name: "gate", ...asked, outputSchema: schema });
    if (ended.value !== undefined) return { task: ended.id, value: ended.value };
    return { why: ended.error?.text ?? `its agent ended as ${ended.state}` };
  };
}
