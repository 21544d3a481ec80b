// What a run costs in input tokens when the provider caches prompts, worked out from the real bodies of its requests.
// Tokens are characters / 4 of each block's JSON, cache marks removed: good for comparing two programs, not for billing.
//   explicit   Anthropic's rule: a prefix that ended at a mark was written (1.25) and is read later (0.1) when a mark of
//              the later request, or one of the 19 blocks before that mark, ends the same prefix; the rest costs 1.
//              The minimum length of a cacheable prefix is left out: it would favour the longer prompt.
//   automatic  the longest prefix of whole blocks that the request shares with the one before is read at 0.1
// Pure: bodies in, numbers out.

/** One content block of a request, in the order in which a provider reads them: tools, system, messages. */
export interface Block {
  /** Same number = same prefix up to and including this block. */
  chain: number;
  tokens: number;
  marked: boolean;
}

export interface CacheCost {
  explicit: number;
  automatic: number;
  /** Requests whose blocks, marks apart, do not extend those of the request before. */
  breaks: number;
  requests: number;
}

interface Body {
  tools?: unknown[];
  system?: string | unknown[];
  messages?: { role: string; content: string | unknown[] }[];
}

const writePrice = 1.25;
const readPrice = 0.1;
const lookBack = 20;

/** Reads the bodies of one run, in order; equal prefixes get equal numbers. */
export function blockReader(): (body: string) => Block[] {
  const chains = new Map<string, number>();
  return (text) => {
    let chain = 0;
    return blocksOf(JSON.parse(text) as Body).map(([place, block]) => {
      const { json, marked } = withoutMarks(block);
      const key = `${chain} ${place} ${json}`;
      chain = chains.get(key) ?? chains.size + 1;
      chains.set(key, chain);
      return { chain, tokens: json.length / 4, marked };
    });
  };
}

/** Input tokens that the requests of a run cost, in tokens at full price. */
export function cacheCost(requests: readonly (readonly Block[])[]): CacheCost {
  const written = new Set<number>();
  const cost: CacheCost = { explicit: 0, automatic: 0, breaks: 0, requests: requests.length };
  let before: readonly Block[] = [];
  for (const blocks of requests) {
    cost.explicit += explicitCost(blocks, written);
    const shared = sharedBlocks(before, blocks);
    cost.automatic += readPrice * tokensOf(blocks.slice(0, shared)) + tokensOf(blocks.slice(shared));
    if (shared < before.length) cost.breaks += 1;
    before = blocks;
  }
  return cost;
}

function explicitCost(blocks: readonly Block[], written: Set<number>): number {
  const marks = blocks.flatMap((block, index) => (block.marked ? [index] : []));
  const hit = Math.max(-1, ...marks.map((mark) => hitBefore(blocks, mark, written)));
  const end = Math.max(hit, ...marks);
  for (const mark of marks) written.add(blocks[mark]?.chain ?? 0);
  const [read, write, rest] = [blocks.slice(0, hit + 1), blocks.slice(hit + 1, end + 1), blocks.slice(end + 1)];
  return readPrice * tokensOf(read) + writePrice * tokensOf(write) + tokensOf(rest);
}

/** Index of the last block at or before `mark`, within the look-back, that ends a prefix written before; else -1. */
function hitBefore(blocks: readonly Block[], mark: number, written: ReadonlySet<number>): number {
  for (let index = mark; index >= 0 && index > mark - lookBack; index--) {
    if (written.has(blocks[index]?.chain ?? 0)) return index;
  }
  return -1;
}

function sharedBlocks(before: readonly Block[], now: readonly Block[]): number {
  const different = before.findIndex((block, index) => block.chain !== now[index]?.chain);
  return different < 0 ? before.length : different;
}

function tokensOf(blocks: readonly Block[]): number {
  return blocks.reduce((sum, block) => sum + block.tokens, 0);
}

function blocksOf(body: Body): [place: string, block: unknown][] {
  const list = (content: string | unknown[] | undefined): unknown[] =>
    typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
  return [
    ...(body.tools ?? []).map((tool): [string, unknown] => ["tool", tool]),
    ...list(body.system).map((block): [string, unknown] => ["system", block]),
    ...(body.messages ?? []).flatMap(({ role, content }) =>
      list(content).map((block): [string, unknown] => [role, block]),
    ),
  ];
}

function withoutMarks(block: unknown): { json: string; marked: boolean } {
  let marked = false;
  const json = JSON.stringify(block, (key, value) => {
    if (key !== "cache_control") return value;
    marked = true;
    return undefined;
  });
  return { json, marked };
}
