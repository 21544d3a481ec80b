// Where a harness finds itself: directories, project, settings, trust. Read once, before its first session.
// Invariant: reads only; nothing is written and nothing is started here.

import { join } from "node:path";
import { type Loaded, loadSettings, refuse } from "../config/load.js";
import type { Settings } from "../config/schema.js";
import type { LanguageStatus } from "../core/lsp.js";
import type { Model } from "../core/model.js";
import type { WrittenRule } from "../core/policy.js";
import { keyVariables, providerNames } from "../models/open.js";
import type { ContextFacts } from "../prompt/context.js";
import { withheldNames } from "../secrets/environment.js";
import type { StoredKeys } from "../secrets/key-store.js";
import { knownSecrets } from "../secrets/known.js";
import { redactedData } from "../secrets/redacted.js";
import { readInstruction } from "../trust/instruction.js";
import type { TrustedProject, TrustFacts, UntrustedProject } from "../trust/project.js";
import { speakersOf } from "../trust/speakers.js";
import { unusedIn } from "../trust/unused.js";
import { projectFiles } from "./agents/project-files.js";
import type { HarnessOptions } from "./api/index.js";
import { answerInstruction } from "./conversation/answer.js";
import { LanguageServers } from "./languages/language-servers.js";
import { loadKeyStore, loadTrust } from "./lazy.js";
import { loadConcealed, loadRuleCheck } from "./permissions/permissions.js";
import { type Place, placeOf } from "./place.js";
import { Sandboxing } from "./shell/sandboxing.js";
import { Supervision } from "./shell/supervision.js";
import { HarnessTasks } from "./tasks/harness-tasks.js";
import type { Kin } from "./tasks/kin.js";
import { namedResource, notTrusted } from "./trust/named.js";
import { approvedRules, type LiveHook, liveHooks, resourcesOf, trustPlace } from "./trust/resources.js";

/** What every session of one harness shares. */
export interface Surroundings extends Place {
  options: HarnessOptions;
  env: Readonly<Record<string, string | undefined>>;
  /** What Cinch keeps for the user, by variable. In no environment: no child can inherit it. */
  stored: StoredKeys;
  settings: Settings;
  /** The rules that count, strongest level first. */
  rules: readonly WrittenRule[];
  /** The hooks that may run, in the order in which they were written. */
  hooks: readonly LiveHook[];
  project: TrustedProject | UntrustedProject;
  /** Paths in the project that no trust would load. */
  unused: readonly string[];
  /** Servers that know the languages of this project. */
  languages: LanguageServers;
  /** Everything that is started ends with this harness. */
  supervision: Supervision;
  /** Where commands run that nobody approved. */
  sandboxing: Sandboxing;
  /** The sessions that are open, by id. */
  kin: Map<string, Kin>;
  /** Work beside conversations. */
  tasks: HarnessTasks;
  /** Said once, when the first session opens. */
  notices: readonly string[];
}

export async function look(options: HarnessOptions): Promise<Surroundings> {
  const env = options.env ?? process.env;
  const place = placeOf(options);
  const loaded = await settingsOf(place, options);
  const warnings = refuse(loaded.problems, false);
  const ground = { ...trustPlace(place, options), disk: place.disk };
  const languages = await languageServersOf(place, options, loaded.settings);
  const own = await resourcesOf(loaded, ground, projectFiles(place));
  const resources = [...own, ...languages.resources];
  const project = await projectOf(place, options, {
    maxBytes: loaded.settings.context.maxBytes,
    resources,
    rules: loaded.rules,
  });
  const hooks = await liveHooks(project, loaded, { resources, ground, kept: join(place.state, "trust") });
  await languages.decide(project);
  const variable = env["CINCH_TRUST_PROJECT"];
  const stored = await keptKeys(place);
  const keys = keyVariables(loaded.settings.models);
  knownSecrets.learnEnvironment(env, { keys, exists: (path) => place.disk.existsSync(path) });
  const withheld = withheldNames({ ...loaded.settings.env, keys });
  const supervision = new Supervision(place.disk, join(place.state, "running"), withheld);
  const sandboxing = sandboxOf(place, options, loaded.settings, supervision);
  const told = [...warnings.map(({ text }) => text), ...(stored.fault === undefined ? [] : [stored.fault])];
  const notices = [...told, ...oddTrust(variable), ...project.remarks, ...sandboxing.remarks, ...languages.problems];
  const rules = [...loaded.rules, ...approvedRules(project, loaded.offered)];
  const unused = unusedIn(place.disk, place.root).map(({ path }) => path);
  const { settings } = loaded;
  const tasks = new HarnessTasks({ ...place, ...settings.tasks }, place.state);
  const shared = { supervision, sandboxing, tasks, kin: new Map<string, Kin>() };
  const facts = { options, env, stored, settings, rules, hooks, project, languages, unused, notices };
  return { ...place, ...facts, ...shared };
}

