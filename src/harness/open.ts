// Opens a session: the order of wiring, and nothing but wiring.
//   surroundings -> model -> log -> workspace -> tools -> conversation -> agent
// Invariant: until the log is open nothing has been written; when something fails on the way, what was opened is closed.

import type { Limits } from "../agent/budget.js";
import { defaultCaps } from "../agent/controller.js";
import { CallIdentity } from "../agent/identity.js";
import { Inbox } from "../agent/inbox.js";
import type { AgentPorts } from "../agent/ports.js";
import type { Run } from "../agent/run.js";
import type { Settings } from "../config/schema.js";
import { lastOf } from "../core/entry.js";
import type { Model } from "../core/model.js";
import type { ToolEntry } from "../core/tool.js";
import { inTurn } from "../lib/in-turn.js";
import { once } from "../lib/once.js";
import { declare } from "../prompt/compose.js";
import { knownSecrets } from "../secrets/known.js";
import type { SessionLog } from "../session/log.js";
import { builtinTools } from "../tools/index.gen.js";
import type { OpenOptions } from "./api/index.js";
import { answerCheck } from "./conversation/answer.js";
import { SessionCompactor } from "./conversation/compacting.js";
import { Conversation } from "./conversation/conversation.js";
import { RequestComposer } from "./conversation/request.js";
import { Workspace } from "./files/workspace.js";
import type { SessionHooks } from "./hooks/session-hooks.js";
import { initOf, lossIn } from "./init.js";
import type { LanguageServers } from "./languages/language-servers.js";
import {
  loadApart,
  loadAttachedImages,
  loadBranching,
  loadHooks,
  loadLanguage,
  loadOwning,
  loadReport,
} from "./lazy.js";
import type { ModelChain } from "./models/fallback.js";
import { chooseModel, fitsModel } from "./models/model.js";
import { SessionPermissions } from "./permissions/permissions.js";
import { LiveSession } from "./session.js";
import type { SessionParts } from "./session-parts.js";
import { type LiveLog, liveLog } from "./sessions/live-log.js";
import { settledCalls } from "./sessions/lost-calls.js";
import { newLog, oldLog } from "./sessions/open-log.js";
import { contextFacts, type Surroundings, withOwnMode } from "./surroundings.js";
import { companionsOf, type LazyCompanions } from "./tasks/companions.js";
import { announcedTo, type Child, hearing, type Kin, kinOf } from "./tasks/kin.js";
import { declaredIn, familyLines, isSlim, SessionTools } from "./toolbox.js";
import { Coverage } from "./undo/coverage.js";

/** `child`: it works on a task, and `shared` is what holds for it. */
export async function openSession(shared: Surroundings, open: OpenOptions, child?: Child): Promise<LiveSession> {
  // A change of mode counts for those that work for the session as well.
  const at = child ? shared : withOwnMode(shared);
  const { options, settings, clock, disk } = at;
  await at.sandboxing.demand();
  // A session that goes on says which model it talks to; a new one is not begun before there is a model.
  const resumed = open.resume !== undefined || open.fork !== undefined;
  const old = resumed ? await oldLog(at, open) : undefined;
  let log = old?.log;
  try {
    const { model, chain, source } = await chooseModel({
      named: options.model,
      own: log && ownModel(log),
      env: at.env,
      stored: at.stored,
      cwd: at.cwd,
      clock,
      disk,
      settings,
      record: options.record,
      replaySpeed: options.replaySpeed,
      supervision: at.supervision,
      agent: child?.agent.name ?? "main",
      part: child?.bounds.name,
    });
    const checkAnswer = options.jsonSchema ? await answerCheck(options.jsonSchema) : undefined;
    const apart = await fitsModel("files.twoStage", settings.files.twoStage, model.id);
    log ??= newLog(at, child);
    const hooks = at.hooks.length > 0 ? await loadHooks() : undefined;
    const parts = wire({ at, child, log, model, chain, source, resumed, apart, hooks, notices: old?.notices ?? [] });
    return new LiveSession(checkAnswer ? { ...parts, checkAnswer } : parts);
  } catch (error) {
    await log?.close();
    throw error;
  }
}

/** The model that was last talked to here. What a file from elsewhere names is not asked for that (harness/sessions/import.ts). */
function ownModel(log: SessionLog): string | undefined {
  const talked = log.header?.forkOf !== undefined || lastOf(log.path(), "prompt") !== undefined;
  const last = lastOf(log.path(), "model")?.data;
  return talked ? (last?.fallbackFor ?? last?.id) : undefined;
}

