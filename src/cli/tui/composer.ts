// Where the user writes: the draft, messages from before, completions, images, Vim's modes. Keys go in by what they do.
// Invariants: whatever is sent is what was written, folded pastes in full; no image goes along whose mark was not there.

import { UserError } from "../../core/errors.js";
import type { ImagePart } from "../../core/message.js";
import type { Said } from "../../index.js";
import type { Candidate } from "./complete/candidate.js";
import { type Word, wordAt } from "./complete/candidate.js";
import { Draft } from "./editor/draft.js";
import { edits } from "./editor/edits.js";
import type { History } from "./editor/history.js";
import { imagePaths, namesImage } from "./editor/image-paths.js";
import { draftLayout, type Layout } from "./editor/layout.js";
import { Vim } from "./editor/vim.js";
import type { ImageSources } from "./images-of.js";
import type { Key } from "./keyboard.js";
import type { Action, Keymap } from "./keys.js";
import { List } from "./list.js";
import type { Line } from "./span.js";

export interface ComposerParts extends ImageSources {
  keymap: Keymap;
  history: History;
  vim: boolean;
  /** What completes this word; may come later, `refresh` is called then. */
  candidates(word: Word): readonly Candidate[];
  /** Where `~` is. */
  home: string | undefined;
  send(said: Said): void;
  say(text: string): void;
  refresh(): void;
}

const popupRows = 8;

export class Composer {
  readonly draft = new Draft();
  readonly #parts: ComposerParts;
  readonly #vim: Vim | null;
  #popup: List<Candidate> | null = null;
  /** The word for which the list was closed. */
  #closedFor: string | null = null;
  /** An image is being read: what comes after it, in the order in which it was typed. */
  #later: (() => void)[] | null = null;

  constructor(parts: ComposerParts) {
    this.#parts = parts;
    this.#vim = parts.vim ? new Vim() : null;
  }

  get vimMode(): string | null {
    return this.#vim?.mode ?? null;
  }

