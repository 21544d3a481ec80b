// The harness and the session that a front end works with, and the way to go on with others: another model, another mode,
// another session. One is closed before the next is opened, for a log has one writer.
// Invariant: when the next one cannot be opened, the one before is open again and the reason is thrown.

import type { HomeDirs } from "../config/home.js";
import type { Mode } from "../core/policy.js";
import { homeOf } from "../harness/place.js";
import { createHarness, type Harness, type HarnessOptions, type OpenOptions, type Session } from "../index.js";

export interface Reopening {
  model?: string;
  mode?: Mode;
  /** Null: a new session. Absent: the one that is open. */
  resume?: string | null;
}

export class Desk {
  #options: HarnessOptions;
  #harness: Harness;
  #session: Session | undefined;

  constructor(options: HarnessOptions) {
    this.#options = options;
    this.#harness = createHarness(options);
  }

  get harness(): Harness {
    return this.#harness;
  }

  /** Where the user's own files are. */
  get dirs(): HomeDirs {
    return homeOf(this.#options);
  }

  get session(): Session {
    if (!this.#session) throw new Error("no session is open yet");
    return this.#session;
  }

  async open(open: OpenOptions): Promise<Session> {
    this.#session = await this.#harness.open(open);
    return this.#session;
  }

  /** The session of a slash command that opened one by itself. */
  take(session: Session): void {
    this.#session = session;
  }

  async reopen({ model, mode, resume }: Reopening): Promise<Session> {
    const before = { options: this.#options, open: openingOf(this.#session) };
    const settings = mode === undefined ? this.#options.settings : withMode(this.#options.settings, mode);
    const next: HarnessOptions = {
      ...this.#options,
      ...(model === undefined ? {} : { model }),
      ...(settings === undefined ? {} : { settings }),
    };
    await this.#harness.close();
    try {
      const open = resume === null ? {} : resume === undefined ? before.open : { resume };
      return await this.#enter(next, open);
    } catch (error) {
      await this.#harness.close();
      await this.#enter(before.options, before.open);
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#harness.close();
  }

  async #enter(options: HarnessOptions, open: OpenOptions): Promise<Session> {
    this.#options = options;
    this.#harness = createHarness(options);
    return this.open(open);
  }
}

/** A session in which nothing was said has no file, so a new one takes its place. */
function openingOf(session: Session | undefined): OpenOptions {
  if (!session) return {};
  for (const entry of session.entries()) if (entry.type === "message") return { resume: session.id };
  return {};
}

function withMode(settings: HarnessOptions["settings"], mode: Mode): HarnessOptions["settings"] {
  return { ...settings, permissions: { ...settings?.permissions, mode } };
}
