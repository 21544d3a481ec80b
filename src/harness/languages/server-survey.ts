// Which language servers there could be: entries of lsp.json, known programs on PATH and in the project. Looked at before a
// session, so that the model is told of tools that can work, and of no others.
// Invariant: reads names and small files and starts nothing; what is inside the project, or runs what is, waits for trust.

import { dirname, join } from "node:path";
import { locateText, plain } from "../../config/located.js";
import type { Settings } from "../../config/schema.js";
import { codeOf } from "../../core/errors.js";
import type { Fs } from "../../lib/fs.js";
import { isObject, parseJson } from "../../lib/json.js";
import { isProgram, onPath } from "../../lib/on-path.js";
import { within } from "../../lib/paths.js";
import type { Candidate } from "../../lsp/choose.js";
import { readEntries, type ServerEntry } from "../../lsp/entries.js";
import { type KnownServer, knownServers, wantedBy } from "../../lsp/known-servers.js";
import type { ServerPlan } from "../../lsp/plan.js";
import type { Resource } from "../../trust/resource.js";
import type { Place } from "../place.js";

/** A server that was looked for. */
export interface Surveyed extends Candidate {
  /** The project has files for it. */
  wanted: boolean;
  /** What has to be approved before it may run; null = nothing. */
  resource: Resource | null;
}

export interface SurveyOptions extends Pick<Place, "root" | "config" | "disk"> {
  env: Readonly<Record<string, string | undefined>>;
  disabled: Settings["lsp"]["disabled"];
  /** What is in the project's root. */
  names: readonly string[];
}

interface Entries {
  user: readonly ServerEntry[];
  project: readonly ServerEntry[];
  problems: readonly string[];
}

const projectFile = ".cinch/lsp.json";

/** Looks at what there is; `servers(true)` also has known ones that the project has no files for. */
export async function surveyOf(options: SurveyOptions) {
  const entries = await entriesOf(options);
  return { problems: entries.problems, servers: (all: boolean) => survey(options, entries, all) };
}

/** Of the two files, if they are there. */
async function entriesOf({ root, config, disk }: SurveyOptions): Promise<Entries> {
  const user = await entriesIn(disk, join(config, "lsp.json"), join(config, "lsp.json"));
  const project = await entriesIn(disk, join(root, projectFile), projectFile);
  return { user: user.entries, project: project.entries, problems: [...user.problems, ...project.problems] };
}

async function entriesIn(disk: Fs, file: string, shown: string): Promise<ReturnType<typeof readEntries>> {
  if (!disk.existsSync(file)) return { entries: [], problems: [] };
  let text: string;
  try {
    text = disk.readFileSync(file, "utf8");
  } catch (error) {
    const code = codeOf(error) ?? "unknown error";
    return { entries: [], problems: [`${shown} cannot be read (${code}); no server of it is used.`] };
  }
  const value = parseJson(text);
  if (value !== undefined) return readEntries(shown, value, knownServers);
  const { root, problems } = await locateText(text);
  const broken = problems.map((each) => `${shown}:${each.line}: ${each.text}.`);
  if (!root || broken.length > 0) return { entries: [], problems: broken };
  return readEntries(shown, plain(root), knownServers);
}

/** Every server there could be, in the order of preference. `all`: also known ones that the project has no files for. */
function survey(options: SurveyOptions, { user, project }: Entries, all: boolean): Surveyed[] {
  const wanted = wantedBy(options.names);
  const known = all ? knownServers : wanted;
  const own = (entry: ServerEntry, source: string) => surveyEntry(options, entry, source);
  return [
    ...user.flatMap((entry) => own(entry, "lsp.json")),
    ...project.flatMap((entry) => own(entry, projectFile)),
    ...known.flatMap((server) => surveyKnown(options, server, wanted.includes(server))),
  ];
}

function surveyEntry(options: SurveyOptions, entry: ServerEntry, source: string): Surveyed[] {
  const [program, ...args] = entry.command;
  const twin = knownServers.find(({ command }) => command[0] === program.slice(program.lastIndexOf("/") + 1));
  const plan = (found: string | undefined): ServerPlan => ({
    ...pick(twin),
    ...entry,
    ...amended("settings", twin, entry),
    ...amended("initializationOptions", twin, entry),
    ...{ source, argv: found === undefined ? [] : [found, ...args] },
  });
  const [found] = [...programs(options, program)].sort((a, b) => Number(a.inside) - Number(b.inside));
  if (!found) return [{ ...missing(plan(undefined), program), wanted: true }];
  const needsTrust = found.inside || source === projectFile || runsOf(options, twin).length > 0;
  return [{ ...judged(options, plan(found.path), needsTrust ? { program, server: twin, found } : null), wanted: true }];
}

