// From settings to what trust is asked about, and back: what a project's files would run, as resources with names.

import { homedir } from "node:os";
import { join } from "node:path";
import type { Loaded } from "../config/load.js";
import type { WrittenRule } from "../core/policy.js";
import type { TrustedProject, TrustFacts, UntrustedProject } from "../trust/project.js";
import type { Resource } from "../trust/resource.js";
import type { HarnessOptions } from "./api.js";
import type { Place } from "./place.js";

/** What of the project would run, or let something run. */
export function resourcesOf({ offered }: Pick<Loaded, "offered">): Resource[] {
  return offered.map(
    ({ text, source }): Resource => ({ kind: "allow rule", name: text, source, entry: { allow: text } }),
  );
}

export function approvedRules(
  project: TrustedProject | UntrustedProject,
  offered: readonly WrittenRule[],
): readonly WrittenRule[] {
  if (project.trust !== "trusted") return [];
  const names = project.approved.flatMap(({ resource }) => (resource.kind === "allow rule" ? resource.name : []));
  return offered.filter(({ text }) => names.includes(text));
}

/** Where trust is looked up, and what the run itself says about it. */
export function trustPlace(
  { root, config, disk }: Place,
  { env = process.env, trust = false }: HarnessOptions,
): Pick<TrustFacts, "root" | "home" | "file" | "path" | "flag" | "variable"> {
  const home = homedir();
  return {
    root,
    home: disk.existsSync(home) ? disk.realpathSync(home) : home,
    file: join(config, "trust.json"),
    path: env["PATH"],
    flag: trust,
    variable: env["CINCH_TRUST_PROJECT"],
  };
}
