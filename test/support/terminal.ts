// The built program on a real terminal (a pty), seen through a terminal emulator: type, wait for what the screen shows, look.
// Waits for what the screen says, never for time.

import { type ChildProcess, spawn } from "node:child_process";
import type { Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import xterm from "@xterm/headless";
import { onTestFinished } from "vitest";
import { bin, cleanEnv } from "./run.js";

const bridge = fileURLToPath(new URL("terminal-bridge.py", import.meta.url));

/** What does not come for so long never comes; the test then says what it saw instead. */
const patience = 60_000;

export interface TerminalOptions {
  cwd: string;
  home: string;
  columns?: number;
  rows?: number;
  env?: Record<string, string>;
  /** Instead of the built program. */
  program?: readonly string[];
}

export class TestTerminal {
  readonly emulator: InstanceType<typeof xterm.Terminal>;
  readonly child: ChildProcess;
  readonly done: Promise<number | null>;
  /** Process id of the program. */
  readonly pid: Promise<number>;
  /** Everything it wrote. */
  bytes = "";
  #changed: () => void = () => {};
  #over = false;

  constructor(args: readonly string[], options: TerminalOptions) {
    const { columns = 80, rows = 24, cwd, home, program = [process.execPath, bin] } = options;
    this.emulator = new xterm.Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true });
    const env = cleanEnv({ TERM: "xterm-256color", NO_COLOR: "", CINCH_HOME: home, ...options.env });
    const command = [bridge, String(rows), String(columns), ...program, ...args];
    this.child = spawn("python3", command, { cwd, env, stdio: ["pipe", "pipe", "pipe", "pipe"] });
    onTestFinished(() => void this.child.kill("SIGKILL"));
    this.child.stdout?.on("data", (data: Buffer) => {
      this.bytes += data.toString("latin1");
      this.emulator.write(data, () => this.#changed());
    });
    // The terminal answers what it is asked, as a real one does.
    this.emulator.onData((answer) => this.child.stdin?.write(answer));
    this.child.stdin?.on("error", () => {});
    this.pid = new Promise((resolve) => {
      this.child.stderr?.once("data", (data: Buffer) => resolve(Number(data.toString().split("\n")[0])));
    });
    this.done = new Promise((resolve) => {
      this.child.once("close", (code) => {
        // Its last bytes may not be drawn yet.
        this.emulator.write("", () => {
          this.#over = true;
          this.#changed();
          resolve(code);
        });
      });
    });
  }

  type(text: string): void {
    this.child.stdin?.write(text);
  }

  resize(columns: number, rows: number): void {
    this.emulator.resize(columns, rows);
    (this.child.stdio[3] as Writable).write(`${rows} ${columns}\n`);
  }

  /** The rows in sight, without blanks at their ends. */
  screen(): string[] {
    const { active } = this.emulator.buffer;
    return Array.from({ length: this.emulator.rows }, (_, at) => this.#row(active.baseY + at));
  }

  /** Everything, what has scrolled away included. */
  all(): string[] {
    const { length } = this.emulator.buffer.normal;
    return Array.from({ length }, (_, at) => this.emulator.buffer.normal.getLine(at)?.translateToString(true) ?? "");
  }

  #row(at: number): string {
    return this.emulator.buffer.active.getLine(at)?.translateToString(true) ?? "";
  }

  /**
   * Gives the answer to a question that is on the screen. What is typed as it appears is for the editor, and nothing shows when
   * that is over, so it is said again while `asked` is still there. Resolves to how many keys have gone to the editor.
   */
  async answer(key: string, asked: RegExp): Promise<number> {
    for (let tries = 0; tries < 20; tries++) {
      this.type(key);
      const gone = await this.until((screen) => !asked.test(screen), 1_000).catch(() => null);
      if (gone !== null) return tries;
    }
    throw new Error(`the question stays:\n${this.screen().join("\n")}`);
  }

  /** Resolves when the screen fits; rejects, with the screen, when the program ends without it or nothing comes any more. */
  async until(fits: string | RegExp | ((screen: string) => boolean), patient = patience): Promise<string> {
    const test =
      typeof fits === "function"
        ? fits
        : (text: string) => (typeof fits === "string" ? text.includes(fits) : fits.test(text));
    const hung = Date.now() + patient;
    for (;;) {
      const screen = this.screen().join("\n");
      if (test(screen)) return screen;
      if (this.#over) throw new Error(`the program ended and the screen never showed ${fits}:\n${screen}`);
      if (Date.now() >= hung) throw new Error(`the screen does not come to show ${fits}:\n${screen}`);
      await new Promise<void>((resolve) => {
        const late = setTimeout(resolve, hung - Date.now());
        this.#changed = () => {
          clearTimeout(late);
          resolve();
        };
      });
    }
  }
}