/** Its code is loaded where there is such a file. */
async function keptKeys({ disk, config }: Place): Promise<StoredKeys> {
  return disk.existsSync(join(config, "keys.json")) ? (await loadKeyStore()).storedKeys(disk, config) : { keys: {} };
}

/** The mode is the only setting that changes during a session, and only in that session. */
export function withOwnMode(at: Surroundings): Surroundings {
  return { ...at, settings: { ...at.settings, permissions: { ...at.settings.permissions } } };
}

export function settingsOf({ root, disk, config }: Place, options: HarnessOptions): Promise<Loaded> {
  return loadSettings({
    disk,
    configDir: config,
    projectRoot: root,
    flags: options.settings,
    settingsFile: options.settingsFile,
    providers: providerNames(),
    rules: () => loadRuleCheck(root, options.tools),
  });
}

/** Throws what a session would be refused for, for those who open none. `way`: what trusts the project for this time. */
export async function demandSettings(options: HarnessOptions, way: string): Promise<void> {
  const place = placeOf(options);
  refuse((await settingsOf(place, options)).problems, false);
  const named = namedResource(place, options);
  if (!named) return;
  const { lookAtProject } = await loadTrust();
  const facts = { ...trustPlace(place, options), maxBytes: 0, speakers: [], resources: [] };
  if (lookAtProject(place.disk, facts).trust !== "trusted") throw notTrusted(named, way);
}

/** The same for an agent that works in a copy of the project. */
export function movedTo(at: Surroundings, { root, cwd }: Pick<Place, "root" | "cwd">): Surroundings {
  const place = { ...at, root, cwd };
  const sandboxing = sandboxOf(place, at.options, at.settings, at.supervision);
  // Servers know the project where it is, not copies of it.
  return { ...place, sandboxing, languages: at.languages.none() };
}

export function languageServersOf(
  place: Place,
  options: HarnessOptions,
  settings: Settings,
  closely = false,
): Promise<LanguageServers> {
  const { addDirs = [], env = process.env } = options;
  const { disabled } = settings.lsp;
  const ground = { ...trustPlace(place, options), disk: place.disk };
  return LanguageServers.look({ ...place, env, disabled, addDirs, passed: settings.env.pass, ground }, closely);
}

/** Of the servers of a project in which no session is open. */
export async function languageStatus(options: HarnessOptions): Promise<LanguageStatus> {
  const place = placeOf(options);
  const { settings } = await settingsOf(place, options);
  const languages = await languageServersOf(place, options, settings, true);
  const facts = { maxBytes: settings.context.maxBytes, resources: languages.resources };
  await languages.decide(await projectOf(place, options, facts));
  return languages.status();
}

function sandboxOf(place: Place, options: HarnessOptions, settings: Settings, supervision: Supervision): Sandboxing {
  return new Sandboxing({
    ...place,
    ...settings.sandbox,
    permissionMode: settings.permissions.mode,
    addDirs: options.addDirs ?? [],
    own: [place.config, place.state],
    env: options.env ?? process.env,
    supervision,
  });
}

/** A project that has nothing to say and nothing to run is not asked about, and no record of trust is opened for it. */
async function projectOf(
  place: Place,
  options: HarnessOptions,
  { maxBytes, resources, rules = [] }: Pick<TrustFacts, "maxBytes" | "resources"> & { rules?: readonly WrittenRule[] },
): Promise<Surroundings["project"]> {
  const { disk } = place;
  const speakers = speakersOf(disk, place);
  const named = namedResource(place, options);
  if (!named && speakers.length === 0 && resources.length === 0) return { trust: "none", ignored: [], remarks: [] };
  const { lookAtProject } = await loadTrust();
  const isLink = speakers.some((path) => disk.realpathSync(path) !== path);
  const withheld = isLink ? await loadConcealed({ ...place, rules }, options.tools) : undefined;
  const facts = { maxBytes, speakers, resources, ...(withheld ? { withheld } : {}) };
  const project = lookAtProject(disk, { ...trustPlace(place, options), ...facts });
  if (named && project.trust !== "trusted") throw notTrusted(named);
  return project;
}

function oddTrust(variable: string | undefined): string[] {
  if (variable === undefined || variable === "" || variable === "0" || variable === "1") return [];
  return [`CINCH_TRUST_PROJECT is ${JSON.stringify(variable)} and counts as not set; it may be 1 or 0.`];
}

/** What the model is told about all this, as of now. */
export function contextFacts(at: Surroundings, model: Model): Omit<ContextFacts, "claims" | "announced"> {
  const { options, settings, disk, project } = at;
  const own = readInstruction(disk, join(at.config, "AGENTS.md"), settings.context.maxBytes)?.text ?? null;
  const user = own === null ? [] : [{ name: "the user's AGENTS.md", text: own }];
  const facts = {
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
  // Files are among it, so it is cleaned like everything from elsewhere, before it is compared with what the log holds.
  return redactedData(facts, (text) => knownSecrets.all(text));
}

/** The day where the user is, as YYYY-MM-DD. */
function localDate(ms: number): string {
  const date = new Date(ms);
  const two = (n: number) => String(n).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
