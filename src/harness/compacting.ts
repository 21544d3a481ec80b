// The compactions of a session: what they need is read off its log; the work itself is loaded when the first is due.

import type { CompactionHands } from "../agent/compact.js";
import type { Compacted, Compactor, CompactWish } from "../agent/ports.js";
import type { Run } from "../agent/run.js";
import type { LedgerFold, ledgerTypes } from "../compaction/ledger.js";
import { isDue, loadOf, type Room, roomOf } from "../compaction/policy.js";
import { tokensOf } from "../compaction/size.js";
import { conversationOf } from "../core/conversation.js";
import { lastOf } from "../core/entry.js";
import type { Model, ToolDeclaration } from "../core/model.js";
import type { SessionLog } from "../session/log.js";
import type { Conversation } from "./conversation.js";
import { loadCompact, loadLedger } from "./lazy.js";
import type { SessionHooks } from "./session-hooks.js";
import type { Surroundings } from "./surroundings.js";

export interface SessionCompactorOptions {
  hooks: Pick<SessionHooks, "beforeCompaction" | "afterCompaction"> | undefined;
  log: SessionLog;
  conversation: Conversation;
  model: Model;
  tools: readonly ToolDeclaration[];
  at: Pick<Surroundings, "root" | "settings">;
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
    this.#fold ??= { ledger: new LedgerFold(this.#options.at.root), types: ledgerTypes, upTo: 0 };
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
