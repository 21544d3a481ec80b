// The compactions of a session: what they need is read off its log; the work itself is loaded when the first is due.

import type { CompactionHands } from "../agent/compact.js";
import type { Compacted, Compactor, CompactWish } from "../agent/ports.js";
import type { Run } from "../agent/run.js";
import { isDue, loadOf, type Room, roomOf } from "../compaction/policy.js";
import { tokensOf } from "../compaction/size.js";
import type { CompactionSettings } from "../config/schema.js";
import { conversationOf } from "../core/conversation.js";
import { lastOf } from "../core/entry.js";
import type { Model, ToolDeclaration } from "../core/model.js";
import type { SessionLog } from "../session/log.js";
import type { Conversation } from "./conversation.js";
import { loadCompact } from "./lazy.js";

export interface SessionCompactorOptions {
  log: SessionLog;
  conversation: Conversation;
  model: Model;
  tools: readonly ToolDeclaration[];
  settings: CompactionSettings;
  root: string;
}

export class SessionCompactor implements Compactor {
  readonly #options: SessionCompactorOptions;
  readonly #room: Room;
  #tools: number | undefined;

  constructor(options: SessionCompactorOptions) {
    this.#options = options;
    this.#room = roomOf({ ...options.model.facts, ...options.settings });
  }

  due(): boolean {
    return isDue(loadOf(conversationOf(this.#options.log.path()), this.#head()), this.#room);
  }

  async compact(run: Run, wish: CompactWish): Promise<Compacted> {
    const { compact } = await loadCompact();
    return compact(run, wish, this.#hands());
  }

  #hands(): CompactionHands {
    const { conversation, log, root } = this.#options;
    return {
      room: this.#room,
      root,
      head: () => this.#head(),
      outcomes: () => log.attached("outcome"),
      tasks: () => log.attached("task"),
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
