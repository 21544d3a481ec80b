// What the harness knows of a conversation without asking a model: read off the entries, so that nothing in it can be
// made up or forgotten. Pure.
//
//   said      what the user said: goal, constraints, corrections (pinned.ts)
//   files     every file that was changed, with the hash it has now
//   denied    calls that were not allowed, with what the user had to say
//   failed    calls that failed and never succeeded since, each once
//   open      tasks that have not ended, and a message of the user that has no answer yet
//
// Invariant: bounded. Of files, denials and failures the newest are listed, and the rest is counted.

import { conversationOf, type Said } from "../core/conversation.js";
import type { Entry } from "../core/entry.js";
import { type CallPart, callsOf, type ResultPart, textOf } from "../core/message.js";
import { isDirectoryChange } from "../core/plan.js";
import { canonical } from "../lib/json.js";
import { printable, shownPath } from "../lib/paths.js";
import { cutLine } from "../lib/truncate.js";
import { type Pinned, partPinned, pinnedTexts } from "./pinned.js";

export interface Sources {
  /** The active path. */
  path: readonly Entry[];
  /** Everything of these types that hangs on it, oldest first. */
  outcomes: readonly Entry<"outcome">[];
  tasks: readonly Entry<"task">[];
  /** Project root; paths below it are shown relative. */
  root: string;
}

/** A bounded list, newest last, and how many older ones are left out. */
export interface Listed<Item> {
  items: readonly Item[];
  more: number;
}

export interface Trouble {
  call: string;
  says: string;
  times: number;
}

export interface Ledger {
  said: Pinned;
  /** `hash`: sha256, or null for a file that is gone. */
  files: Listed<{ path: string; hash: string | null }>;
  denied: Listed<Trouble>;
  failed: Listed<Trouble>;
  open: readonly string[];
}

const most = { files: 60, denied: 10, failed: 12 } as const;

/** `tail`: what stays verbatim. `tokens`: how much of the user's texts is repeated. */
export function ledgerOf(sources: Sources, tail: readonly Said[], tokens: number): Ledger {
  const all = saidOn(sources.path);
  const staying = new Set(tail.map(({ id }) => id));
  const { denied, failed } = troubles(all, sources.outcomes);
  return {
    said: partPinned(
      pinnedTexts(all).filter(({ id }) => !staying.has(id)),
      tokens,
    ),
    files: newest(changedFiles(sources), most.files),
    denied: newest(denied, most.denied),
    failed: newest(failed, most.failed),
    open: [...openTasks(sources.tasks), ...unanswered(all)],
  };
}

/** Every message of a path, also those that an earlier compaction stands for. */
function saidOn(path: readonly Entry[]): readonly Said[] {
  return conversationOf(path.filter(({ type }) => type === "message")).verbatim;
}

function newest<Item>(items: readonly Item[], count: number): Listed<Item> {
  return { items: items.slice(-count), more: Math.max(0, items.length - count) };
}

/** In the order of their newest change. */
function changedFiles({ outcomes, root }: Sources): { path: string; hash: string | null }[] {
  const files = new Map<string, string | null>();
  for (const { data } of outcomes) {
    for (const change of data.files) {
      if ((change.before === change.after && !change.mode) || isDirectoryChange(change)) continue;
      const path = shownPath(root, change.path);
      files.delete(path);
      files.set(path, change.after);
    }
  }
  return [...files].map(([path, hash]) => ({ path, hash }));
}

function troubles(said: readonly Said[], outcomes: readonly Entry<"outcome">[]) {
  const statuses = new Map(outcomes.map(({ data }) => [data.call, data.status]));
  const calls = new Map<string, CallPart>();
  const denied = new Map<string, Trouble>();
  const failed = new Map<string, Trouble>();
  for (const { message } of said) {
    for (const call of callsOf(message)) calls.set(call.id, call);
    for (const part of message.parts) {
      const call = part.type === "result" ? calls.get(part.callId) : undefined;
      if (part.type !== "result" || !call) continue;
      const name = nameOf(call);
      if (!part.isError) failed.delete(name);
      else note(statuses.get(call.id) === "denied" ? denied : failed, name, part);
    }
  }
  return { denied: [...denied.values()], failed: [...failed.values()] };
}

/** One trouble a call: what it said last counts. */
function note(troubles: Map<string, Trouble>, name: string, { text }: ResultPart): void {
  const times = (troubles.get(name)?.times ?? 0) + 1;
  troubles.delete(name);
  troubles.set(name, { call: name, says: firstLine(text), times });
}

function nameOf({ tool, input, raw }: CallPart): string {
  return cutLine(`${tool} ${printable(raw ?? canonical(input))}`, 160);
}

function firstLine(text: string): string {
  return cutLine(printable(text.split("\n").find((line) => line.trim() !== "") ?? ""), 300);
}

const ended = new Set(["succeeded", "failed", "cancelled"]);

function openTasks(tasks: readonly Entry<"task">[]): string[] {
  const known = new Map<string, Record<string, unknown>>();
  for (const { data } of tasks) known.set(data.id, { ...known.get(data.id), ...data.change });
  return [...known].flatMap(([id, task]) => {
    const state = String(task["state"] ?? "queued");
    const title = task["prompt"] ?? task["command"] ?? task["kind"] ?? "";
    return ended.has(state) ? [] : [cutLine(printable(`task ${id} (${state}): ${String(title)}`), 200)];
  });
}

/** The newest message of the user, while no reply without calls has followed it. */
function unanswered(said: readonly Said[]): string[] {
  const asked = said.findLastIndex(({ message }) => message.origin === "user");
  const answered = said
    .slice(asked + 1)
    .some(({ message }) => message.role === "assistant" && callsOf(message).length === 0 && textOf(message) !== "");
  return asked < 0 || answered ? [] : ["The user's newest message has no answer yet: go on with it."];
}
