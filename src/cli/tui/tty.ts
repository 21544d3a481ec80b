// The terminal as a device: its size, its modes, what is typed and what is written. The one place that changes modes, and the
// one that puts them back: whatever ends the program (a signal, a crash, Ctrl+Z), `exit` comes by here.
// Invariant: writes go through cli/stdio.ts, as safe text; nothing is read before `start`.

import { terminalCodes as codes, type SafeText, together } from "../../lib/safe-text.js";
import { writeOut } from "../stdio.js";
import { Keyboard, type Typed } from "./keyboard.js";

export interface Size {
  columns: number;
  rows: number;
}

export interface Listener extends Typed {
  resize(): void;
  /** The program is about to be stopped: nothing may be written until `resumed`. */
  lent(): void;
  /** The program was stopped and goes on: somebody else has drawn meanwhile. */
  resumed(): void;
}

export interface Tty {
  size(): Size;
  write(text: SafeText): void;
  start(listener: Listener): void;
  /** Gives the terminal back, as it was. Start takes it again. */
  stop(): void;
  /** Stops the program as Ctrl+Z does; `resumed` is called when it goes on. */
  suspend(): void;
}

const taken = together(codes.pasteOn, codes.keysOn);
const givenBack = together(codes.pasteOff, codes.keysOff, codes.showCursor, codes.progress(false));

export class ProcessTty implements Tty {
  #keyboard: Keyboard | undefined;
  #listener: Listener | undefined;
  readonly #onData = (bytes: Uint8Array) => this.#keyboard?.feed(bytes);
  readonly #onResize = () => this.#listener?.resize();
  readonly #onExit = () => this.stop();
  readonly #onStop = () => this.suspend();

  size(): Size {
    const { columns, rows } = process.stdout;
    return { columns: Math.max(1, columns || 80), rows: Math.max(2, rows || 24) };
  }

  write(text: SafeText): void {
    writeOut(text);
  }

  start(listener: Listener): void {
    this.#listener = listener;
    this.#keyboard = new Keyboard(listener);
    process.stdin.setRawMode(true);
    process.stdin.on("data", this.#onData);
    process.stdin.resume();
    process.stdout.on("resize", this.#onResize);
    process.on("exit", this.#onExit);
    process.on("SIGTSTP", this.#onStop);
    this.write(taken);
  }

  stop(): void {
    if (!this.#keyboard) return;
    this.#keyboard.stop();
    this.#keyboard = undefined;
    process.stdin.off("data", this.#onData);
    process.stdin.pause();
    process.stdout.off("resize", this.#onResize);
    process.off("exit", this.#onExit);
    process.off("SIGTSTP", this.#onStop);
    this.write(givenBack);
    // A terminal that has gone away has no modes either.
    if (!process.stdin.destroyed) process.stdin.setRawMode(false);
  }

  suspend(): void {
    const listener = this.#listener;
    listener?.lent();
    this.stop();
    // Nothing else keeps the process until the signal comes that it waits for.
    const awake = setInterval(() => {}, 60_000);
    process.once("SIGCONT", () => {
      clearInterval(awake);
      if (!listener) return;
      this.start(listener);
      listener.resumed();
    });
    process.kill(process.pid, "SIGSTOP");
  }
}
