// From bytes to keys: sequences may come in pieces and several at once; a paste is one thing. Answers of the terminal to
// questions of ours are told apart from what somebody typed.

import { decodePrintableKey, KeyStream, parseKey } from "./toolkit.js";

export interface Key {
  /** `ctrl+t`, `enter`, `y`; "" for what is no key of ours. */
  name: string;
  /** What it types; "" for keys that type nothing. */
  text: string;
}

export interface Typed {
  key(key: Key): void;
  paste(text: string): void;
  /** The terminal has answered a status report: whatever was typed before our question has been read. */
  report(): void;
}

const statusReport = "\x1b[0n";

export class Keyboard {
  readonly #stream = new KeyStream({ timeout: 15 });
  readonly #decoder = new TextDecoder();

  constructor(typed: Typed) {
    this.#stream.on("data", (sequence: string) => {
      if (sequence === statusReport) return typed.report();
      const key = keyOf(sequence);
      if (key.name !== "" || key.text !== "") typed.key(key);
    });
    this.#stream.on("paste", (text: string) => typed.paste(text));
  }

  feed(bytes: string | Uint8Array): void {
    const text = typeof bytes === "string" ? bytes : this.#decoder.decode(bytes, { stream: true });
    if (text !== "") this.#stream.process(text);
  }

  stop(): void {
    this.#stream.destroy();
  }
}

function keyOf(sequence: string): Key {
  const printable = decodePrintableKey(sequence);
  const text = printable !== undefined && isText(printable) ? printable : isText(sequence) ? sequence : "";
  const name = text !== "" && text !== " " ? text : nameOf(sequence);
  return { name, text };
}

function nameOf(sequence: string): string {
  // Enter is a carriage return in raw mode; a line feed is Ctrl+J, or Shift+Enter where a terminal was told to send that.
  if (sequence === "\n") return "ctrl+j";
  const alt = /^\x1b([\x21-\x7e])$/.exec(sequence)?.[1];
  return parseKey(sequence) ?? (alt === undefined ? "" : `alt+${alt}`);
}

function isText(sequence: string): boolean {
  return !/[\x00-\x1f\x7f-\x9f]/.test(sequence);
}