function surveyKnown(options: SurveyOptions, server: KnownServer, wanted: boolean): Surveyed[] {
  const [program, ...args] = server.command;
  const { name, languages } = server;
  const plan = (argv: string[]): ServerPlan => ({ name, source: "built-in", languages, argv, ...pick(server) });
  const found = programs(options, program).filter(({ path }) => isPackage(options.disk, path, server.package));
  if (found.length === 0) return [{ ...missing(plan([]), program), wanted }];
  return found.map((each) => {
    const needsTrust = each.inside || server.runsProject !== undefined || runsOf(options, server).length > 0;
    const trust = needsTrust ? { program, server, found: each } : null;
    return { ...judged(options, plan([each.path, ...args]), trust), wanted };
  });
}

/** What is known of a program, however it is configured. */
function pick(server: KnownServer | undefined): Partial<ServerPlan> & Pick<ServerPlan, "marks"> {
  if (!server) return { marks: [] };
  const { marks, settings, initializationOptions, env, notices, runs } = server;
  return {
    marks,
    ...(settings === undefined ? {} : { settings }),
    ...(initializationOptions === undefined ? {} : { initializationOptions }),
    ...(env ? { env } : {}),
    ...(notices ? { notices } : {}),
    ...(runs ? { runs } : {}),
  };
}

/** What an entry says goes before what is known, section by section. */
function amended(key: "settings" | "initializationOptions", twin: KnownServer | undefined, entry: ServerEntry) {
  const [known, own] = [twin?.[key], entry[key]];
  return isObject(known) && isObject(own) ? { [key]: { ...known, ...own } } : {};
}

function missing(plan: ServerPlan, program: string): Omit<Surveyed, "wanted"> {
  return { plan, state: "missing", why: `${program} was not found`, resource: null };
}

interface Found {
  path: string;
  /** It lies in the project. */
  inside: boolean;
}

interface NeedsTrust {
  program: string;
  server: KnownServer | undefined;
  found: Found;
}

function judged(options: SurveyOptions, plan: ServerPlan, trust: NeedsTrust | null): Omit<Surveyed, "wanted"> {
  const { disabled, root } = options;
  if (disabled.includes(plan.name)) return { plan, state: "disabled", why: "lsp.disabled names it", resource: null };
  if (!trust) return { plan, state: "ready", why: "", resource: null };
  const { server, found } = trust;
  const runs = runsOf(options, server);
  const inProject = found.inside ? found.path.slice(root.length + 1) : null;
  const reasons = [
    ...(plan.source === projectFile ? ["the project names it"] : []),
    ...(inProject === null ? [] : ["its program lies in the project"]),
    ...(runs.length > 0 ? [`it runs ${runs[0]} of the project`] : []),
    ...(server?.runsProject === undefined ? [] : [server.runsProject]),
  ];
  const why = `${reasons.join(", ")}; \`cinch trust project\` shows and approves it`;
  const [text = "", ...args] = plan.argv;
  const files = [...runs, ...(inProject === null ? [] : manifestOf(options, found.path))];
  const { settings = null, initializationOptions = null } = plan;
  const resource: Resource = {
    kind: "language server",
    name: plan.name,
    source: plan.source === projectFile ? projectFile : (inProject ?? runs[0] ?? plan.name),
    entry: { argv: [...plan.argv], settings, initializationOptions },
    command: { text, args, files },
  };
  return { plan, state: "untrusted", why, resource };
}

/** The files of the project that a server would run. */
function runsOf({ disk, root }: SurveyOptions, server: KnownServer | undefined): string[] {
  return (server?.runs ?? []).filter((path) => disk.existsSync(join(root, path)));
}

/** The package.json that a program of the project belongs to: another version of the package is another program. */
function manifestOf({ disk, root }: SurveyOptions, program: string): string[] {
  const file = packageOf(disk, program);
  return file !== null && within(root, file) ? [file] : [];
}

function packageOf(disk: Fs, program: string): string | null {
  for (let at = dirname(disk.realpathSync(program)); at !== "/"; at = dirname(at)) {
    if (disk.existsSync(join(at, "package.json"))) return join(at, "package.json");
  }
  return null;
}

function isPackage(disk: Fs, program: string, wanted: KnownServer["package"]): boolean {
  if (!wanted) return true;
  const file = packageOf(disk, program);
  const found = file === null ? null : (parseJson(disk.readFileSync(file, "utf8")) as Record<string, unknown> | null);
  return found?.["name"] === wanted.name && Number.parseInt(String(found["version"]), 10) >= wanted.major;
}

/** Where a program is: in the project, then on PATH. */
function programs({ disk, root, env }: SurveyOptions, program: string): Found[] {
  const isThere = (path: string) => isProgram(disk, path);
  const found = (path: string): Found => ({ path, inside: within(root, canonical(disk, path)) || within(root, path) });
  if (program.includes("/")) {
    const path = join(program.startsWith("/") ? "/" : root, program);
    return isThere(path) ? [found(path)] : [];
  }
  const inside = join(root, "node_modules", ".bin", program);
  const places = [...[inside].filter(isThere), ...onPath(disk, env["PATH"] ?? "", program)];
  const all = [...new Set(places)].map(found);
  return [all.find((each) => each.inside), all.find((each) => !each.inside)].flatMap((each) => each ?? []);
}

function canonical(disk: Fs, path: string): string {
  return disk.realpathSync(path);
}
