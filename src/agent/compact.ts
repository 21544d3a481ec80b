// One compaction: cut the conversation, read the ledger off the log, ask the model for a summary on top of it, and put
// the result on the path. Loaded when the first one is due.
// Invariants: until the one write at the end nothing of the conversation has changed, so an answer that is empty, cut,
// too long or never comes loses nothing; at most two requests ask for the summary; nothing the answer calls is run.
// The request is the conversation as the next one would send it, tools and all, with a question behind it (SPEC 1.3).

import { cut } from "../compaction/cut.js";
import type { Ledger } from "../compaction/ledger.js";
import { asideFile } from "../compaction/pinned.js";
import { loadOf, type Room } from "../compaction/policy.js";
import { tokensOf, tokensOfMessage } from "../compaction/size.js";
import { ledgerRecord, type Summary, standIn } from "../compaction/stand-in.js";
import { judgeSummary, maxAttempts, question, wordsFor } from "../compaction/summarise.js";
import { conversationOf, type Said } from "../core/conversation.js";
import { type Entry, type EntryData, lastOf } from "../core/entry.js";
import { UserError } from "../core/errors.js";
import { callsOf, type Message } from "../core/message.js";
import { type Answered, attempts, type Listener } from "./attempts.js";
import { reachedByTurn } from "./budget.js";
import { endOf } from "./ending.js";
import type { LoopEnd } from "./loop.js";
import type { Compacted, CompactWish } from "./ports.js";
import type { Run } from "./run.js";

/** What a compaction needs beside the run. */
export interface CompactionHands {
  room: Room;
  /** Tokens of tools, stable block and context block. */
  head(): number;
  /** Read off the whole path; `tail` stays verbatim, and of the user's texts `tokens` are repeated. */
  ledger(tail: readonly Said[], tokens: number): Ledger;
  /** Puts the compaction on the path, and a new context block behind it. */
  write(data: EntryData["compaction"]): void;
}

export async function compact(run: Run, wish: CompactWish, hands: CompactionHands): Promise<Compacted> {
  const { emit, log } = run.ports;
  const work = plan(run, hands);
  if (!work) return { type: "nothing", text: "The conversation is too short: compacting it would gain nothing." };
  const { before } = work;
  let told = { ok: false, text: "The session log could not be written.", before, after: before };
  emit({ type: "compact.start", cause: wish.cause });
  try {
    const asked = await summarise(run, wish, work);
    if ("subtype" in asked) {
      told = { ...told, text: asked.detail ?? "" };
      return { type: "failed", end: asked };
    }
    write(run, work, asked.text, hands);
    const after = loadOf(conversationOf(log.path()), hands.head()).next;
    const alone = asked.text === null ? ", without a model's summary, for which there was no room" : "";
    const text = `${work.messages} messages were compacted${alone}: about ${before} tokens became ${after}.`;
    told = { ok: true, text, before, after };
    return { type: "done", text };
  } finally {
    emit({ type: "compact.end", ...told });
  }
}

interface Work {
  /** How many are compacted. */
  messages: number;
  /** Entry of the last message that is compacted. */
  to: string;
  ledger: Ledger;
  /** Tokens of the next request, and what the text that stands for the compacted part may have of them. */
  before: number;
  limit: number;
  /** Tokens that are left for the summary. */
  left: number;
}

/** Fewer tokens than a short paragraph has are no gain. */
const leastGain = 64;

/** Null when the ledger alone would be about as long as what it stands for. */
function plan(run: Run, { room, head, ledger: read }: CompactionHands): Work | null {
  const conversation = conversationOf(run.ports.log.path());
  const { compacted, verbatim } = conversation;
  const parts = cut(verbatim, Math.min(room.keep, Math.floor(tokensOfAll(verbatim) / 2)));
  const to = parts?.compacted.at(-1)?.id;
  if (!parts || to === undefined) return null;
  const replaced = tokensOfAll(compacted ? [compacted, ...parts.compacted] : parts.compacted);
  if (replaced < leastGain) return null;
  const ledger = read(parts.tail, Math.floor(room.whole / 8));
  const bare = tokensOf(standIn(ledger, { text: "", earlier: null, aside: "" }));
  if (replaced - bare < leastGain) return null;
  const before = loadOf(conversation, head()).next;
  const below = room.mark - (before - replaced);
  const limit = below - bare < leastGain ? replaced : Math.min(replaced, below);
  return { messages: parts.compacted.length, to, ledger, before, limit, left: limit - bare };
}

