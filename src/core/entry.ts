// A fact of a session, as written to its log (SPEC 2.5; the file format is session/FORMAT.md).
// Invariant: an entry never changes. `parent` makes the tree; only `prompt`, `model`, `message` and `compaction`
// make the path that requests are composed from, all others hang on the entry they concern.

import type { JsonObject } from "./json.js";
import type { Message } from "./message.js";
import type { Effect, FileChange } from "./plan.js";
import type { CallStatus } from "./tool.js";

export interface EntryData {
  header: {
    format: "cinch-session";
    project: string;
    root: string;
    created: string;
    /** Was copied from that session, or works on a task of it. */
    parentSession?: string;
    forkOf?: string;
    /** The task it works on, and as which agent. */
    task?: string;
    agent?: string;
  };
  prompt: { stable: string; context: string; tools: string[]; facts: JsonObject; cause: string };
  /** `fallbackFor`: the model of the session, which stayed unavailable; the next run asks it again. */
  model: { id: string; params: { maxOutput: number }; fallbackFor?: string };
  /** `context`: it tells what has changed since the context block, and is void with the next block. */
  message: Message & { request?: RequestMark; context?: true };
  approval: {
    call: string;
    digest: string;
    decision: "allow" | "deny";
    rule: string | null;
    by: string;
    reason?: string;
    via?: string;
  };
  intent: {
    call: string;
    tool: string;
    input: JsonObject;
    digest: string;
    paths: string[];
    effect: Effect;
    /** All files it is about to change: after a crash they tell whether it has. */
    files?: { path: string; before: string | null; after: string | null }[];
  };
  outcome: { call: string; tool: string; status: CallStatus; files: FileChange[]; exit?: number | null; key?: string };
  checkpoint: {
    call: string;
    /** Object with the state of every covered path, one `[path, mode, hash]` a line; `blobs` then say what differs. */
    tree?: string;
    /** `after`: what the call is about to leave there, where that is known before; its `mode` null = as before. */
    blobs: {
      path: string;
      before: string | null;
      mode: number | null;
      after?: { hash: string; mode: number | null } | null;
    }[];
    coverage: "full" | "partial";
  };
  compaction: { from: string; to: string; ledger: JsonObject; summary: string };
  claim: { path: string; owner: string; until: number | null };
  task: { id: string; change: JsonObject };
  label: { target: string; text: string | null };
  head: { target: string | null };
  state: { from: string; to: string; action: string | null; counts: JsonObject };
  note: { code: string; text: string; data?: JsonObject };
}

/** What was sent to get an assistant message: how many blocks, and the digest of their chain (prompt/prefix.ts). */
export interface RequestMark {
  blocks: number;
  digest: string;
}

export type EntryType = keyof EntryData;

export type Entry<Type extends EntryType = EntryType> = {
  [T in Type]: {
    v: 1;
    /** Line number in the file, from 0. */
    seq: number;
    /** 12 characters of Crockford base32. */
    id: string;
    parent: string | null;
    type: T;
    /** Milliseconds since the epoch. */
    time: number;
    data: EntryData[T];
  };
}[Type];

/** The types that make the path from the root to the head. */
export const pathTypes: readonly EntryType[] = ["prompt", "model", "message", "compaction"];

/** The newest entry of a type on `path`, or undefined. */
export function lastOf<Type extends EntryType>(path: readonly Entry[], type: Type): Entry<Type> | undefined {
  return path.findLast((entry) => entry.type === type) as Entry<Type> | undefined;
}
