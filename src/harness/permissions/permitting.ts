// The rules that stand for the project of a harness, what a command would need, and taking kept answers back; between
// sessions and during one. Needs no model and starts nothing.

import { UserError } from "../../core/errors.js";
import { lookAtProject } from "../../trust/project.js";
import type { ExplainedCommand, HarnessOptions, PermissionRules, RuleListing } from "../api/index.js";
import { placeOf } from "../place.js";
import { settingsOf } from "../surroundings.js";
import { approvedRules, resourcesOf, trustPlace } from "../trust/resources.js";
import { explain } from "./explaining.js";
import { type RulesPlace, revokeRule, standingRules } from "./standing-rules.js";

export class Permitting implements PermissionRules {
  readonly #options: HarnessOptions;

  constructor(options: HarnessOptions) {
    this.#options = options;
  }

  async list(): Promise<RuleListing> {
    const { place, mode, remarks } = await this.#standing();
    const rules = await standingRules(place);
    return { mode, rules, remarks };
  }

  async explain(command: string): Promise<ExplainedCommand> {
    const { place, mode, settings, remarks } = await this.#standing();
    const { addDirs = [], env = process.env } = this.#options;
    const { cwd, config } = placeOf(this.#options);
    const here = { mode: mode.value, profile: settings.tools.profile, sandbox: settings.sandbox.mode };
    const { analysis, parts, decision, where } = await explain(
      { ...place, ...here, cwd, config, addDirs, env },
      command,
    );
    const { verdict, rule, source } = decision;
    return {
      ...analysis,
      parts,
      mode: mode.value,
      decision: { verdict, rule, source },
      remarks,
      ...(where ? { where } : {}),
    };
  }

  async revoke(rule: string): Promise<void> {
    const { place } = await this.#standing();
    if (await revokeRule(place, rule)) return;
    const rules = await standingRules(place);
    const written = rules.find(({ text, state }) => text === rule && state !== "kept");
    const kept = rules.filter(({ state }) => state === "kept").map(({ text }) => text);
    const there = kept.length === 0 ? "There are none in this project." : `There are: ${kept.join(", ")}.`;
    const fix = written ? `It is written in ${written.source}; take it out there.` : there;
    throw new UserError(`No answer that was kept is ${JSON.stringify(rule)}. Nothing was changed.`, fix, 1);
  }

  /** What the settings say, and what of it counts: of the project's own rules, those that its user has approved. */
  async #standing() {
    const place = placeOf(this.#options);
    const loaded = await settingsOf(place, this.#options);
    const { settings, sources, problems, offered } = loaded;
    const ground = { ...trustPlace(place, this.#options), disk: place.disk };
    const resources = await resourcesOf({ ...loaded, hooks: [], offeredHooks: [] }, ground, []);
    const facts = { ...ground, maxBytes: 0, speakers: [], resources };
    const approved = approvedRules(lookAtProject(place.disk, facts), offered);
    const remarks = problems.map(({ text }) => text);
    const standing: RulesPlace = {
      ...place,
      rules: [...loaded.rules, ...approved],
      offered: offered.filter((rule) => !approved.includes(rule)),
      tell: (text) => remarks.push(text),
    };
    const mode = { value: settings.permissions.mode, source: sources["permissions.mode"] ?? "default" };
    return { place: standing, mode, settings, remarks };
  }
}
