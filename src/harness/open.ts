// Opens a session: the order of wiring, and nothing but wiring.
//   directories -> project -> settings -> trust -> model -> log -> tools -> conversation
// Invariant: until the log is open nothing has been written; when something fails on the way, what was opened is closed.

import { homedir } from "node:os";
import { join } from "node:path";
import { Approvals } from "../agent/approvals.js";
import type { Limits } from "../agent/budget.js";
import { defaultCaps } from "../agent/controller.js";
import { CallIdentity } from "../agent/identity.js";
import { Inbox } from "../agent/inbox.js";
import type { AgentPorts, Log } from "../agent/ports.js";
import { homeDirs, under } from "../config/home.js";
import { loadSettings, refuse } from "../config/load.js";
import { findProject } from "../config/project.js";
import type { Settings } from "../config/schema.js";
import type { Entry } from "../core/entry.js";
import { UserError } from "../core/errors.js";
import type { Clock, Ids } from "../core/ids.js";
import type { Model } from "../core/model.js";
import type { ToolDescriptor } from "../core/tool.js";
import { version } from "../core/version.js";
import { type Fs, nodeFs } from "../lib/fs.js";
import { systemClock, systemIds } from "../lib/system.js";
import { providerNames } from "../models/open.js";
import { decide } from "../permission/decide.js";
import { declare } from "../prompt/compose.js";
import type { ContextFacts } from "../prompt/context.js";
import { SessionLog } from "../session/log.js";
import { newest, projectKey, resolveSession, sessionDir } from "../session/store.js";
import { type OpenCall, openCalls } from "../session/tree.js";
import { builtinTools } from "../tools/index.gen.js";
import { lookAtProject, readInstruction, type TrustedProject, type UntrustedProject } from "../trust/project.js";
import { answerCheck, answerInstruction } from "./answer.js";
import type { HarnessOptions, Init, OpenOptions } from "./api.js";
import { Conversation } from "./conversation.js";
import { EventHub } from "./events.js";
import { chooseModel } from "./model.js";
import { RequestComposer } from "./request.js";
import { LiveSession } from "./session.js";
import { SessionTools } from "./toolbox.js";
import { Workspace } from "./workspace.js";

/** What every session of one harness shares. */
export interface Surroundings {
  options: HarnessOptions;
  env: Readonly<Record<string, string | undefined>>;
  disk: Fs;
  clock: Clock;
  ids: Ids;
  config: string;
  state: string;
  root: string;
  cwd: string;
  settings: Settings;
  project: TrustedProject | UntrustedProject;
  /** Said once, when the first session opens. */
  notices: readonly string[];
}

export async function look(options: HarnessOptions): Promise<Surroundings> {
  const env = options.env ?? process.env;
  const disk = options.fs ?? nodeFs;
  const dirs = options.home ? under(options.home) : homeDirs(env, homedir());
  const { root, cwd } = findProject(disk, options.cwd, homedir());
  const { settings, problems } = await loadSettings({
    disk,
    configDir: dirs.config,
    projectRoot: root,
    flags: options.settings,
    settingsFile: options.settingsFile,
    providers: providerNames(),
  });
  const warnings = refuse(problems, false);
  const project = lookAtProject(disk, {
    root,
    cwd,
    flag: options.trust ?? false,
    variable: env["CINCH_TRUST_PROJECT"],
    maxBytes: settings.context.maxBytes,
  });
  const { clock = systemClock, ids = systemIds } = options;
  const notices = warnings.map(({ source, text }) => `${source}: ${text}`);
  return {
    options,
    env,
    disk,
    clock,
    ids,
    config: dirs.config,
    state: dirs.state,
    root,
    cwd,
    settings,
    project,
    notices,
  };
}

export async function openSession(at: Surroundings, open: OpenOptions): Promise<LiveSession> {
  const { options, settings, clock, disk } = at;
  if (open.fork !== undefined)
    throw new UserError("Branching at an entry is not in this version.", "Resume without it.");
  const { model, source } = await chooseModel({
    named: options.model,
    env: at.env,
    cwd: at.cwd,
    clock,
    disk,
    settings,
    record: options.record,
  });
  if (settings.limits.cost !== undefined && !model.facts.prices) {
    throw new UserError(
      `A limit in dollars was set, but the price of ${model.id} is not known.`,
      "Set models.prices for it, or drop the limit.",
    );
  }
  const checkAnswer = options.jsonSchema ? await answerCheck(options.jsonSchema) : undefined;
  const log = openLog(at, open);
  try {
    const parts = await wire(at, log, model, source, open.resume !== undefined);
    return new LiveSession(checkAnswer ? { ...parts, checkAnswer } : parts);
  } catch (error) {
    await log.close();
    throw error;
  }
}

function openLog(at: Surroundings, { resume }: OpenOptions): SessionLog {
  const { disk, clock, ids, root, state } = at;
  const ports = { spillDir: join(state, "spill"), disk, clock, ids };
  const dir = sessionDir(state, projectKey(root));
  if (resume === undefined) {
    const header = {
      format: "cinch-session",
      project: projectKey(root),
      root,
      created: new Date(clock.now()).toISOString(),
    } as const;
    return SessionLog.create({ ...ports, dir, header });
  }
  const found = resume === true ? newest(disk, dir) : resolveSession(disk, state, projectKey(root), resume);
  if (!found) throw new UserError(`There is no session of ${root} to continue.`, "Start one without -c.");
  return SessionLog.open({ ...ports, file: found.file });
}

