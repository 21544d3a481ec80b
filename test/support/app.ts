// The terminal interface in this process, on an emulator in place of a terminal: what is typed goes in as bytes, what it writes
// is drawn, and answers of the terminal come back.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import xterm from "@xterm/headless";
import { expect, onTestFinished } from "vitest";
import { Desk } from "../../src/cli/desk.js";
import { App, type AppParts } from "../../src/cli/tui/app.js";
import { History } from "../../src/cli/tui/editor/history.js";
import { Keyboard } from "../../src/cli/tui/keyboard.js";
import { Keymap } from "../../src/cli/tui/keys.js";
import type { Listener, Tty } from "../../src/cli/tui/tty.js";
import type { Event, HarnessOptions } from "../../src/index.js";
import { nodeFs } from "../../src/lib/fs.js";
import { tempDir } from "./run.js";

export class Emulator implements Tty {
  readonly terminal: InstanceType<typeof xterm.Terminal>;
  bytes = "";
  /** What it had written when it was stopped. */
  suspended: string | undefined;
  /** Called when everything that was written is on the screen. */
  shown: (() => void) | undefined;
  #undrawn = 0;
  #keyboard: Keyboard | undefined;
  #listener: Listener | undefined;
  #drawn: Promise<void> = Promise.resolve();

  constructor(columns = 80, rows = 24) {
    this.terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 20_000, allowProposedApi: true });
    this.terminal.onData((answer) => this.#keyboard?.feed(answer));
  }

  size() {
    return { columns: this.terminal.cols, rows: this.terminal.rows };
  }

  write(text: string): void {
    this.bytes += text;
    this.#undrawn++;
    this.#drawn = new Promise((resolve) => {
      this.terminal.write(text, () => {
        resolve();
        if (--this.#undrawn === 0) this.shown?.();
      });
    });
  }

  start(listener: Listener): void {
    this.#listener = listener;
    this.#keyboard = new Keyboard(listener);
  }

  stop(): void {
    this.#keyboard?.stop();
  }

  suspend(): void {
    this.#listener?.lent();
    this.suspended = this.bytes;
  }

  type(text: string): void {
    this.#keyboard?.feed(text);
  }

  resize(columns: number, rows: number): void {
    this.terminal.resize(columns, rows);
    this.#listener?.resize();
  }

  /** The rows in sight. */
  async screen(): Promise<string[]> {
    await this.#drawn;
    const { active } = this.terminal.buffer;
    return Array.from(
      { length: this.terminal.rows },
      (_, at) => active.getLine(active.baseY + at)?.translateToString(true) ?? "",
    );
  }

  /** Scrollback and screen. */
  async all(): Promise<string[]> {
    await this.#drawn;
    const { normal } = this.terminal.buffer;
    return Array.from({ length: normal.length }, (_, at) => normal.getLine(at)?.translateToString(true) ?? "");
  }

  async until(fits: string | RegExp): Promise<string> {
    const late = Date.now() + 50_000;
    for (;;) {
      const text = (await this.screen()).join("\n");
      if (typeof fits === "string" ? text.includes(fits) : fits.test(text)) return text;
      if (Date.now() > late) throw new Error(`the screen does not come to show ${fits}:\n${text}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

export interface AppStage {
  app: App;
  tty: Emulator;
  desk: Desk;
  events: Event[];
  project: string;
  home: string;
  /** Resolves when it has ended. */
  ended: Promise<void>;
}

export interface AppOptions {
  size?: [columns: number, rows: number];
  harness?: Partial<HarnessOptions>;
  parts?: Partial<AppParts>;
  first?: string;
  /** Before the session is opened. */
  prepare?(project: string, home: string): void;
}

/** The interface on a session whose model plays `script`. Type `/quit` to end it. */
export async function appStage(script: object, options: AppOptions = {}): Promise<AppStage> {
  const base = tempDir();
  const [project, home] = [join(base, "project"), join(base, "home")];
  mkdirSync(join(project, ".git"), { recursive: true });
  mkdirSync(home);
  writeFileSync(join(base, "script.json"), JSON.stringify(script));
  options.prepare?.(project, home);
  const settings = { sandbox: { mode: "off" } } as const;
  const model = `scripted/${join(base, "script.json")}`;
  const env = { PATH: process.env["PATH"] };
  const desk = new Desk({ cwd: project, home, model, env, settings, answerable: true, ...options.harness });
  const session = await desk.open({});
  const events: Event[] = [];
  const listening = session.events();
  void (async () => {
    for await (const event of listening) events.push(event);
  })();
  const tty = new Emulator(...(options.size ?? [80, 24]));
  const app = new App({
    desk,
    tty,
    keymap: new Keymap(),
    theme: { name: "mono", links: false, sequences: true },
    calls: "diff",
    pictures: null,
    clipboard: async () => null,
    vim: false,
    home: undefined,
    bell: false,
    now: Date.now,
    history: new History({ disk: nodeFs, file: join(home, "history.jsonl"), root: project, redact: (text) => text }),
    candidates: () => [],
    status: ({ mode }) => `scripted | ${mode}`,
    changed: () => {},
    edit: async () => null,
    ...options.parts,
  });
  const ended = app.run({ opening: [], first: options.first });
  onTestFinished(async () => {
    app.quit();
    await ended;
  });
  return { app, tty, desk, events, project, home, ended };
}

/** What is in the editor. */
async function draft(s: AppStage): Promise<string> {
  const rows = await s.tty.screen();
  const first = rows.findLastIndex((row) => /^─+$/.test(row)) + 1;
  const last = rows.findIndex((row, at) => at > first && row.startsWith("scripted | "));
  return rows
    .slice(first, last)
    .map((row) => row.slice(2).trimEnd())
    .join("\n");
}

/** Waits until the editor has this text. */
export async function shows(s: AppStage, text: string): Promise<void> {
  await expect.poll(() => draft(s), { timeout: 50_000 }).toBe(text);
}
