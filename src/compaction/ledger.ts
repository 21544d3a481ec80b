// What the harness knows of a conversation without asking a model: read off the entries, so that nothing in it can be
// made up or forgotten. Pure.
//
//   said      what the user said: goal, constraints, corrections (pinned.ts)
//   files     every file that was changed, with the hash it has now
//   denied    calls that were not allowed, with what the user had to say
//   failed    calls that failed and never succeeded since, each once
//   open      tasks that have not ended, and a message of the user that has no answer yet
//
// Invariants: bounded, of files, denials and failures the newest are listed, and the rest is counted; each entry is taken
// once, so that the hundredth compaction of a session reads no more than the second.

import type { Said } from "../core/conversation.js";
import type { Entry, EntryData } from "../core/entry.js";
import { saidIn } from "../core/image.js";
import { type CallPart, callsOf, type Message, type ResultPart, textOf } from "../core/message.js";
import { type FileChange, isDirectoryChange } from "../core/plan.js";
import { canonical } from "../lib/json.js";
import { printable, shownPath } from "../lib/paths.js";
import { cutLine } from "../lib/truncate.js";
import { type Pinned, type PinnedText, partPinned } from "./pinned.js";

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

/** What the ledger is made of: messages of the path, and what of these types hangs on it. */
export const ledgerTypes = ["message", "outcome", "task"] as const;

export class LedgerFold {
  readonly #root: string;
  readonly #texts: PinnedText[] = [];
  /** In the order of their newest change. */
  readonly #files = new Map<string, string | null>();
  readonly #denied = new Map<string, Trouble>();
  readonly #failed = new Map<string, Trouble>();
  readonly #tasks = new Map<string, Record<string, unknown>>();
  /** Calls without a result so far, and how those ended whose result is about to come. */
  readonly #calls = new Map<string, CallPart>();
  readonly #statuses = new Map<string, EntryData["outcome"]["status"]>();
  /** The newest message of the user has no answer. */
  #unanswered = false;

  /** `root`: of the project; paths below it are shown relative. */
  constructor(root: string) {
    this.#root = root;
  }

  /** Everything of `ledgerTypes`, in the order of the file. */
  take(entry: Entry<(typeof ledgerTypes)[number]>): void {
    if (entry.type === "message") this.#said(entry);
    else if (entry.type === "task")
      this.#tasks.set(entry.data.id, { ...this.#tasks.get(entry.data.id), ...entry.data.change });
    else {
      this.#statuses.set(entry.data.call, entry.data.status);
      for (const change of entry.data.files) this.#changed(change);
    }
  }

  /** `tail`: what stays verbatim. `tokens`: how much of the user's texts is repeated. */
  ledger(tail: readonly Said[], tokens: number): Ledger {
    const staying = new Set(tail.map(({ id }) => id));
    const files = [...this.#files].map(([path, hash]) => ({ path, hash }));
    return {
      said: partPinned(
        this.#texts.filter(({ id }) => !staying.has(id)),
        tokens,
      ),
      files: newest(files, most.files),
      denied: newest([...this.#denied.values()], most.denied),
      failed: newest([...this.#failed.values()], most.failed),
      open: [
        ...openTasks(this.#tasks),
        ...(this.#unanswered ? ["The user's newest message has no answer yet: go on with it."] : []),
      ],
    };
  }

  #said({ id, data: message }: Entry<"message">): void {
    if (message.role === "user" && message.origin === "user") {
      this.#texts.push({ number: this.#texts.length + 1, id, text: saidIn(message) });
      this.#unanswered = true;
    } else if (isAnswer(message)) this.#unanswered = false;
    for (const call of callsOf(message)) this.#calls.set(call.id, call);
    for (const part of message.parts) if (part.type === "result") this.#ended(part);
  }

  #ended(result: ResultPart): void {
    const call = this.#calls.get(result.callId);
    const status = this.#statuses.get(result.callId);
    this.#calls.delete(result.callId);
    this.#statuses.delete(result.callId);
    if (!call) return;
    const name = nameOf(call);
    if (!result.isError) this.#failed.delete(name);
    else note(status === "denied" ? this.#denied : this.#failed, name, result);
  }

  #changed(change: FileChange): void {
    if ((change.before === change.after && !change.mode) || isDirectoryChange(change)) return;
    const path = shownPath(this.#root, change.path);
    this.#files.delete(path);
    this.#files.set(path, change.after);
  }
}

function isAnswer(message: Message): boolean {
  return message.role === "assistant" && callsOf(message).length === 0 && textOf(message) !== "";
}

function newest<Item>(items: readonly Item[], count: number): Listed<Item> {
  return { items: items.slice(-count), more: Math.max(0, items.length - count) };
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

function openTasks(tasks: ReadonlyMap<string, Record<string, unknown>>): string[] {
  return [...tasks].flatMap(([id, task]) => {
    const state = String(task["state"] ?? "queued");
    const title = task["prompt"] ?? task["command"] ?? task["kind"] ?? "";
    return ended.has(state) ? [] : [cutLine(printable(`task ${id} (${state}): ${String(title)}`), 200)];
  });
}
