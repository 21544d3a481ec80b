// The conversation as blocks: a fold over events (the present) and entries (the past), and all that the screen knows.
//   entries  -> what was said, answers, calls with their results, in their order
//   events   -> the same while it happens: deltas, progress, notices; a retry takes its deltas back
// Invariant: folding the events of a run and rebuilding from its entries give the same blocks, save for what only events
// carry (times, notices, views). Deltas are replaced by the message once it is an entry. No clock, no session, no terminal.

import type { Entry } from "../../core/entry.js";
import type { Event, SteerMode } from "../../core/event.js";
import { isImage, saidIn, withoutLostImages } from "../../core/image.js";
import type { Message, Part, Usage } from "../../core/message.js";
import type { View } from "../../core/plan.js";
import { changeOf, revised, type SteerChange, steerCodes, steeredIn, type Waiting } from "../../core/steer.js";
import { closing, remark } from "../views/remarks.js";
import type { Block, CallBlock, TextBlock, ThinkingBlock } from "./block.js";
import { summaryOf } from "./call-summary.js";
import { Strip } from "./strip.js";

type Fields<B> = B extends Block ? Omit<B, "id" | "version" | "done"> : never;

export class Transcript {
  readonly blocks: Block[] = [];
  /** Oldest first. */
  waiting: readonly Waiting[] = [];
  /** The newest list that is to stay in sight. */
  pinned: View | null = null;
  /** Of the newest answer. */
  usage: Usage | null = null;
  /** Work beside the conversation. */
  readonly strip = new Strip();
  /** A run is under way. */
  busy = false;
  /** Texts of steering that is in the log, by its id. */
  readonly #steered = new Map<string, SteerChange & Omit<Waiting, "id">>();
  #count = 0;
  /** Blocks of the reply that is arriving: deltas, void when it is tried again. */
  #arriving: (TextBlock | ThinkingBlock)[] = [];
  readonly #calls = new Map<string, CallBlock>();

  /** The past: whatever of an entry is shown. */
  entry(entry: Entry): void {
    if (entry.type === "message") this.#message(entry.data);
    if (entry.type === "note") this.#noted(entry.data);
    if (entry.type === "task") this.strip.entry(entry);
    if (entry.type === "compaction")
      this.#add({ kind: "notice", level: "info", text: "The conversation before this was compacted." }, true);
  }

  /** All of it, and what waits in the log since then. */
  before(entries: Iterable<Entry>, waiting: readonly Waiting[]): void {
    for (const entry of entries) this.entry(entry);
    this.settle();
    this.waiting = waiting;
    for (const { id, mode, text } of waiting) this.#steered.set(id, { mode, text });
  }

  /** `entryOf` finds what an `entry.append` is about. */
  event(event: Event, entryOf: (id: string) => Entry | undefined): void {
    if (this.strip.event(event)) {
      this.#remark(event);
      return;
    }
    switch (event.type) {
      case "text.delta":
        this.#delta("text", event.text);
        return;
      case "thinking.delta":
        this.#delta("thinking", event.text);
        return;
      case "entry.append": {
        const entry = shownKinds.includes(event.kind) ? entryOf(event.entry) : undefined;
        if (entry) this.entry(entry);
        return;
      }
      case "turn.retry":
        this.#discard();
        this.#remark(event);
        return;
      case "call.start":
        this.#callStarts(event);
        return;
      case "call.progress":
        this.#change(event.call, { newest: event.line });
        return;
      case "call.end":
        this.#callEnds(event);
        return;
      case "steer.queued":
        this.#waits(event.id, event.mode);
        return;
      case "steer.revised":
        this.waiting = revised(this.waiting, event.id, this.#steered.get(event.id) ?? {});
        return;
      case "steer.delivered":
      case "steer.dropped":
        this.waiting = this.waiting.filter(({ id }) => id !== event.id);
        return;
      case "run.start":
        this.busy = true;
        return;
      case "run.end":
        this.#runEnds(event);
        return;
      default:
        this.#remark(event);
        return;
    }
  }

  /** What a slash command answered, and other things that are said outside of the session. */
  answer(text: string): void {
    this.#add({ kind: "answer", text }, true);
  }

  notice(level: "info" | "warning" | "error", text: string): void {
    this.#add({ kind: "notice", level, text }, true);
  }

  /** Calls that are under way, oldest first. */
  running(): CallBlock[] {
    return this.blocks.filter((block): block is CallBlock => block.kind === "call" && !block.done);
  }

  #noted(note: Entry<"note">["data"]): void {
    const id = String(note.data?.["id"]);
    const known = this.#steered.get(id);
    if (note.code === steerCodes.queued) this.#steered.set(id, steeredIn(note));
    if (note.code === steerCodes.revised && known) this.#steered.set(id, { mode: known.mode, ...changeOf(note) });
  }

