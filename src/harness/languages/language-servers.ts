// The language servers of a harness, as far as they are known without being loaded: which there could be, which of them may
// run, and whether the model is told of the tools at all. What speaks with them is loaded with the first call.
// Invariant: idle it is a list of names; a server starts when a tool needs it, and ends with the harness.

import { join } from "node:path";
import { codeOf } from "../../core/errors.js";
import type { LanguageStatus, ServerStatus } from "../../core/lsp.js";
import { isProgram, onPath } from "../../lib/on-path.js";
import type { Candidate } from "../../lsp/choose.js";
import { programsFor } from "../../lsp/signs.js";
import type { Approved, TrustedProject, UntrustedProject } from "../../trust/project.js";
import type { Fingerprint, Ground, Resource } from "../../trust/resource.js";
import { loadLanguages, loadSurvey, loadTrust } from "../lazy.js";
import type { Supervision } from "../shell/supervision.js";
import type { Languages } from "./languages.js";
import type { Surveyed, SurveyOptions, surveyOf } from "./server-survey.js";

export interface LanguageServersOptions extends Omit<SurveyOptions, "names"> {
  /** What paths are relative to; in the root. */
  cwd: string;
  addDirs: readonly string[];
  /** Names of variables that servers get beside the usual ones. */
  passed: readonly string[];
  ground: Ground;
}

type Survey = Awaited<ReturnType<typeof surveyOf>>;

export class LanguageServers {
  /** Of the project, to be trusted before they run. */
  readonly resources: readonly Resource[];
  readonly problems: readonly string[];
  readonly #options: LanguageServersOptions;
  readonly #survey: Survey | undefined;
  readonly #wanted: readonly Surveyed[];
  #approved: readonly Approved[] = [];
  #fingerprint: ((resource: Resource, ground: Ground) => Fingerprint) | undefined;
  #all: readonly Surveyed[] | undefined;
  #languages: Promise<Languages> | undefined;
  #live: Languages | undefined;

  private constructor(options: LanguageServersOptions, survey: Survey | undefined) {
    this.#options = options;
    this.#survey = survey;
    this.problems = survey?.problems ?? [];
    this.#wanted = survey?.servers(false) ?? [];
    this.resources = this.#wanted.filter((each, at) => isOffered(each, this.#wanted.slice(0, at))).flatMap(resourceOf);
  }

  /** `closely`: also where a glance says that nothing is there. */
  static async look(options: LanguageServersOptions, closely = false): Promise<LanguageServers> {
    if (options.disabled.includes("*")) return new LanguageServers(options, undefined);
    const names = namesIn(options.disk, options.root);
    const looks = closely || mayHave(options, names);
    return new LanguageServers(options, looks ? await (await loadSurvey()).surveyOf({ ...options, names }) : undefined);
  }

