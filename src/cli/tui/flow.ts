// Which lines of the conversation scroll away with the next frame, and which stay in sight.
// Invariant: every line goes to the scrollback at most once, in order, and only when nothing can change it any more: a block
// that is done, or the closed part of a text that is arriving. A text that outgrows the screen gives up its oldest lines.

import type { Block } from "./block.js";
import { apart, blockLines, type Drawing } from "./blocks/index.js";
import { GrowingMarkdown } from "./markdown.js";
import type { Line } from "./span.js";

interface Growing {
  id: string;
  width: number;
  markdown: GrowingMarkdown;
}

export class Flow {
  /** Blocks before this one have scrolled away. */
  #next = 0;
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

  /** Draws from here on only: what came before is not shown. */
  skip(blocks: number): void {
    this.#next = blocks;
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
    if (block.kind !== "text" || block.done) return { lines: [...gap, ...blockLines(block, drawing)], stable: 0 };
    if (this.#growing?.id !== block.id || this.#growing.width !== drawing.width) {
      this.#growing = { id: block.id, width: drawing.width, markdown: new GrowingMarkdown(drawing.width) };
    }
    const { lines, stable } = this.#growing.markdown.layout(block.text);
    return { lines: [...gap, ...lines], stable: stable > 0 ? stable + gap.length : 0 };
  }
}