  #waits(id: string, mode: SteerMode): void {
    if (this.waiting.some((each) => each.id === id)) return;
    const known = this.#steered.get(id);
    this.waiting = [...this.waiting, { id, mode, text: known?.text ?? "(said before)" }];
  }

  #message(message: Message): void {
    if (message.pinned) this.pinned = { type: "list", items: [...message.pinned], pinned: true };
    if (message.role === "assistant") this.usage = message.usage ?? this.usage;
    if (message.role === "user") {
      this.#leave();
      this.#userSays(message);
      return;
    }
    for (const part of message.parts) this.#part(part, message);
    if (message.role === "assistant") this.#discard();
  }

  #userSays(message: Message): void {
    const { origin } = message;
    if (origin === "harness") return;
    const text = saidIn(message);
    if (text.trim() === "") return;
    if (origin === "hook" || origin === "task") return void this.#add({ kind: "notice", level: "info", text }, true);
    this.#add({ kind: "said", text, images: withoutLostImages(message).parts.filter(isImage) }, true);
  }

  #part(part: Part, message: Message): void {
    if (part.type === "text" || part.type === "thinking") this.#settle(part.type, part.text);
    if (part.type === "call" && message.role === "assistant") this.#asked(part.id, part.tool, summaryOf(part));
    if (part.type === "result" && this.#calls.get(part.callId)?.done === false)
      this.#change(part.callId, { text: part.text, status: part.isError ? "error" : "ok" });
  }

  /** The block that was arriving becomes what the entry says: its lines on the screen stay the same lines. */
  #settle(kind: "text" | "thinking", text: string): void {
    const arrived = this.#arriving.findIndex((block) => block.kind === kind);
    const [block] = arrived < 0 ? [] : this.#arriving.splice(arrived, 1);
    if (block) Object.assign(block, { text, done: true, version: block.version + 1 });
    else if (text.trim() !== "") this.#add({ kind, text }, true);
  }

  #asked(call: string, tool: string, summary: string): void {
    const facts = { tool, summary, view: null, status: null, text: "", newest: "", since: null, ms: null };
    this.#calls.set(call, this.#add<CallBlock>({ kind: "call", ...facts }, false));
  }

  #callStarts({ call, tool, summary, view, time }: Extract<Event, { type: "call.start" }>): void {
    if (!this.#calls.has(call)) this.#asked(call, tool, summary);
    this.#change(call, { tool, summary, view: view ?? null, since: Date.parse(time) });
  }

  /** The result is in the log by now, with less about it than the event knows. */
  #callEnds({ call, tool, status, text, view, ms }: Extract<Event, { type: "call.end" }>): void {
    if (!this.#calls.has(call)) this.#asked(call, tool, tool);
    const known = this.#calls.get(call)?.view ?? null;
    const shown = view ?? (status === "ok" && known?.type !== "diff" ? null : known);
    if (view?.type === "list" && view.pinned === true) this.pinned = view;
    this.#change(call, { status, text, view: shown, ms, done: true });
  }

  #runEnds(event: Extract<Event, { type: "run.end" }>): void {
    this.busy = false;
    this.settle();
    const said = closing({ ...event, type: "result", permission_denials: [], undelivered: [] });
    const level = event.subtype === "error_cancelled" ? "info" : "error";
    for (const text of said) this.#add({ kind: "notice", level, text }, true);
  }

  #delta(kind: "text" | "thinking", text: string): void {
    const last = this.#arriving.at(-1);
    if (last?.kind === kind) {
      last.text += text;
      last.version++;
      return;
    }
    this.#arriving.push(this.#add<TextBlock | ThinkingBlock>({ kind, text }, false));
  }

  /** Nothing is under way any more: after the last entry of a log, and at the end of a run. */
  settle(): void {
    this.#leave();
    for (const [call, block] of this.#calls) {
      if (!block.done) this.#change(call, { status: block.status ?? "cancelled", done: true });
    }
  }

  /** What was arriving will never be an entry, and was seen: it stays. */
  #leave(): void {
    for (const block of this.#arriving) Object.assign(block, { done: true, version: block.version + 1 });
    this.#arriving = [];
  }

  /** What was arriving is void. */
  #discard(): void {
    for (const block of this.#arriving) this.blocks.splice(this.blocks.indexOf(block), 1);
    this.#arriving = [];
  }

  #remark(event: Event): void {
    const said = remark(event, false);
    if (said === null) return;
    const text = event.agent === "main" ? said : `Task ${event.agent}: ${said}`;
    const level = event.type === "notice" ? event.level : event.type === "budget.warn" ? "warning" : "info";
    this.#add({ kind: "notice", level, text }, true);
  }

  #change(call: string, facts: Partial<CallBlock>): void {
    const block = this.#calls.get(call);
    if (block) Object.assign(block, facts, { version: block.version + 1 });
  }

  #add<B extends Block>(fields: Fields<B>, done: boolean): B {
    this.#count++;
    const block = { id: `b${this.#count}`, version: 0, done, ...fields } as unknown as B;
    this.blocks.push(block);
    return block;
  }
}

const shownKinds: readonly string[] = ["message", "compaction", "note", "task"];
