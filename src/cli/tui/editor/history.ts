// Messages that were sent before, in this session and in others: arrow up goes back through them.
// One line of JSON each, in a 0600 file of the state directory, appended so that two sessions at once both keep theirs.
// Invariant: no secret that is known gets in; a damaged line costs that line.

import { appendLine } from "../../../lib/append-file.js";
import type { Fs } from "../../../lib/fs.js";
import { isObject, parseJson } from "../../../lib/json.js";
import { readSmall } from "../../../lib/small-file.js";

const shown = 500;
const longest = 100_000;
const maxBytes = 8 * 1024 * 1024;

export interface HistoryPlace {
  disk: Fs;
  file: string;
  /** The project: its own messages are offered first. */
  root: string;
  redact(text: string): string;
}

export class History {
  readonly #place: HistoryPlace;
  #texts: string[];
  #at: number | null = null;
  #draft = "";

  constructor(place: HistoryPlace) {
    this.#place = place;
    this.#texts = read(place);
  }

  add(text: string): void {
    this.#at = null;
    if (text.trim() === "" || text.length > longest || this.#texts.at(-1) === text) return;
    const clean = this.#place.redact(text);
    this.#texts.push(clean);
    appendLine(this.#place.disk, this.#place.file, `${JSON.stringify({ root: this.#place.root, text: clean })}\n`);
  }

  /** The message before the one shown; `draft` is kept for the way back. Null at the end. */
  earlier(draft: string): string | null {
    const at = this.#at ?? this.#texts.length;
    if (at === 0) return null;
    if (this.#at === null) this.#draft = draft;
    this.#at = at - 1;
    return this.#texts[this.#at] ?? null;
  }

  later(): string | null {
    if (this.#at === null) return null;
    this.#at++;
    if (this.#at < this.#texts.length) return this.#texts[this.#at] ?? null;
    this.#at = null;
    return this.#draft;
  }

  /** What was typed is a message of its own now. */
  rest(): void {
    this.#at = null;
  }
}

/** Of all projects, the ones of this project newest. */
function read({ disk, file, root }: HistoryPlace): string[] {
  const lines = (readSmall(disk, file, maxBytes)?.text ?? "").split("\n");
  const rows = lines.flatMap((line) => {
    const value = parseJson(line);
    return isObject(value) && typeof value["text"] === "string" ? [{ text: value["text"], root: value["root"] }] : [];
  });
  const elsewhere = rows.filter((row) => row.root !== root);
  const here = rows.filter((row) => row.root === root);
  return [...elsewhere, ...here].map(({ text }) => text).slice(-shown);
}
