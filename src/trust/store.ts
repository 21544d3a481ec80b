// The record of what was trusted: one file in the user's configuration, never in a project.
// Invariant: whatever is wrong with the file, the answer is "nothing is trusted" and a sentence that says why; a damaged
// file is kept aside when the next decision is written. Two processes that decide at once both count (lib/kept-file.ts).

import type { Json, JsonObject } from "../core/json.js";
import type { Fs } from "../lib/fs.js";
import { isObject, parseJson } from "../lib/json.js";
import { changeKept, putAside, readKept } from "../lib/kept-file.js";
import type { Identity } from "./identity.js";
import type { Fingerprint, ResourceKind } from "./resource.js";

/** A resource as its user has seen and approved it. */
export interface Approval extends Pick<Fingerprint, "hash" | "program" | "files"> {
  kind: ResourceKind;
  name: string;
  entry: Json;
}

export interface TrustRecord extends Identity {
  /** ISO time of the last decision. */
  since: string;
  resources: readonly Approval[];
}

export interface StoreOptions {
  disk: Fs;
  file: string;
}

/** What the file says about `root`; never throws. */
export function recordOf({ disk, file }: StoreOptions, root: string): { record?: TrustRecord; fault?: string } {
  const { text, fault } = readKept(disk, file);
  if (fault) return { fault: `${fault} No project is trusted.` };
  const projects = text === "" ? {} : parse(text);
  if (!projects) return { fault: `${file} is damaged; no project is trusted. \`cinch trust project\` puts it aside.` };
  const record = Object.hasOwn(projects, root) ? projects[root] : undefined;
  return record ? { record } : {};
}

/** Sets or, with null, removes the record of `root`. Returns what the user should know, or null. */
export async function keepRecord(
  { disk, file, now }: StoreOptions & { now: number },
  root: string,
  record: TrustRecord | null,
): Promise<string | null> {
  let told: string | null = null;
  await changeKept(disk, file, (text) => {
    const known = text === "" ? {} : parse(text);
    if (!known) told = `${file} was damaged; it was put aside as ${putAside(disk, file, now)}.`;
    const { [root]: _old, ...others } = known ?? {};
    const projects = record ? { ...others, [root]: record } : others;
    return `${JSON.stringify({ v: 1, projects }, null, 2)}\n`;
  });
  return told;
}

function parse(text: string): Record<string, TrustRecord> | null {
  const value = parseJson(text);
  if (!isObject(value) || value["v"] !== 1 || !isObject(value["projects"])) return null;
  const projects = value["projects"];
  return Object.values(projects).every(isRecord) ? (projects as unknown as Record<string, TrustRecord>) : null;
}

function isRecord(value: Json | undefined): boolean {
  if (!isObject(value) || !Array.isArray(value["resources"])) return false;
  const { device, inode, owner, born, since } = value;
  return areTexts(device, inode, born, since) && typeof owner === "number" && value["resources"].every(isApproval);
}

function isApproval(value: Json): boolean {
  if (!isObject(value)) return false;
  const { kind, name, hash, program, files, entry } = value;
  const known = areTexts(kind, name, hash) && (program === null || areTexts(program)) && entry !== undefined;
  return known && Array.isArray(files) && files.every((file) => isObject(file) && isFile(file));
}

function isFile({ path, hash }: JsonObject): boolean {
  return areTexts(path, hash);
}

function areTexts(...values: (Json | undefined)[]): boolean {
  return values.every((value) => typeof value === "string");
}