  /** For whoever works where these do not. */
  none(): LanguageServers {
    return new LanguageServers(this.#options, undefined);
  }

  /** What trust says about it. */
  async decide(project: TrustedProject | UntrustedProject): Promise<void> {
    if (this.resources.length === 0 || project.trust !== "trusted") return;
    this.#approved = project.approved.filter(({ resource }) => resource.kind === "language server");
    this.#fingerprint = (await loadTrust()).fingerprint;
  }

  /** `configured`: the user or a trusted project named one that can run. `known`: there is one for this project. */
  get offer(): "configured" | "known" | "none" {
    const ready = this.#wanted.filter((each) => this.#now(each).state === "ready");
    if (ready.some(({ plan }) => plan.source !== "built-in")) return "configured";
    return ready.length > 0 ? "known" : "none";
  }

  /** Everything there could be, as of now. */
  candidates(): Candidate[] {
    this.#all ??= this.#survey?.servers(true) ?? [];
    return this.#all.map((each) => this.#now(each));
  }

  /** An approval counts while what was approved is still there. */
  #now({ plan, state, why, resource }: Surveyed): Candidate {
    const same =
      resource &&
      this.#approved.find(({ resource: { name, source } }) => {
        return name === resource.name && source === resource.source;
      });
    if (!resource || !same || !this.#fingerprint) return { plan, state, why };
    return { plan, state: "ready", why: "" };
  }

  /** Why a server that was approved must not start after all, or null. */
  changed(name: string): string | null {
    const approved = this.#approved.filter(({ resource }) => resource.name === name);
    const now = approved.every(({ resource, fingerprint: { hash } }) => {
      return this.#fingerprint?.(resource, this.#options.ground).hash === hash;
    });
    return now ? null : "it has changed since it was approved; `cinch trust project` shows and approves it";
  }

  /** What speaks with them; loaded here. */
  open(supervision: Supervision): Promise<Languages> {
    this.#languages ??= this.#load(supervision);
    return this.#languages;
  }

  async #load(supervision: Supervision): Promise<Languages> {
    const { Languages } = await loadLanguages();
    const languages = new Languages({ ...this.#options, servers: this, supervision });
    this.#live = languages;
    return languages;
  }

  /** Undefined while none was ever needed. */
  get live(): Languages | undefined {
    return this.#live;
  }

  status(): LanguageStatus {
    const isWanted = (candidate: Candidate) =>
      this.#wanted.some(({ plan, wanted }) => wanted && plan.name === candidate.plan.name);
    const servers = this.candidates().map((each) => this.#statusOf(each, isWanted(each)));
    return { servers: servers.filter((each, at) => isShown(each, servers.slice(0, at))), problems: this.problems };
  }

  #statusOf({ plan, state, why }: Candidate, wanted: boolean): ServerStatus {
    const { name, source, languages, argv } = plan;
    const running = this.#live?.running(plan) ?? [];
    const failed = this.#live?.fault(plan);
    const now = running.length > 0 ? "running" : failed !== undefined ? "failed" : state;
    return {
      ...{ name, source, wanted, roots: running, state: now, why: failed ?? why },
      extensions: Object.keys(languages),
      command: argv,
    };
  }

  async close(): Promise<void> {
    const languages = await this.#languages;
    this.#languages = undefined;
    this.#live = undefined;
    await languages?.close();
  }
}

/** None of a directory that may not be listed: it shows no language. */
function namesIn(disk: SurveyOptions["disk"], root: string): string[] {
  try {
    return disk.readdirSync(root);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return [];
  }
}

/** A glance: is there an lsp.json, or a program for the files of the project? */
function mayHave({ disk, root, config, env }: LanguageServersOptions, names: readonly string[]): boolean {
  const isThere = (path: string) => disk.existsSync(path);
  if (isThere(join(config, "lsp.json")) || isThere(join(root, ".cinch", "lsp.json"))) return true;
  const own = join(root, "node_modules", ".bin");
  return programsFor(names).some(
    (program) => isProgram(disk, join(own, program)) || onPath(disk, env["PATH"] ?? "", program).length > 0,
  );
}

/** Trust is asked about a server only if nothing before it serves the same files. */
function isOffered({ plan, wanted, resource }: Surveyed, before: readonly Surveyed[]): boolean {
  if (!resource || !wanted) return false;
  const serves = Object.keys(plan.languages);
  return !before.some((each) => {
    const usable = each.state === "ready" || (each.resource !== null && each.wanted);
    return usable && serves.some((extension) => Object.hasOwn(each.plan.languages, extension));
  });
}

function resourceOf({ resource }: Surveyed): Resource[] {
  return resource ? [resource] : [];
}

/** A known server that is nowhere and that nothing here is for would only be noise; of two places one is enough. */
function isShown(status: ServerStatus, before: readonly ServerStatus[]): boolean {
  if (status.state === "missing" && !status.wanted) return false;
  return !before.some(
    ({ name, source, state }) => name === status.name && source === status.source && state === "ready",
  );
}