interface Wiring {
  at: Surroundings;
  child: Child | undefined;
  log: SessionLog;
  model: Model;
  chain: ModelChain | undefined;
  source: string;
  resumed: boolean;
  /** Texts of files are asked for apart from the calls. */
  apart: boolean;
  /** There are hooks, and this is their code. */
  hooks: typeof import("./hooks/session-hooks.js") | undefined;
  /** What opening the log had to say. */
  notices: readonly string[];
}

function wire({ at, child, log, model, chain, source, resumed, apart, hooks: code, notices }: Wiring): SessionParts {
  const { options, settings } = at;
  const entries = [...toolsFor(at.languages), ...(options.tools ?? [])];
  const kin = kinOf(at, child, { model, log, tools: entries.map(({ descriptor }) => descriptor) });
  const { hub, scopes, agent } = kin;
  const facts = { undoable: () => coverage.isFull, readable: () => [workspace.spillDir] };
  const permissions = new SessionPermissions({ ...at, scopes, emit: hub.emit, ...facts });
  const live = liveLog(log, hub, () => workspace.settle());
  const given = { settings: settingsFor(at, model), ...pastOf(log) };
  const owner = async () => (await loadOwning()).ownerFor(kin);
  const own = { session: log.id, agent, owner, log: live, emit: hub.emit };
  const workspace: Workspace = new Workspace({ ...at, ...own, permissions, ...given, tasks: () => companions.open() });
  const companions: LazyCompanions = companionsOf(at, { ...own, workspace, kin });
  const coverage: Coverage = new Coverage(workspace.witness, () => companions.isCommandOpen);
  const tools = new SessionTools({
    entries,
    effects: kin.declaring,
    allows: (tool) => permissions.declares(tool),
    declare: declaredIn(at),
    ...{ apart, slim: isSlim(model.facts) },
    ports: (needs, call) => workspace.ports(needs, call),
  });
  const declared = declare(tools.declared);
  const composer = new RequestComposer({ log: live, emit: hub.emit, model, tools: declared, cause: lossIn(log) });
  const conversation = new Conversation({
    log: live,
    model,
    tools: declared,
    deferred: familyLines(tools.deferred),
    facts: () => ({ ...contextFacts(at, model), claims: workspace.claims.others }),
    announced: (which) => announcedTo(kin, which),
    notes: () => log.attached("note"),
    expectBreak: (cause) => composer.expectBreak(cause),
    forked: log.header?.forkOf !== undefined,
  });
  const heard = { ...hearing(kin, child), workspace, permissions };
  const hooks = code?.openHooks({ at, ...heard, resumed, log: live, emit: hub.emit });
  const compaction = new SessionCompactor({ at, hooks, log, conversation, model, tools: declared });
  const hands = { kin, chain, log: live, tools, workspace, coverage, composer };
  const ports = agentPorts(at, { ...hands, compaction, permissions, hooks, companions });
  return {
    ...{ hooks, hub, log: live },
    init: initOf({ at, log, model, source, tools, notices }),
    conversation,
    resumed,
    caps: { ...defaultCaps, hookRetries: settings.hookRetries },
    ports,
    branches: branchesOf(at, log, { live, composer, conversation, compaction, identity: ports.identity, workspace }),
    cost: async () => (await loadReport()).costOfOpen({ ...at, models: settings.models }, log, model),
    said: async (input) => (await loadAttachedImages()).saidWith(input, { ...at, model, permissions }),
    image: async (input) => (await loadAttachedImages()).imageWith(input, { ...at, model, permissions }),
    setMode: (mode) => void Object.assign(settings.permissions, { mode }),
    settledCalls: () => settledCalls(at, log, { live, conceals: () => permissions.concealed() }),
    lookAround: () => workspace.claims.lookAround(),
    companions,
    ...endsOf(at, { child, log, live, workspace, resumed }),
  };
}

/** What earlier runs did. */
function pastOf(log: SessionLog) {
  return {
    outcomes: () => log.attached("outcome"),
    intents: () => log.attached("intent"),
    checkpoints: () => log.attached("checkpoint"),
  };
}

/** Where no deletion is declared nothing could take the place of a whole file, unless a write may that knows it. */
function settingsFor({ settings }: Surroundings, { facts }: Model): Settings {
  return isSlim(facts) ? { ...settings, files: { ...settings.files, overwrite: "seen" } } : settings;
}

type Ended = Pick<Wiring, "child" | "log" | "resumed"> & { live: LiveLog; workspace: Workspace };

/** What the end of a run, and that of the session, leave behind. */
function endsOf(
  at: Surroundings,
  { child, log, live, workspace, resumed }: Ended,
): Pick<SessionParts, "letGo" | "seal" | "close"> {
  return {
    letGo: () => workspace.claims.letGo(),
    seal: () => inTurn([() => workspace.flush(), () => (!child || hasActed(log) ? live.sync() : undefined)]),
    close: () => {
      at.kin.delete(log.id);
      return inTurn([() => workspace.close(), () => letGo(at, log, resumed)]);
    },
  };
}

