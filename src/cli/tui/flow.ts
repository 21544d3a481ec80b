// Which lines of the conversation scroll away with the next frame, and which stay in sight.
// Invariant: every line goes to the scrollback at most once, in order, and only when nothing can change it any more: a block
// that is done, or the closed part of a text that is arriving. A text that outgrows the screen gives up its oldest lines. When the width
// changes meanwhile, what of it has scrolled away is known by its characters: a line may be begun again, none is left out.

import type { Block, TextBlock } from "./block.js";
import { apart, blockLines, type Drawing } from "./blocks/index.js";
import { GrowingMarkdown } from "./growing-markdown.js";
import { type Line, textOfLine } from "./span.js";

interface Growing {
  id: string;
  width: number;
  markdown: GrowingMarkdown;
  lines: readonly Line[];
}

export class Flow {
  /** Blocks before this one have scrolled away. */
  #next = 0;
  /** Blocks before this one were said before; what is drawn of them are lines. */
  #known = 0;
  /** So have these lines of it. */
  #lines = 0;
  #id: string | undefined;
  #growing: Growing | undefined;

  /** `room`: rows that the live part may take. */
  advance(blocks: readonly Block[], drawing: Drawing, room: number): { finished: Line[]; live: Line[] } {
    const finished: Line[] = [];
    for (;;) {
      const block = blocks[this.#next];
      if (block?.id !== this.#id) this.#lines = 0;
      this.#id = block?.id;
      if (!block?.done) break;
      finished.push(...this.#layout(blocks, this.#next, drawing).lines.slice(this.#lines));
      this.#next++;
    }
    const live = this.#alive(blocks, drawing, finished);
    return { finished, live: this.#fit(live, finished, blocks[this.#next], room) };
  }

  /** Draws from here on only: what came before is not shown. So many blocks were there. */
  skip(blocks: number, known: number): void {
    this.#next = blocks;
    this.#known = known;
  }

  #alive(blocks: readonly Block[], drawing: Drawing, finished: Line[]): Line[] {
    return blocks.slice(this.#next).flatMap((_, offset) => {
      const { lines, stable } = this.#layout(blocks, this.#next + offset, drawing);
      if (offset > 0) return lines;
      const from = this.#lines;
      this.#lines = Math.max(from, stable);
      finished.push(...lines.slice(from, stable));
      return lines.slice(this.#lines);
    });
  }

  #fit(live: Line[], finished: Line[], first: Block | undefined, room: number): Line[] {
    const over = live.length - room;
    if (over <= 0) return live;
    if (first?.kind !== "text") return live.slice(over);
    finished.push(...live.slice(0, over));
    this.#lines += over;
    return live.slice(over);
  }

  /** `stable`: lines that stay as they are while it grows. */
  #layout(blocks: readonly Block[], at: number, drawing: Drawing): { lines: Line[]; stable: number } {
    const block = blocks[at] as Block;
    const gap: Line[] = apart(blocks[at - 1], block) ? [[]] : [];
    if (block.kind === "text" && (!block.done || block.id === this.#growing?.id))
      return this.#grown(block, gap, drawing.width, at === this.#next);
    const shown = at < this.#known ? { ...drawing, pictures: null } : drawing;
    return { lines: [...gap, ...blockLines(block, shown)], stable: 0 };
  }

  /** Also at its end: laid out at once, it might have other lines. */
  #grown({ id, text }: TextBlock, gap: Line[], width: number, first: boolean): { lines: Line[]; stable: number } {
    const known = this.#growing?.id === id ? this.#growing : undefined;
    const goesOn = known?.width === width && known.markdown.fits(text);
    const markdown = goesOn ? known.markdown : new GrowingMarkdown(width);
    const made = markdown.layout(text);
    const lines = [...gap, ...made.lines];
    if (first && known && known.width !== width) this.#lines = reaching(lines, known.lines.slice(0, this.#lines));
    this.#growing = { id, width, markdown, lines };
    return { lines, stable: made.stable > 0 ? made.stable + gap.length : 0 };
  }
}

/** How many of the lines hold no more characters than those others do. */
function reaching(lines: readonly Line[], others: readonly Line[]): number {
  let left = others.reduce((sum, each) => sum + characters(each), 0);
  const at = lines.findIndex((each) => {
    left -= characters(each);
    return left < 0;
  });
  return at < 0 ? lines.length : at;
}

function characters(line: Line): number {
  return textOfLine(line).replace(/\s/g, "").length;
}
