// Where a harness finds itself: directories, project, settings, trust. Read once, before its first session.
// Invariant: reads only; nothing is written and nothing is started here.

import { join } from "node:path";
import { loadSettings, refuse } from "../config/load.js";
import type { Settings } from "../config/schema.js";
import type { Model } from "../core/model.js";
import type { WrittenRule } from "../core/policy.js";
import { providerNames } from "../models/open.js";
import type { ContextFacts } from "../prompt/context.js";
import { lookAtProject, readInstruction, type TrustedProject, type UntrustedProject } from "../trust/project.js";
import { answerInstruction } from "./answer.js";
import type { HarnessOptions } from "./api.js";
import { loadRuleCheck } from "./permissions.js";
import { type Place, placeOf } from "./place.js";
import { Supervision } from "./supervision.js";

/** What every session of one harness shares. */
export interface Surroundings extends Place {
  options: HarnessOptions;
  env: Readonly<Record<string, string | undefined>>;
  settings: Settings;
  /** The rules that count, strongest level first. */
  rules: readonly WrittenRule[];
  project: TrustedProject | UntrustedProject;
  /** Everything that is started ends with this harness. */
  supervision: Supervision;
  /** Said once, when the first session opens. */
  notices: readonly string[];
}

export async function look(options: HarnessOptions): Promise<Surroundings> {
  const env = options.env ?? process.env;
  const place = placeOf(options);
  const { root, cwd, disk, config } = place;
  const { settings, problems, rules, offered } = await loadSettings({
    disk,
    configDir: config,
    projectRoot: root,
    flags: options.settings,
    settingsFile: options.settingsFile,
    providers: providerNames(),
    rules: () => loadRuleCheck(root, options.tools),
  });
  const warnings = refuse(problems, false);
  const project = lookAtProject(disk, {
    root,
    cwd,
    flag: options.trust ?? false,
    variable: env["CINCH_TRUST_PROJECT"],
    maxBytes: settings.context.maxBytes,
  });
  const approved = project.trust === "trusted" ? offered : [];
  const notices = [
    ...warnings.map(({ text }) => text),
    ...oddTrust(env["CINCH_TRUST_PROJECT"]),
    ...(approved === offered ? [] : waiting(offered)),
  ];
  const supervision = new Supervision(place.disk, join(place.state, "running"));
  return { ...place, options, env, settings, rules: [...rules, ...approved], project, supervision, notices };
}

function waiting(offered: readonly WrittenRule[]): string[] {
  if (offered.length === 0) return [];
  const texts = offered.map(({ text }) => text).join(", ");
  return [
    `Allow rules of the project do not count, because it is not trusted: ${texts}. --trust lets them, for this run.`,
  ];
}

function oddTrust(variable: string | undefined): string[] {
  if (variable === undefined || variable === "" || variable === "0" || variable === "1") return [];
  return [`CINCH_TRUST_PROJECT is ${JSON.stringify(variable)} and counts as not set; it may be 1 or 0.`];
}

/** What the model is told about all this, as of now. */
export function contextFacts(at: Surroundings, model: Model): Omit<ContextFacts, "claims"> {
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
