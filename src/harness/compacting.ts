// The compactions of a session: what they need is read off its log; the work itself is loaded when the first is due.

import type { CompactionHands } from "../agent/compact.js";
import type { Compacted, Compactor, CompactWish } from "../agent/ports.js";
import type { Run } from "../agent/run.js";
import { isDue, loadOf, type Room, roomOf } from "../compaction/policy.js";
import { tokensOf } from "../compaction/size.js";
import { conversationOf } from "../core/conversation.js";
import { lastOf } from "../core/entry.js";
import type { Model, ToolDeclaration } from "../core/model.js";
import type { SessionLog } from "../session/log.js";
import type { Conversation } from "./conversation.js";
import { loadCompact } from "./lazy.js";
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

export class SessionCompactor implements Compactor {
  readonly #options: SessionCompactorOptions;
  readonly #room: Room;
  #tools: number | undefined;

  constructor(options: SessionCompactorOptions) {
    this.#options = options;
    this.#room = roomOf({ ...options.model.facts, ...options.at.settings.compaction });
  }

  due(): boolean {
    return isDue(loadOf(conversationOf(this.#options.log.path()), this.#head()), this.#room);
  }

  async compact(run: Run, wish: CompactWish): Promise<Compacted> {
    const { hooks } = this.#options;
    const refused = (await hooks?.beforeCompaction(run, wish)) ?? null;
    if (refused !== null) return { type: "nothing", text: `A hook forbids it: ${refused}` };
    const { compact } = await loadCompact();
    const made = await compact(run, wish, this.#hands());
    if (made.type === "done") await hooks?.afterCompaction(run, wish);
    return made;
  }

  #hands(): CompactionHands {
    const { at, conversation, log } = this.#options;
    return {
      room: this.#room,
      root: at.root,
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