  /** What is typed while an image is read comes behind it. */
  do(act: () => void): void {
    if (this.#later) this.#later.push(act);
    else act();
  }

  key(key: Key): void {
    this.do(() => this.#key(key));
  }

  paste(text: string): void {
    this.do(() => this.#paste(text));
  }

  /** Nothing is written, nor kept to be. */
  get blank(): boolean {
    return this.draft.text === "" && (this.#later ?? []).length === 0;
  }

  /** Nothing stays of what is written. An image that is being read still comes. */
  clear(): void {
    this.draft.set("");
    if (this.#later) this.#later = [];
  }

  #key({ name, text }: Key): void {
    if (this.#popup && this.#inPopup(name)) return;
    const action = this.#parts.keymap.find(name, "editor");
    if (action && this.#act(action)) {
      this.#complete();
      return;
    }
    if (text === "") return;
    if (!this.#vim?.key(this.draft, text)) this.draft.insert(text);
    this.#parts.history.rest();
    this.#complete();
  }

  #paste(text: string): void {
    const images = imagePaths(text, this.#parts.home)?.map((path) => this.#parts.image(path));
    if (images) this.#attach(images, () => this.#pasted(text));
    else this.#pasted(text);
  }

  /** Images become marks in the place of what names them, which `put` writes; it returns where that begins. */
  #attach(images: readonly Promise<ImagePart | null>[], put: () => number): void {
    this.#later = [];
    const read = Promise.all(images).catch((error: unknown): (ImagePart | null)[] => {
      if (!(error instanceof UserError)) throw error;
      this.#parts.say(error.fix ? `${error.message} ${error.fix}` : error.message);
      return [null];
    });
    void read.then((found) => {
      const from = put();
      const there = found.filter((image): image is ImagePart => image !== null);
      if (there.length === found.length) this.draft.attach(from, there);
      this.#complete();
      const typed = this.#later ?? [];
      this.#later = null;
      for (const act of typed) this.do(act);
      this.#parts.refresh();
    });
  }

  #pasted(text: string): number {
    const from = this.draft.cursor;
    this.draft.paste(text);
    this.#complete();
    return from;
  }

  /** Escape: true when there was something to close. */
  escape(): boolean {
    if (this.#popup) {
      this.#closedFor = wordAt(this.draft.text, this.draft.cursor)?.text ?? null;
      this.#popup = null;
      return true;
    }
    return this.#vim?.escape(this.draft) ?? false;
  }

  set(text: string): void {
    this.draft.set(text);
    this.#complete();
  }

  /** What comes back stands before what is typed. */
  giveBack({ text: given, images }: Said): void {
    const { draft } = this;
    const { cursor } = draft;
    const text = draft.adopted(given, images);
    if (draft.empty) draft.set(text);
    else {
      draft.replace(0, 0, `${text}\n`);
      draft.cursor += cursor;
    }
    this.#complete();
  }

  /** Takes the draft as sent. */
  take(): Said {
    const { whole: text, images, words } = this.draft;
    this.#parts.history.add(words);
    this.draft.clear();
    this.#popup = null;
    if (this.#vim) this.#vim.mode = "insert";
    return { text, images };
  }

  layout(width: number, rows: number, hint: string): Layout {
    return draftLayout(this.draft, width, Math.max(1, rows), hint);
  }

  popupLines(width: number, rows: number): Line[] {
    return this.#popup?.lines(width, Math.min(popupRows, Math.max(0, rows))) ?? [];
  }

  /** New candidates are there for what is typed. */
  #complete(): void {
    const word = wordAt(this.draft.text, this.draft.cursor);
    if (word?.text !== this.#closedFor) this.#closedFor = null;
    const found = word && this.#closedFor === null ? this.#parts.candidates(word) : [];
    this.#popup = found.length > 0 ? new List(found) : null;
  }

  /** Looks again: files are listed now. */
  recomplete(): void {
    this.#complete();
  }

  #inPopup(name: string): boolean {
    const popup = this.#popup as List<Candidate>;
    const action = this.#parts.keymap.find(name, "editor", "list");
    if (action === "up" || action === "previous") popup.move(-1);
    else if (action === "down" || action === "next") popup.move(1);
    else if (action === "complete") this.#take(popup);
    else if (action === "send") {
      const whole = this.draft.text.trim();
      const { chosen } = popup;
      // A command that is written out is sent; anything else is completed first, and an image is no mark yet.
      if (chosen && (whole !== chosen.insert.trim() || namesImage(chosen.file ?? ""))) this.#take(popup);
      else return false;
    } else return false;
    return true;
  }

  #take({ chosen }: List<Candidate>): void {
    if (!chosen) return;
    const { file } = chosen;
    if (file !== undefined && namesImage(file)) {
      this.#attach([this.#parts.image(file)], () => this.#completed(chosen));
    } else this.#completed(chosen);
  }

  #completed({ insert }: Candidate): number {
    const word = wordAt(this.draft.text, this.draft.cursor);
    if (word) this.draft.replace(word.from, word.to, insert);
    this.#complete();
    return word?.from ?? this.draft.cursor;
  }

  /** False when the key does nothing here. */
  #act(action: Action): boolean {
    const { draft } = this;
    switch (action) {
      case "send":
        return this.#send();
      case "newLine":
        draft.insert("\n");
        return true;
      case "up":
        if (!draft.vertical(-1)) this.#recall(this.#parts.history.earlier(draft.text));
        return true;
      case "down":
        if (!draft.vertical(1)) this.#recall(this.#parts.history.later());
        return true;
      case "complete":
        return true;
      case "attachImage":
        this.#attach([this.#parts.copied()], () => draft.cursor);
        return true;
      default:
        return edits[action]?.(draft) ?? false;
    }
  }

  #recall(text: string | null): void {
    if (text !== null) this.draft.set(text);
  }

  #send(): boolean {
    const { draft } = this;
    if (draft.text[draft.cursor - 1] === "\\") {
      draft.erase();
      draft.insert("\n");
      return true;
    }
    if (!draft.empty) this.#parts.send(this.take());
    return true;
  }
}
