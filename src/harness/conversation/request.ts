// Composes the next request of a session, holds it against the previous one, and says so when the prefix broke.

import type { Log } from "../../agent/ports.js";
import { lastOf, type RequestMark } from "../../core/entry.js";
import type { Emit } from "../../core/event.js";
import { imageTokens } from "../../core/image.js";
import type { Message, Part } from "../../core/message.js";
import { costOf, type Model, type ModelRequest, type ToolDeclaration } from "../../core/model.js";
import type { CacheBreak, CacheSection } from "../../core/result.js";
import { type Composed, compose } from "../../prompt/compose.js";
import { RequestPrefix } from "../../prompt/prefix.js";

export interface RequestComposerOptions {
  log: Log;
  emit: Emit;
  model: Model;
  tools: readonly ToolDeclaration[];
  /** What a break in the first request is due to, when that is known. */
  cause: string | undefined;
}

export class RequestComposer {
  readonly #options: RequestComposerOptions;
  #prefix: RequestPrefix | undefined;
  #cause: string | undefined;

  constructor(options: RequestComposerOptions) {
    this.#options = options;
    this.#cause = options.cause;
  }

  /** What the next break, if any, is due to; for changes that the harness makes knowingly. */
  expectBreak(cause: string): void {
    this.#cause = cause;
  }

  /** The head has moved to another branch: the next request extends the last one of that path. */
  restart(): void {
    this.#prefix = undefined;
    this.#cause = undefined;
  }

  compose(): { request: ModelRequest; mark: RequestMark; broken: CacheBreak | null } {
    const { model } = this.#options;
    this.#prefix ??= new RequestPrefix(this.#lastMark());
    const composed = this.#composed();
    const { broken, mark, marks } = this.#prefix.advance(model.id, composed);
    const request = { ...composed, marks };
    const report = broken && this.#report(this.#sectionOf(broken.section), request);
    this.#cause = undefined;
    return { request, mark, broken: report };
  }

  /**
   * The conversation so far with `tail` behind it, for a question of the harness that the conversation will not hold.
   * Marked for the cache is what the next request will have as well. `until`: the last entry that is shared.
   */
  composeBeside(tail: readonly Message[], until?: string): ModelRequest {
    this.#prefix ??= new RequestPrefix(this.#lastMark());
    const shared = this.#composed(until);
    const marks = this.#prefix.marksBeside(shared.messages);
    return { ...shared, messages: [...shared.messages, ...tail], marks };
  }

  #composed(until?: string): Composed {
    const { log, model, tools } = this.#options;
    return compose(log.path(), { tools, model: model.id, maxOutput: model.facts.maxOutput, until });
  }

  #lastMark(): RequestMark | undefined {
    const path = this.#options.log.path();
    for (let i = path.length - 1; i >= 0; i--) {
      const entry = path[i];
      if (entry?.type === "message" && entry.data.request) return entry.data.request;
    }
    return undefined;
  }

  /** After a resume one digest is all that is known of the last request; what began it is on the path. */
  #sectionOf(found: CacheSection): CacheSection {
    const path = this.#options.log.path();
    const replied = path.findLastIndex((entry) => entry.type === "message" && entry.data.request !== undefined);
    const sent = path.slice(0, replied);
    const [before, now] = [lastOf(sent, "prompt")?.data, lastOf(path, "prompt")?.data];
    if (found !== "messages" || !before || !now) return found;
    // A provider caches for each model apart: everything counts, from the tools on.
    const model = lastOf(sent, "model")?.data.id !== lastOf(path, "model")?.data.id;
    if (model || before.tools.join() !== now.tools.join()) return "tools";
    if (before.stable !== now.stable) return "stable";
    return before.context === now.context ? found : "context";
  }

  /** Of a segment that nothing was sent in yet: the program ended between its start and the first reply. */
  #causeOnPath(): string | undefined {
    const path = this.#options.log.path();
    const begun = path.findLastIndex((entry) => entry.type === "prompt");
    const replied = path.findLastIndex((entry) => entry.type === "message" && entry.data.request !== undefined);
    const prompt = path[begun];
    return prompt?.type === "prompt" && begun > replied ? prompt.data.cause : undefined;
  }

  /** The whole request is counted: after a break nothing of it can be relied on to be cached. */
  #report(section: CacheSection, request: ModelRequest): CacheBreak {
    const { emit, log, model } = this.#options;
    const cause = this.#cause ?? this.#causeOnPath() ?? "unexplained";
    const tokens = Math.ceil(JSON.stringify(request, weighed).length / 4);
    const usd = costOf({ input: tokens, output: 0, cacheRead: 0, cacheWrite: 0 }, model.facts.prices);
    const report = { section, cause, tokens, usd };
    log.append("note", { code: "cache.break", text: `${section}: ${cause}`, data: report });
    emit({ type: "cache.break", ...report });
    return report;
  }
}

/** An image has as many characters as its tokens would be, for an estimate. */
function weighed(_key: string, value: unknown): unknown {
  return (value as Part | null)?.type === "image" ? " ".repeat(4 * imageTokens) : value;
}
