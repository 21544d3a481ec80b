// Puts a frame together and draws it: the conversation from the flow, below it what frame.ts lays out. Or, as long as it is open,
// the pager in the terminal's other screen.

import type { Block } from "./block.js";
import type { CallsShown } from "./blocks/index.js";
import { Flow } from "./flow.js";
import { type Below, belowLines } from "./frame.js";
import type { Key } from "./keyboard.js";
import type { Keymap } from "./keys.js";
import { Pager } from "./pager.js";
import { type PictureProtocol, pictureRoom } from "./picture.js";
import { type Cursor, Screen } from "./screen.js";
import type { Line } from "./span.js";
import type { Theme, ThemeName } from "./theme.js";
import type { Size, Tty } from "./tty.js";

export interface CanvasParts {
  tty: Tty;
  theme: Theme;
  calls: CallsShown;
  pictures: PictureProtocol | null;
  now(): number;
}

const shownOfBefore = 24;

export class Canvas {
  readonly #parts: CanvasParts;
  readonly #screen: Screen;
  #theme: Theme;
  #flow = new Flow();
  #pager: Pager | null = null;
  /** The frame before: what of the conversation was in sight, above how many rows. */
  #last: (Size & { above: readonly Line[]; below: number }) | null = null;
  /** Something stands above the live region. */
  #begun = false;

  constructor(parts: CanvasParts) {
    this.#parts = parts;
    this.#theme = parts.theme;
    const { tty, theme } = parts;
    this.#screen = new Screen((text) => tty.write(text), tty.size().columns, theme);
  }

  get theme(): ThemeName {
    return this.#theme.name;
  }

  set theme(name: ThemeName) {
    this.#theme = { ...this.#theme, name };
    this.#screen.theme = this.#theme;
  }

  /** Another conversation, of which nothing was drawn yet. It has so many blocks, of which the last are shown. */
  restart(blocks: number, shown = shownOfBefore): void {
    this.#last = null;
    this.#flow = new Flow();
    this.#flow.skip(Math.max(0, blocks - shown), blocks);
  }

  /** The lower part alone, for a key that must not wait for the conversation; false when that needs a whole frame. */
  echo(below: Below): boolean {
    const size = this.#parts.tty.size();
    const last = this.#last;
    if (!last || this.#pager || size.columns !== last.columns || size.rows !== last.rows) return false;
    const { lines, cursor } = belowLines(below, size.columns, size.rows - 1);
    if (lines.length !== last.below) return false;
    this.#live(last.above, lines, cursor, [], size);
    return true;
  }

  draw(blocks: readonly Block[], below: Below): void {
    const size = this.#parts.tty.size();
    if (this.#pager) {
      this.#pager.draw(size, blocks);
      return;
    }
    const { lines, cursor } = belowLines(below, size.columns, size.rows - 1);
    const above = this.#conversation(blocks, size.rows - 1 - lines.length);
    this.#last = { ...size, above: above.live, below: lines.length };
    this.#live(above.live, lines, cursor, above.finished, size);
  }

  #live(above: readonly Line[], lines: readonly Line[], cursor: Cursor | null, finished: Line[], size: Size): void {
    const gap: Line[] = this.#begun || above.length > 0 ? [[]] : [];
    const live = [...above, ...gap, ...lines].slice(-size.rows);
    const row = live.length - lines.length;
    this.#screen.draw({ finished, live, cursor: cursor && { ...cursor, row: cursor.row + row } }, size);
  }

  /** The conversation alone, and the cursor below it. */
  close(blocks: readonly Block[]): void {
    if (this.#pager) this.closePager();
    const { finished, live } = this.#conversation(blocks, Number.POSITIVE_INFINITY);
    this.#screen.draw({ finished: [...finished, ...live], live: [], cursor: null }, this.#parts.tty.size());
    this.#screen.erase();
  }

  openPager(close: () => void): void {
    const { tty, now } = this.#parts;
    this.#pager = new Pager({ write: (text) => tty.write(text), theme: this.#theme, now, close });
  }

  closePager(): void {
    this.#pager?.leave();
    this.#pager = null;
  }

  /** The pager takes all keys; false when it is not open. */
  pagerKey(key: Key, keymap: Keymap): boolean {
    const pager = this.#pager;
    pager?.key(key, keymap);
    return pager !== null;
  }

  erase(): void {
    this.#screen.erase();
  }

  /** Another program gets the terminal, with nothing of ours below the conversation. */
  lend(): void {
    if (this.#pager) this.closePager();
    this.#screen.erase();
  }

  /** Another program has drawn since. */
  forget(): void {
    this.#screen.forget();
  }

  #conversation(blocks: readonly Block[], room: number): { finished: Line[]; live: Line[] } {
    const { calls, now, tty, pictures } = this.#parts;
    const size = tty.size();
    const seen = pictureRoom(pictures, size);
    const drawing = { width: size.columns, calls, open: false, now: now(), pictures: seen };
    const flowed = this.#flow.advance(blocks, drawing, Math.max(0, room - 1));
    this.#begun ||= flowed.finished.length > 0;
    return flowed;
  }
}
