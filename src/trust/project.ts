// Whether this project may speak to the model, and what of it may run (SPEC 1.15).
// Invariant: an untrusted project is another type: it has the names of what was left out and no content at all, so a
// forgotten check cannot compile. Trust comes from the flag, the process environment or the user's record, never from a
// project file; a resource that runs is one whose fingerprint its user has approved.

import { relative } from "node:path";
import type { Fs } from "../lib/fs.js";
import { differs, identityOf, untrustable } from "./identity.js";
import { readInstruction } from "./instruction.js";
import { type Fingerprint, fingerprint, type Resource } from "./resource.js";
import { recordOf, type TrustRecord } from "./store.js";

export interface UntrustedProject {
  trust: "untrusted" | "none";
  /** Of what a trusted project would have had loaded: paths relative to the root, names of resources. */
  ignored: readonly string[];
  /** What the user should know, a sentence each. */
  remarks: readonly string[];
}

export interface TrustedProject {
  trust: "trusted";
  /** From the root down to the working directory, nearest last. */
  instructions: readonly InstructionFile[];
  /** What may run, and only while its fingerprint stays what it is here. */
  approved: readonly Approved[];
  /** Names of resources that are new or have changed since they were approved. */
  ignored: readonly string[];
  remarks: readonly string[];
}

export interface InstructionFile {
  /** Relative to the project root. */
  name: string;
  text: string;
}

export interface Approved {
  resource: Resource;
  fingerprint: Fingerprint;
}

export interface TrustFacts {
  root: string;
  /** The user's home directory, canonical. */
  home: string;
  /** `trust.json`. */
  file: string;
  /** Where programs are looked for. */
  path: string | undefined;
  /** `--trust` or the SDK's option. */
  flag: boolean;
  /** `CINCH_TRUST_PROJECT` of the process environment. */
  variable: string | undefined;
  /** Bytes kept of one instruction file. */
  maxBytes: number;
  /** What of the project wants to speak. */
  speakers: readonly string[];
  /** Is the content of this canonical path not to be shown? Asked where a name is a link. */
  withheld?: (path: string) => boolean;
  /** What the project's settings would run. */
  resources: readonly Resource[];
}

export function lookAtProject(disk: Fs, facts: TrustFacts): TrustedProject | UntrustedProject {
  const { speakers } = facts;
  const found = [...speakers.map((path) => relative(facts.root, path)), ...facts.resources.map(resourceName)];
  const { record, remarks } = decisionOf(disk, facts);
  if (record === null) return { trust: found.length > 0 ? "untrusted" : "none", ignored: found, remarks };
  const ground = { disk, root: facts.root, path: facts.path };
  const looked = facts.resources.map((resource) => ({ resource, fingerprint: fingerprint(resource, ground) }));
  const refused = looked.filter(({ fingerprint: { refused } }) => refused !== null);
  const approved = looked.filter((each) => !refused.includes(each) && (record === "all" || isApproved(each, record)));
  const ignored = looked.filter((each) => !approved.includes(each)).map(({ resource }) => resourceName(resource));
  const read = speakers.map((path) => heard(disk, path, facts));
  return {
    trust: "trusted",
    instructions: read.flatMap(({ file }) => file ?? []),
    approved,
    ignored,
    remarks: [
      ...remarks,
      ...read.flatMap(({ remark }) => remark ?? []),
      ...waiting(ignored.filter((name) => !refused.some(({ resource }) => resourceName(resource) === name))),
      ...refused.map(({ resource, fingerprint }) => `Not loaded: ${resourceName(resource)}: ${fingerprint.refused}.`),
    ],
  };
}

/** How a resource is called where several kinds are listed. */
function resourceName({ kind, name }: Resource): string {
  return `${kind} ${name}`;
}

export function isApproved({ resource, fingerprint: { hash } }: Approved, { resources }: TrustRecord): boolean {
  return resources.some((each) => each.kind === resource.kind && each.name === resource.name && each.hash === hash);
}

/** What was decided about this project, as far as it counts. `all`: everything, for this run. */
function decisionOf(disk: Fs, facts: TrustFacts): { record: TrustRecord | "all" | null; remarks: string[] } {
  if (facts.variable === "0") return { record: null, remarks: [] };
  if (facts.variable === "1" || facts.flag) return { record: "all", remarks: [] };
  const { root, home, file } = facts;
  const { record, fault } = recordOf({ disk, file }, root);
  if (fault) return { record: null, remarks: [fault] };
  if (!record) return { record: null, remarks: [] };
  const now = identityOf(disk, root);
  const why = untrustable(root, home, now) ?? (now && differs(record, now));
  const void_ = `The trust on record for ${root} does not count: ${why}. \`cinch trust project\` looks at it anew.`;
  return why ? { record: null, remarks: [void_] } : { record, remarks: [] };
}

function waiting(ignored: readonly string[]): string[] {
  if (ignored.length === 0) return [];
  const list = ignored.join(", ");
  return [
    `Not loaded, because new or changed since you trusted this project: ${list}. \`cinch trust project\` shows and approves it.`,
  ];
}

function heard(
  disk: Fs,
  path: string,
  { root, maxBytes, withheld }: TrustFacts,
): { file?: InstructionFile; remark?: string } {
  const name = relative(root, path);
  if (!inside(disk, path, root)) return { remark: `${name} was left out: it leads out of the project.` };
  if (withheld?.(disk.realpathSync(path)))
    return { remark: `${name} was left out: it leads to a file whose content is withheld.` };
  const read = readInstruction(disk, path, maxBytes);
  if (!read) return { remark: `${name} was left out: it cannot be read.` };
  const remark = read.odd === null ? {} : { remark: `${name} ${read.odd}.` };
  return read.text === null ? remark : { ...remark, file: { name, text: read.text } };
}

/** A link out of the project would make any file of the user's an instruction. */
function inside(disk: Fs, path: string, root: string): boolean {
  try {
    return !relative(root, disk.realpathSync(path)).startsWith("..");
  } catch {
    return false;
  }
}