/**
 * What an agent answers is told to the session above it, which has a barrier of its own before anybody hears of it. Lost with
 * the power is then a conversation that has changed nothing; one that has is synced to its end.
 */
function hasActed({ tree }: SessionLog): boolean {
  return tree.nodes.some(({ type }) => type === "intent");
}

/** What front ends write by themselves: nothing was said. */
const silent: readonly string[] = ["header", "note", "state"];

/** A session in which nothing was ever said leaves no file behind, or it would be one to go on with. */
function letGo({ disk }: Surroundings, log: SessionLog, resumed: boolean): Promise<void> {
  const isEmpty = !resumed && log.tree.nodes.every(({ type }) => silent.includes(type));
  return inTurn([() => isEmpty && disk.rmSync(log.file, { force: true }), () => log.close()]);
}

interface PathBound {
  live: LiveLog;
  composer: RequestComposer;
  conversation: Conversation;
  compaction: SessionCompactor;
  identity: CallIdentity;
  workspace: Workspace;
}

/** The tree of the session, and everything that has to be forgotten when its head moves to another branch. */
function branchesOf(place: Surroundings, log: SessionLog, bound: PathBound): SessionParts["branches"] {
  const { live, composer, conversation, compaction, identity, workspace } = bound;
  return once(async () => {
    const { LiveBranches } = await loadBranching();
    const { id, file, header } = log;
    return new LiveBranches({
      place,
      log: Object.defineProperty({ ...live, id, file, header, head: log.head }, "head", { get: () => log.head }),
      async restart() {
        composer.restart();
        conversation.restart();
        compaction.restart();
        identity.restart(log.whole());
        await workspace.restart();
      },
    });
  });
}

interface Hands {
  kin: Kin;
  chain: ModelChain | undefined;
  log: LiveLog;
  tools: SessionTools;
  workspace: Workspace;
  coverage: Coverage;
  composer: RequestComposer;
  compaction: SessionCompactor;
  permissions: SessionPermissions;
  hooks: SessionHooks | undefined;
  companions: LazyCompanions;
}

function agentPorts(
  at: Surroundings,
  { kin, chain, log, tools, workspace, coverage, composer, compaction, permissions, hooks, companions }: Hands,
): AgentPorts {
  const { options, settings, clock, ids } = at;
  const { agent, model, hub, approvals, beside } = kin;
  return {
    ...{ agent, model, log, tools, approvals, beside },
    emit: hub.emit,
    clock,
    ids,
    inbox: new Inbox(hub.emit, ids, log, () => log.attached("note")),
    identity: new CallIdentity(
      { ids, entry: (id) => log.entry(id), written: (text) => knownSecrets.values(text) },
      log.whole(),
    ),
    limits: limitsOf(settings),
    loop: { threshold: settings.loop.threshold ?? (model.facts.small ? 2 : 3), recoveries: settings.loop.recoveries },
    compose: () => composer.compose(),
    composeBeside: (tail, until) => composer.composeBeside(tail, until),
    compaction,
    textsApart: loadApart,
    fenceOf: async (path) => (await loadLanguage()).fenceOf(path),
    permissions,
    redactor: knownSecrets,
    answerable: options.answerable ?? false,
    witness: coverage,
    held: workspace.held,
    hashOf: (path) => workspace.hashOf(path),
    companions,
    announced: () => announcedTo(kin, "new"),
    cut: (call, text) => workspace.aside.cut(call, text),
    keep: (call, text) => workspace.aside.keep(call, text),
    random: Math.random,
    unfinished: workspace.syntax,
    observer: workspace.languages,
    ...(chain
      ? { fallback: chain.fallback({ log, emit: hub.emit, expectBreak: (cause) => composer.expectBreak(cause) }) }
      : {}),
    ...(options.ask ? { ask: options.ask } : {}),
    ...(hooks ? { hooks, stopHook: (run: Run) => hooks.stop(run) } : {}),
  };
}

/** Tools that no language server could serve are not there. */
function toolsFor({ offer }: LanguageServers): readonly ToolEntry[] {
  return offer === "none" ? builtinTools.filter(({ descriptor }) => descriptor.family !== "lsp") : builtinTools;
}

function limitsOf(settings: Settings): Limits {
  const { turns, calls, tokens, cost, time, output } = settings.limits;
  const given = { turns, calls, tokens, cost, time, output };
  return Object.fromEntries(Object.entries(given).filter(([, limit]) => limit !== undefined));
}
