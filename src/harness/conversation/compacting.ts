// The compactions of a session: what they need is read off its log; the work itself is loaded when the first is due.

import type { CompactionHands } from "../../agent/compact.js";
import type { Compacted, Compactor, CompactWish } from "../../agent/ports.js";
import type { Run } from "../../agent/run.js";
import type { LedgerFold, ledgerTypes } from "../../compaction/ledger.js";
import { isDue, loadOf, type Room, roomOf } from "../../compaction/policy.js";
import { tokensOf } from "../../compaction/size.js";
import { conversationOf } from "../../core/conversation.js";
import { lastOf } from "../../core/entry.js";
import { UserError } from "../../core/errors.js";
import type { Model, ToolDeclaration } from "../../core/model.js";
import type { SessionLog } from "../../session/log.js";
import type { Compaction } from "../api/index.js";
import type { SessionHooks } from "../hooks/session-hooks.js";
import { loadCompact, loadLedger } from "../lazy.js";
import type { SessionParts } from "../session-parts.js";
import type { Surroundings } from "../surroundings.js";
import type { Conversation } from "./conversation.js";

export interface SessionCompactorOptions {
  hooks: Pick<SessionHooks, "beforeCompaction" | "afterCompaction"> | undefined;
  log: SessionLog;
  conversation: Conversation;
  model: Model;
  tools: readonly ToolDeclaration[];
  at: Pick<Surroundings, "cwd" | "settings">;
}

interface Fold {
  ledger: LedgerFold;
  types: typeof ledgerTypes;
  /** Entries of the file that were taken. */
  upTo: number;
}

export class SessionCompactor implements Compactor {
  readonly #options: SessionCompactorOptions;
  #tools: number | undefined;
  /** What earlier compactions read of the log, which is not read again. */
  #fold: Fold | undefined;

  constructor(options: SessionCompactorOptions) {
    this.#options = options;
  }

  due(): boolean {
    return isDue(loadOf(conversationOf(this.#options.log.path()), this.#head()), this.#room);
  }

  /** Of the model that is asked now. */
  get #room(): Room {
    const { at, model } = this.#options;
    return roomOf({ ...model.facts, ...at.settings.compaction });
  }

  async compact(run: Run, wish: CompactWish): Promise<Compacted> {
    const { hooks } = this.#options;
    const refused = (await hooks?.beforeCompaction(run, wish)) ?? null;
    if (refused !== null) return { type: "nothing", text: `A hook forbids it: ${refused}` };
    const [{ compact }, { LedgerFold, ledgerTypes }] = await Promise.all([loadCompact(), loadLedger()]);
    this.#fold ??= { ledger: new LedgerFold(this.#options.at.cwd), types: ledgerTypes, upTo: 0 };
    const made = await compact(run, wish, this.#hands(this.#fold));
    if (made.type === "done") await hooks?.afterCompaction(run, wish);
    return made;
  }

  /** The head has moved to another branch: the ledger is made of what is there. */
  restart(): void {
    this.#fold = undefined;
  }

  #hands(fold: Fold): CompactionHands {
    const { conversation, log } = this.#options;
    return {
      room: this.#room,
      head: () => this.#head(),
      ledger(tail, tokens) {
        for (const entry of log.since(fold.upTo, fold.types)) fold.ledger.take(entry);
        fold.upTo = log.length;
        return fold.ledger.ledger(tail, tokens);
      },
      write: (data) => conversation.compact(data),
    };
  }

  #head(): number {
    const { log, tools } = this.#options;
    this.#tools ??= tokensOf(JSON.stringify(tools));
    const prompt = lastOf(log.path(), "prompt")?.data;
    return this.#tools + tokensOf(prompt?.stable ?? "") + tokensOf(prompt?.context ?? "");
  }
}

/** One that somebody asked for, between two runs. As for a run: a log that cannot be written is a fact of the world. */
export async function compacted(
  { log, conversation, ports, settledCalls }: Pick<SessionParts, "log" | "conversation" | "ports" | "settledCalls">,
  run: Run,
  focus: string | undefined,
): Promise<Pick<Compaction, "state" | "subtype" | "text">> {
  const said = log.path().some((entry) => entry.type === "message");
  if (!said || !ports.compaction) return { state: "nothing", subtype: "success", text: "Nothing was said yet." };
  try {
    conversation.prepare((await settledCalls())?.results);
    const made = await ports.compaction.compact(run, { cause: "user", focus });
    await log.sync();
    if (made.type !== "failed") return { state: made.type, subtype: "success", text: made.text };
    const { subtype, detail = "The compaction failed." } = made.end;
    return { state: "failed", subtype, text: detail };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const subtype = "error_during_execution";
    return { state: "failed", subtype, text: error.fix ? `${error.message} ${error.fix}` : error.message };
  }
}