function tokensOfAll(said: readonly Said[]): number {
  return said.reduce((sum, { message }) => sum + tokensOfMessage(message), 0);
}

/** The model's text, null when the request for it does not fit into the window, or how the run ends. */
async function summarise(run: Run, wish: CompactWish, work: Work): Promise<{ text: string | null } | LoopEnd> {
  const { composeBeside, limits } = run.ports;
  const shrinks = (text: string) => tokensOf(standIn(work.ledger, { text, earlier: null, aside: "" })) < work.limit;
  // A request that was refused for its length is not sent again as it was: what stays verbatim is left out.
  const until = wish.cause === "overflow" ? work.to : undefined;
  let refused: string | undefined;
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const over = reachedByTurn(run.tally.spent(), limits);
    if (over) return endOf.budget(over);
    const text = question({ focus: wish.focus, words: wordsFor(work.left), refused });
    const asking: Message = { role: "user", parts: [{ type: "text", text }], origin: "harness" };
    const answer = await ask(run, () => composeBeside([asking], until));
    if (answer.type === "fail") {
      if (answer.kind === "overflow") return { text: null };
      if (answer.kind !== "refusal") return endOf.failure(answer, run.ending());
      refused = answer.text;
      continue;
    }
    const judged = judgeSummary(answer.message, answer.stop, shrinks);
    noteAnswer(run, answer, judged.refused);
    if (judged.refused === undefined) return { text: judged.text };
    refused = judged.refused;
  }
  const detail = `compaction: no usable summary in ${maxAttempts} attempts, the last because ${refused}; nothing was changed. Go on with another model or a larger window, or from an earlier entry`;
  return { subtype: "error_during_execution", text: "", detail };
}

async function ask(run: Run, compose: Parameters<typeof attempts>[1]) {
  const { emit } = run.ports;
  run.tally.modelCalls++;
  const turn = run.tally.modelCalls;
  emit({ type: "turn.start", turn });
  const answer = await attempts(run, compose, listener(run));
  if (answer.type === "fail") return answer;
  const cost = run.tally.reply(answer.usage);
  emit({ type: "turn.end", turn, usage: answer.usage, cost, stop: answer.stop });
  return { ...answer, cost };
}

function listener(run: Run): Listener {
  return {
    // The summary is no answer to the user: front ends are told when it is done.
    hear: () => undefined,
    keep: () => null,
    again(attempt, { kind, text }, delay) {
      run.ports.emit({ type: "turn.retry", attempt, kind, text, delay_ms: delay, discarded: true });
    },
  };
}

/** The answer is on no path: what it cost and what was wrong with it is kept beside. */
function noteAnswer(run: Run, answer: Answered & { cost: number | null }, refused: string | undefined): void {
  const { emit, log } = run.ports;
  const { message, stop, usage, cost } = answer;
  const calls = callsOf(message);
  const text = refused === undefined ? "a summary was taken" : `a summary was not taken: ${refused}`;
  log.append("note", { code: "compact.ask", text, data: { stop, usage: { ...usage }, cost, not_run: calls.length } });
  for (const { id, tool } of calls) {
    const why = "Not run: a summary was asked for.";
    emit({ type: "call.start", call: id, tool, summary: tool });
    emit({ type: "call.end", call: id, tool, status: "not_run", text: why, ms: 0 });
  }
}

function write(run: Run, { to, ledger, limit }: Work, text: string | null, hands: CompactionHands): void {
  const { keep, log } = run.ports;
  const path = log.path();
  const hasAside = ledger.said.aside.length > 0;
  const aside = hasAside ? keep(`compaction ${to}`, asideFile(ledger.said.aside)) : null;
  if (hasAside && aside === null) {
    const text = "The conversation was not compacted: what you had said in full could not be put aside on the disk.";
    throw new UserError(text, "Free some space, then resume the session.", 1);
  }
  const last = lastOf(path, "compaction");
  const earlier = text === null ? modelTextOf(last) : null;
  const summaries: Summary = { text, earlier, aside };
  const whole = standIn(ledger, summaries);
  const summary = tokensOf(whole) < limit ? whole : standIn(ledger, { ...summaries, earlier: null });
  const from = last?.data.from ?? path.find((entry) => entry.type === "message")?.id ?? to;
  hands.write({ from, to, ledger: ledgerRecord(ledger, summaries), summary });
}

function modelTextOf(compaction: Entry<"compaction"> | undefined): string | null {
  const text = compaction?.data.ledger["model"];
  return typeof text === "string" ? text : null;
}
