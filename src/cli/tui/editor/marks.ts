// What marks in a draft stand for: long pastes, and images. A mark is plain text of the draft that is known here.
// Invariants: one mark stands for one thing; of two images that would be called the same, the later one is given another name. A mark
// that was erased stands for nothing: the same words, typed, are words.

import { imageLine } from "../../../core/image.js";
import type { ImagePart } from "../../../core/message.js";

export class Marks {
  readonly #pastes = new Map<string, string>();
  readonly #images = new Map<string, ImagePart>();
  #standing: ReadonlySet<string> = new Set();

  /** Those that are not erased; set to what they were when the text was another one. */
  get standing(): ReadonlySet<string> {
    return this.#standing;
  }

  set standing(marks: ReadonlySet<string>) {
    this.#standing = marks;
  }

  /** The text is this now: whatever is not in it is erased. */
  settle(text: string): void {
    this.#standing = new Set([...this.#standing].filter((mark) => text.includes(mark)));
  }

  clear(): void {
    this.#standing = new Set();
    this.#pastes.clear();
    this.#images.clear();
  }

  /** The mark of a text. */
  fold(text: string): string {
    const rows = text.split("\n").length;
    const mark = `[Pasted #${this.#pastes.size + 1}: ${rows} ${rows === 1 ? "line" : "lines"}]`;
    this.#pastes.set(mark, text);
    return this.#stands(mark);
  }

  /** The mark of an image. */
  attach(image: ImagePart): string {
    for (let n = 1; ; n++) {
      const named = n === 1 ? image : { ...image, name: `${image.name ?? image.mediaType} (${n})` };
      const mark = imageLine(named);
      const known = this.#images.get(mark);
      if (known && known.data !== image.data) continue;
      this.#images.set(mark, named);
      return this.#stands(mark);
    }
  }

  #stands(mark: string): string {
    this.#standing = new Set([...this.#standing, mark]);
    return mark;
  }

  /** A text that was a draft before: its images have their marks in it again. */
  adopt(text: string, images: readonly ImagePart[]): string {
    let whole = text;
    for (const image of images) {
      const line = imageLine(image);
      const mark = this.attach(image);
      if (whole.includes(line)) whole = whole.replace(line, () => mark);
      else whole += /(^|\s)$/.test(whole) ? mark : ` ${mark}`;
    }
    return whole;
  }

  /** Folded pastes in full. */
  whole(text: string): string {
    return text.replace(folded, (mark) => (this.#standing.has(mark) ? (this.#pastes.get(mark) ?? mark) : mark));
  }

  /** Those whose marks stand in the text, in their order. */
  images(text: string): ImagePart[] {
    const found = [...this.#images].map(([mark, image]) => ({ at: text.indexOf(mark), mark, image }));
    return found
      .filter(({ at, mark }) => at >= 0 && this.#standing.has(mark))
      .sort((a, b) => a.at - b.at)
      .map(({ image }) => image);
  }

  /** The words alone. */
  withoutImages(text: string): string {
    let words = text;
    for (const mark of this.#standing)
      if (this.#images.has(mark)) words = words.replaceAll(` ${mark}`, "").replaceAll(mark, "");
    return words.trim();
  }

  /** Where marks stand: from, to. */
  places(text: string): [number, number][] {
    const places: [number, number][] = [];
    for (const mark of this.#standing) {
      for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + mark.length)) {
        places.push([at, at + mark.length]);
      }
    }
    return places;
  }
}

const folded = /\[Pasted #\d+: \d+ lines?\]/g;
