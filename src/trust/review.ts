// What there is to trust in a project and what of it is trusted, for a person: states, differences, what is not covered.
// And the decision: what was shown is what gets approved; if it has changed meanwhile, nothing is.
// Invariant: reads only, except for `approve` and `revoke`; no program is started. Approved contents are kept in the user's
// state, so that a later difference can be shown.

import { relative } from "node:path";
import { UserError } from "../core/errors.js";
import { diffTexts } from "../lib/diff.js";
import type { Fs } from "../lib/fs.js";
import { createObjectStore, type ObjectStore } from "../lib/object-store.js";
import { differs, identityOf, untrustable } from "./identity.js";
import { type Approved, isApproved, type TrustFacts } from "./project.js";
import { coveredBytes, fingerprint, type Ground, type ResourceKind } from "./resource.js";
import { type Approval, keepRecord, recordOf, type TrustRecord } from "./store.js";
import { type Unused, unusedIn } from "./unused.js";

export interface TrustStatus {
  root: string;
  /** Whether a run here loads anything of the project without `--trust`. */
  trusted: boolean;
  /** ISO time of the decision; null = none is on record. */
  since: string | null;
  /** Why a record does not count or none can be made, a sentence each. */
  problems: string[];
  /** Files that speak to the model once the project is trusted. */
  instructions: string[];
  resources: TrustedResource[];
  /** What else lies there for agents and is not loaded by this version, trusted or not. */
  not_loaded: Unused[];
}

export interface TrustedResource {
  kind: ResourceKind;
  name: string;
  /** `file:line`. */
  source: string;
  state: "approved" | "new" | "changed";
  /** Fingerprint of what is there now. */
  hash: string;
  program: string | null;
  /** Files of the project whose content the fingerprint covers. */
  files: string[];
  /** What it depends on and the fingerprint does not cover. */
  not_covered: string[];
  /** Scripts of manifests that it runs, `name: text` each. */
  scripts: string[];
  /** Why it is never run, whatever is approved; null = it may be. */
  refused: string | null;
  /** What changed since it was approved, "" = nothing. */
  diff: string;
}

export interface ReviewFacts extends Pick<TrustFacts, "root" | "home" | "file" | "path" | "speakers" | "resources"> {
  disk: Fs;
  /** Where approved contents are kept. */
  kept: string;
}

export async function review(facts: ReviewFacts): Promise<TrustStatus> {
  const { root, speakers, disk } = facts;
  const { record, problems } = onRecord(facts);
  const store = createObjectStore(disk, facts.kept);
  const resources = looked(facts).map((each) => described(each, record, { ground: facts, store }));
  return {
    root,
    trusted: record !== null,
    since: record?.since ?? null,
    problems,
    instructions: speakers.map((path) => relative(root, path)),
    resources: await Promise.all(resources),
    not_loaded: unusedIn(disk, root),
  };
}

/** Records trust in exactly what `shown` says. Returns what the user should know, or null. */
export async function approve(facts: ReviewFacts, shown: TrustStatus, now: number): Promise<string | null> {
  const { disk, root, home, file } = facts;
  const identity = identityOf(disk, root);
  const why = untrustable(root, home, identity);
  if (why || !identity) throw new UserError(`Not trusted: ${why}.`, "--trust lets it speak for one run.", 1);
  const now_ = looked(facts);
  const same = now_.every((each, at) => each.fingerprint.hash === shown.resources[at]?.hash);
  if (!same || now_.length !== shown.resources.length) throw changedMeanwhile();
  const store = createObjectStore(disk, facts.kept);
  for (const { path, hash } of now_.flatMap((each) => each.fingerprint.files)) {
    const bytes = coveredBytes(facts, path);
    if (!bytes || store.put(bytes) !== hash) throw changedMeanwhile();
  }
  await store.flush();
  const allowed = now_.filter((each) => each.fingerprint.refused === null);
  const resources = allowed.map(
    ({ resource: { kind, name, entry }, fingerprint: { hash, program, files } }): Approval => {
      return { kind, name, entry, hash, program, files };
    },
  );
  return keepRecord({ disk, file, now }, root, { ...identity, since: new Date(now).toISOString(), resources });
}

function changedMeanwhile(): UserError {
  return new UserError("The project changed while it was looked at. Nothing was trusted.", "Look at it again.", 1);
}

/** False when nothing was on record. */
export async function revoke({ disk, file, root }: ReviewFacts, now: number): Promise<boolean> {
  const { record, fault } = recordOf({ disk, file }, root);
  if (fault) throw new UserError(fault, "Mend or remove the file; nothing is trusted until then.", 1);
  if (!record) return false;
  await keepRecord({ disk, file, now }, root, null);
  return true;
}

function onRecord({ disk, file, root, home }: ReviewFacts): { record: TrustRecord | null; problems: string[] } {
  const { record, fault } = recordOf({ disk, file }, root);
  const identity = identityOf(disk, root);
  const never = untrustable(root, home, identity);
  const why = never ?? (record && identity ? differs(record, identity) : null);
  const problems = [
    ...(fault ? [fault] : []),
    ...(why ? [`${record ? "The record does not count: " : ""}${why}.`] : []),
  ];
  return { record: record && !why ? record : null, problems };
}

function looked({ resources, ...ground }: ReviewFacts): Approved[] {
  return resources.map((resource) => ({ resource, fingerprint: fingerprint(resource, ground) }));
}

async function described(
  looked: Approved,
  record: TrustRecord | null,
  at: { ground: Ground; store: ObjectStore },
): Promise<TrustedResource> {
  const { kind, name, source } = looked.resource;
  const { hash, program, files, uncovered, scripts, refused } = looked.fingerprint;
  const approved = refused === null && record !== null && isApproved(looked, record);
  const before = approved ? undefined : record?.resources.find((each) => each.kind === kind && each.name === name);
  const state = approved ? "approved" : before ? "changed" : "new";
  return {
    ...{ kind, name, source, state, hash, program },
    files: files.map(({ path }) => path),
    not_covered: [...uncovered],
    scripts: [...scripts],
    refused,
    diff: before ? await difference(before, looked, at) : "",
  };
}

async function difference(
  before: Approval,
  { resource, fingerprint: now }: Approved,
  { ground, store }: { ground: Ground; store: ObjectStore },
): Promise<string> {
  const parts: string[] = [];
  const compare = async (name: string, old: string, present: string) => {
    const { text } = await diffTexts(old, present, 3);
    if (text !== "") parts.push(`--- ${name}, as approved\n+++ ${name}\n${text.trimEnd()}`);
  };
  await compare(resource.source, lines(before.entry), lines(resource.entry));
  await compare("program", `${before.program}\n`, `${now.program}\n`);
  const paths = new Set([...before.files, ...now.files].map(({ path }) => path));
  for (const path of paths) {
    const old = before.files.find((file) => file.path === path)?.hash;
    if (old === now.files.find((file) => file.path === path)?.hash) continue;
    const kept = old === undefined ? Buffer.alloc(0) : store.get(old);
    const present = coveredBytes(ground, path) ?? Buffer.alloc(0);
    if (kept && !kept.includes(0) && !present.includes(0)) await compare(path, String(kept), String(present));
    else parts.push(`${path} changed; ${kept ? "it is not text" : "its approved content is not kept any more"}`);
  }
  return parts.join("\n");
}

function lines(entry: Approval["entry"]): string {
  return `${JSON.stringify(entry, null, 2)}\n`;
}
