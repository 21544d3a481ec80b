// The cache contract, checked at send time: the blocks of a request extend those of the one before (CONTRACT §6.3).
// A block is one part of one message. Blocks are chained by digest, so that a resumed session can prove its prefix
// from one number and one hash in the log, and the check costs only what is new since the last request.
// Not here: what to do about a break. The caller says so in an event and goes on.

import type { RequestMark } from "../core/entry.js";
import type { Message } from "../core/message.js";
import type { Mark, ModelRequest } from "../core/model.js";
import type { CacheSection } from "../core/result.js";
import { sha256 } from "../lib/hash.js";
import { canonical } from "../lib/json.js";

/** The first section in which a request stopped extending the previous one; `blocks` = how many still matched. */
export interface PrefixBreak {
  section: CacheSection;
  blocks: number;
}

/** Anthropic looks back 20 blocks from a mark for a cached prefix; 18 leaves room for merged blocks (SPEC 2.4). */
const lookBack = 18;

interface Head {
  model: string;
  declared: ModelRequest["tools"];
  /** Digest of model and tools. */
  tools: string;
  stable: string;
  context: string;
  /** Digest of all of it; the chain of blocks begins here. */
  seed: string;
}

interface ChainedMessage {
  message: Message;
  /** Blocks up to and including this message, and the digest of their chain. */
  blocks: number;
  digest: string;
}

/** Remembers the last request of a session and compares the next one with it. */
export class RequestPrefix {
  #head: Head | undefined;
  #chain: ChainedMessage[] = [];
  /** Number of messages of the last request. */
  #sent = 0;
  #resumed: RequestMark | undefined;

  /** `resumed`: the mark of the last request in the log, when the session was opened from it. */
  constructor(resumed?: RequestMark) {
    this.#resumed = resumed;
  }

  /** Takes `request` as the newest: what broke, the mark to log, and where the cache marks go. */
  advance(
    model: string,
    request: Omit<ModelRequest, "marks">,
  ): { broken: PrefixBreak | null; mark: RequestMark; marks: Mark[] } {
    const head = this.#headOf(model, request);
    const { seed } = head;
    const previous = this.#previousBlocks();
    const headBroken = this.#headBreak(head);
    const chainBroken = this.#chainBreak(seed, request.messages);
    const broken = headBroken ?? chainBroken;
    this.#head = head;
    this.#sent = request.messages.length;
    this.#resumed = undefined;
    const mark = { blocks: this.#blocksAt(this.#sent), digest: this.#chain[this.#sent - 1]?.digest ?? seed };
    return { broken, mark, marks: marksFor(request.messages, broken ? 0 : previous) };
  }

  /** Marks for a request beside the conversation, which shares `messages` with it: nothing of it is remembered. */
  marksBeside(messages: readonly Message[]): Mark[] {
    return marksFor(messages, this.#previousBlocks());
  }

  #previousBlocks(): number {
    return this.#resumed?.blocks ?? this.#blocksAt(this.#sent);
  }

  #blocksAt(messages: number): number {
    return this.#chain[messages - 1]?.blocks ?? 0;
  }

  /** The head of a segment hardly ever changes; it is hashed again only when its parts are not the same ones. */
  #headOf(model: string, { tools, stable, context }: Omit<ModelRequest, "marks">): Head {
    const before = this.#head;
    const same = before?.model === model && before.declared === tools;
    if (before && same && before.stable === stable && before.context === context) return before;
    const digest = sha256(model + canonical(tools.map((tool) => ({ ...tool }))));
    return {
      model,
      declared: tools,
      tools: digest,
      stable,
      context,
      seed: sha256([digest, stable, context].join("\n")),
    };
  }

  #headBreak(head: Head): PrefixBreak | null {
    const before = this.#head;
    if (!before) return null;
    const section = (["tools", "stable", "context"] as const).find((name) => before[name] !== head[name]);
    if (section === undefined) return null;
    this.#chain = [];
    this.#sent = 0;
    return { section, blocks: 0 };
  }

  /** Extends the chain to `messages` and says where it left the one of the last request. */
  #chainBreak(seed: string, messages: readonly Message[]): PrefixBreak | null {
    let broken: PrefixBreak | null = null;
    const resumed = this.#resumed;
    let resumedFound = resumed === undefined || resumed.blocks === 0;
    for (const [index, message] of messages.entries()) {
      const known = this.#chain[index];
      if (known?.message === message) continue;
      const before = this.#chain[index - 1] ?? { blocks: 0, digest: seed };
      const link = { message, ...chained(before, message) };
      if (known && known.digest !== link.digest && index < this.#sent) {
        broken ??= { section: "messages", blocks: before.blocks };
        this.#chain.length = index;
      }
      this.#chain[index] = link;
      if (resumed && link.blocks === resumed.blocks) resumedFound = link.digest === resumed.digest;
    }
    if (messages.length < this.#sent) broken ??= { section: "messages", blocks: this.#blocksAt(messages.length) };
    this.#chain.length = messages.length;
    if (!resumedFound) broken ??= { section: "messages", blocks: 0 };
    return broken;
  }
}

function chained(before: { blocks: number; digest: string }, message: Message): { blocks: number; digest: string } {
  // Not canonical JSON: a part keeps the order of its keys through the log, and another order is another request.
  const text = JSON.stringify(message.parts);
  return {
    blocks: before.blocks + message.parts.length,
    digest: sha256(`${before.digest}\n${message.role}\n${text}`).slice(0, 32),
  };
}

/**
 * Where the marks go: on the newest block, on the block that was newest in the previous request, and, when more than
 * `lookBack` blocks were added since, on one in between so that the look-back still finds the old one.
 */
function marksFor(messages: readonly Message[], previous: number): Mark[] {
  const total = messages.reduce((sum, message) => sum + message.parts.length, 0);
  const wanted = new Set([total - 1]);
  if (previous > 0 && previous < total) {
    wanted.add(previous - 1);
    if (total - previous > lookBack) wanted.add(total - 1 - lookBack);
  }
  return place(
    messages,
    total,
    [...wanted].filter((block) => block >= 0).sort((a, b) => a - b),
  );
}

/** From the newest message back: the marks stand near it, and what is before the oldest need not be looked at. */
function place(messages: readonly Message[], total: number, blocks: readonly number[]): Mark[] {
  const marks: Mark[] = [];
  const wanted = [...blocks];
  let first = total;
  for (let index = messages.length - 1; index >= 0 && wanted.length > 0; index--) {
    first -= messages[index]?.parts.length ?? 0;
    for (let block = wanted.at(-1); block !== undefined && block >= first; block = wanted.at(-1)) {
      marks.unshift({ message: index, part: block - first });
      wanted.pop();
    }
  }
  return marks;
}
