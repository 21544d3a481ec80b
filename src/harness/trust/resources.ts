// From settings to what trust is asked about, and back: what a project's files would run, as resources with names.

import { homedir } from "node:os";
import { join } from "node:path";
import type { Loaded } from "../../config/load.js";
import { hookName, type WrittenHook } from "../../core/hook.js";
import type { WrittenRule } from "../../core/policy.js";
import type { ApprovedCopy, HookCommand } from "../../trust/approved-copy.js";
import type { TrustedProject, TrustFacts, UntrustedProject } from "../../trust/project.js";
import type { Ground, Resource } from "../../trust/resource.js";
import type { ProjectFile } from "../agents/project-files.js";
import type { HarnessOptions } from "../api/index.js";
import { loadApprovedCopy, loadTrust } from "../lazy.js";
import type { Place } from "../place.js";

/**
 * What of the project would run, or let something run. A hook of the user's is one if it runs a file of the project.
 * `files`: its agents and formations.
 */
export async function resourcesOf(
  { offered, hooks, offeredHooks }: Loaded,
  ground: Ground,
  files: readonly ProjectFile[],
): Promise<Resource[]> {
  const rules = offered.map(({ text, source }): Resource => {
    return { kind: "allow rule", name: text, source, entry: { allow: text } };
  });
  const own = hooks.map(hookResource);
  const fingerprint = own.length === 0 ? undefined : (await loadTrust()).fingerprint;
  const mixed = own.filter((resource) => fingerprint && fingerprint(resource, ground).files.length > 0);
  return [...rules, ...offeredHooks.map(hookResource), ...mixed, ...files.map(fileResource)];
}

function fileResource({ kind, file }: ProjectFile): Resource {
  return { kind, name: file, source: file, entry: { file }, file };
}

function hookResource(hook: WrittenHook): Resource {
  const { level, source, command, args, ...rest } = hook;
  const entry = { ...rest, level, command, args: [...(args ?? [])] };
  // A command of the user's own is the user's word; one of the project's is what it runs.
  const manifests = level === "project";
  return {
    kind: "hook",
    name: hookName(hook),
    source,
    entry,
    command: args ? { text: command, args, manifests } : { text: command, manifests },
  };
}

/** A hook that may run, and whether it still is what was approved. */
export interface LiveHook {
  hook: WrittenHook;
  isSame(): boolean;
  /** What is run in its place. @throws Error when what was approved is not to be had */
  approved(): ApprovedCopy;
}

/** Everything but what waits for an approval. */
export async function liveHooks(
  project: TrustedProject | UntrustedProject,
  { hooks, offeredHooks }: Loaded,
  { resources, ground, kept }: { resources: readonly Resource[]; ground: Ground; kept: string },
): Promise<LiveHook[]> {
  const all = [...hooks, ...offeredHooks];
  if (all.length === 0) return [];
  const [{ fingerprint }, { approvedCopy }] = await Promise.all([loadTrust(), loadApprovedCopy()]);
  const approved = project.trust === "trusted" ? project.approved : [];
  return all.flatMap((hook): LiveHook[] => {
    const resource = hookResource(hook);
    const same = (other: Resource) =>
      other.kind === "hook" && other.name === resource.name && other.source === resource.source;
    const known = approved.find((each) => same(each.resource));
    if (!known) return resources.some(same) ? [] : [plain(hook)];
    const { hash } = known.fingerprint;
    const isSame = () => fingerprint(resource, ground).hash === hash;
    return [{ hook, isSame, approved: () => approvedCopy(commandOf(hook), known.fingerprint, { ...ground, kept }) }];
  });
}

/** Of the user's own: nothing about it was to be approved. */
function plain(hook: WrittenHook): LiveHook {
  return { hook, isSame: () => true, approved: () => ({ ...commandOf(hook), directory: null }) };
}

function commandOf({ command, args }: WrittenHook): HookCommand {
  return args ? { command, args } : { command };
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