async function wire(at: Surroundings, log: SessionLog, model: Model, source: string, resumed: boolean) {
  const { options, settings, clock, ids, cwd, root } = at;
  const { mode } = settings.permissions;
  const { profile } = settings.tools;
  const hub = new EventHub(log.id, clock);
  const live = announced(log, hub, () => workspace.settle());
  const workspace: Workspace = new Workspace({
    ...at,
    addDirs: options.addDirs ?? [],
    session: log.id,
    log: live,
    outcomes: resumed ? log.attached("outcome") : [],
  });
  const tools = new SessionTools({
    entries: [...builtinTools, ...(options.tools ?? [])],
    profile,
    declare: [],
    ports: (needs, call) => workspace.ports(needs, call),
  });
  const declared = declare(tools.declared);
  const composer = new RequestComposer({ log: live, emit: hub.emit, model, tools: declared });
  const conversation = new Conversation({
    log: live,
    model,
    tools: declared,
    deferred: familyLines(tools.deferred),
    facts: () => contextFacts(at, model),
    openCalls: () => openCallsOf(log),
    notes: () => log.attached("note"),
    expectBreak: (cause) => composer.expectBreak(cause),
  });
  const approvals = new Approvals();
  const ports: AgentPorts = {
    model,
    log: live,
    tools,
    emit: hub.emit,
    clock,
    ids,
    inbox: new Inbox(hub.emit, ids),
    identity: new CallIdentity(ids, log.path()),
    approvals,
    limits: limitsOf(settings),
    compose: () => composer.compose(),
    decide: (effect) => decide(effect, { mode, profile }),
    answerable: options.answerable ?? false,
    cut: (call, text) => workspace.cut(call, text),
    random: Math.random,
    ...(options.ask ? { ask: options.ask } : {}),
  };
  const init: Init = {
    session_id: log.id,
    model: model.id,
    cwd,
    root,
    tools: tools.declared.map((tool) => tool.name),
    permission_mode: mode,
    trust: at.project.trust,
    ignored: at.project.trust === "trusted" ? [] : at.project.ignored,
    sandbox: "none",
    version,
    model_source: source,
    notices: [...at.notices, ...log.repairs.filter((repair) => !repair.known).map((repair) => repair.text)],
  };
  const close = () => log.close();
  const caps = { ...defaultCaps, hookRetries: settings.hookRetries };
  return { init, hub, log: live, approvals, conversation, resumed, caps, ports, flush: () => workspace.flush(), close };
}

/** The log, with an event for every entry it takes; `before` joins what else is due at its barrier. */
function announced(
  log: SessionLog,
  hub: EventHub,
  before: () => Promise<void>,
): Log & { entry(id: string): Entry | undefined } {
  const say = (entry: { id: string; type: string }) => {
    hub.emit({ type: "entry.append", entry: entry.id, kind: entry.type });
  };
  return {
    append(type, data, parent) {
      const entry = log.append(type, data, parent);
      say(entry);
      return entry;
    },
    appendAll(items) {
      const entries = log.appendAll(items);
      entries.forEach(say);
      return entries;
    },
    async sync() {
      await before();
      await log.sync();
    },
    path: () => log.path(),
    entry: (id) => log.entry(id),
  };
}

/** One line per family: its name and its tools. */
function familyLines(deferred: readonly ToolDescriptor[]): string[] {
  const families = [...new Set(deferred.map((tool) => tool.family))];
  return families.map((family) => {
    const names = deferred.filter((tool) => tool.family === family).map((tool) => tool.name);
    return `- ${family}: ${names.join(", ")}`;
  });
}

/** Reads what is attached to the path only when there is a call without a result. */
function openCallsOf(log: SessionLog): OpenCall[] {
  if (openCalls(log.path(), { intents: [], outcomes: [] }).length === 0) return [];
  return openCalls(log.path(), { intents: log.attached("intent"), outcomes: log.attached("outcome") });
}

function limitsOf(settings: Settings): Limits {
  const { turns, calls, tokens, cost, time, output } = settings.limits;
  const given = { turns, calls, tokens, cost, time, output };
  return Object.fromEntries(Object.entries(given).filter(([, limit]) => limit !== undefined));
}

function contextFacts(at: Surroundings, model: Model): ContextFacts {
  const { options, settings, disk, project } = at;
  const own = readInstruction(disk, join(at.config, "AGENTS.md"), settings.context.maxBytes);
  const user = own === undefined ? [] : [{ name: "the user's AGENTS.md", text: own }];
  return {
    date: localDate(at.clock.now()),
    platform: process.platform,
    cwd: at.cwd,
    root: at.root,
    mode: settings.permissions.mode,
    answerable: options.ask !== undefined || options.answerable === true,
    profile: settings.tools.profile,
    maxOutput: model.facts.maxOutput,
    instructions: project.trust === "trusted" ? [...user, ...project.instructions] : user,
    appended: [options.appendSystemPrompt, options.jsonSchema && answerInstruction(options.jsonSchema)]
      .filter(Boolean)
      .join("\n\n"),
  };
}

/** The day where the user is, as YYYY-MM-DD. */
function localDate(ms: number): string {
  const date = new Date(ms);
  const two = (n: number) => String(n).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
