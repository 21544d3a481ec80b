// Lines from a terminal before there is an interface: shown as they are typed, or not at all.
// Invariant: the terminal itself never echoes, so of a hidden line nothing is ever on the screen, and what was typed is kept
// nowhere but in the answer. Whatever ends the program, the terminal is given back.

import { safeText } from "../../lib/safe-text.js";
import { writeOut } from "../stdio.js";
import { type Key, Keyboard } from "../tui/keyboard.js";
import { lines, textOfLine, wrapAll } from "../tui/span.js";

export interface Asker {
  say(text: string): void;
  /** Null: the user wants to leave. */
  line(prompt: string, options?: { hidden?: boolean }): Promise<string | null>;
}

export class LineReader implements Asker {
  readonly #keyboard = new Keyboard({
    key: (key) => this.#key(key),
    paste: (text) => this.#paste(text),
    report: () => {},
  });
  readonly #onData = (bytes: Uint8Array) => this.#keyboard.feed(bytes);
  readonly #onExit = () => this.close();
  #open = true;
  /** Typed before it was asked for. */
  readonly #early: Key[] = [];
  #asked: { prompt: string; typed: string; hidden: boolean; settle(line: string | null): void } | undefined;

  constructor() {
    process.stdin.setRawMode(true);
    process.stdin.on("data", this.#onData);
    process.stdin.resume();
    process.on("exit", this.#onExit);
  }

  say(text: string): void {
    const rows = wrapAll(lines(text), Math.max(1, process.stdout.columns || 80));
    writeOut(safeText(`${rows.map(textOfLine).join("\n")}\n`));
  }

  line(prompt: string, { hidden = false } = {}): Promise<string | null> {
    writeOut(safeText(prompt));
    return new Promise((settle) => {
      this.#asked = { prompt, typed: "", hidden, settle };
      for (let key = this.#early.shift(); key && this.#asked; key = this.#early.shift()) this.#key(key);
    });
  }

  /** Gives the terminal back; an open question is left. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#keyboard.stop();
    process.stdin.off("data", this.#onData);
    process.stdin.pause();
    process.off("exit", this.#onExit);
    if (!process.stdin.destroyed) process.stdin.setRawMode(false);
    this.#settle(null);
  }

  #paste(text: string): void {
    for (const character of text.trim()) this.#key({ name: "", text: character });
  }

  #key(key: Key): void {
    const asked = this.#asked;
    if (!asked) return void this.#early.push(key);
    if (["ctrl+c", "ctrl+d", "escape"].includes(key.name)) this.#settle(null);
    else if (["enter", "ctrl+j"].includes(key.name)) this.#settle(asked.typed);
    else if (key.name === "backspace") this.#erase(1);
    else if (key.name === "ctrl+u") this.#erase([...asked.typed].length);
    else if (key.text !== "") {
      asked.typed += key.text;
      if (!asked.hidden) writeOut(safeText(key.text));
    }
  }

  #erase(count: number): void {
    const asked = this.#asked;
    if (!asked || asked.typed === "") return;
    asked.typed = [...asked.typed].slice(0, -count).join("");
    if (!asked.hidden) writeOut(safeText(`\n${asked.prompt}${asked.typed}`));
  }

  #settle(line: string | null): void {
    const asked = this.#asked;
    if (!asked) return;
    this.#asked = undefined;
    writeOut(safeText("\n"));
    asked.settle(line);
  }
}
