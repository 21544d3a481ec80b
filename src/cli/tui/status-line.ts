// Keeps what the status line shows: the branch, what was spent, tasks; and runs the user's own command for it, if there is one.
// Invariant: figures are sums of events; a command of the user's is run at most once a second and never holds up a frame.

import type { UiSettings } from "../../config/ui.js";
import type { Event } from "../../core/event.js";
import type { Mode } from "../../core/policy.js";
import type { Session } from "../../index.js";
import type { Fs } from "../../lib/fs.js";
import { gitBranch } from "./git-branch.js";
import { defaultTemplate, type Facts, statusText } from "./status.js";
import type { Transcript } from "./transcript.js";

export interface StatusParts {
  ui: UiSettings;
  env: Readonly<Record<string, string | undefined>>;
  root: string;
  disk: Fs;
  refresh(): void;
}

const pause = 1_000;
/** Of a command's line: more than any terminal is wide, and no more to measure in each frame than that. */
const mostCharacters = 1_000;

export class StatusLine {
  readonly #parts: StatusParts;
  #cost: number | null = 0;
  #branch: string | null;
  #said: string | null = null;
  #asked = 0;

  constructor(parts: StatusParts) {
    this.#parts = parts;
    this.#branch = gitBranch(parts.disk, parts.root);
  }

  event(event: Event): void {
    if (event.type === "turn.end")
      this.#cost = event.cost === null || this.#cost === null ? null : this.#cost + event.cost;
    if (event.type === "call.end" || event.type === "run.end")
      this.#branch = gitBranch(this.#parts.disk, this.#parts.root);
  }

  text({ session, transcript, mode }: { session: Session; transcript: Transcript; mode: Mode }): string {
    const { usage, waiting, strip } = transcript;
    const facts: Facts = {
      model: session.init.model,
      mode,
      branch: this.#branch,
      context: usage && usage.input + usage.cacheRead + usage.cacheWrite + usage.output,
      window: session.init.window,
      cost: this.#cost,
      usage,
      tasks: strip.work.length,
      waiting: waiting.length,
      session: session.id,
    };
    const { status, statusCommand } = this.#parts.ui;
    if (statusCommand !== undefined) void this.#ask(statusCommand, facts);
    return this.#said ?? statusText(status ?? defaultTemplate, facts);
  }

  async #ask(command: string, facts: Facts): Promise<void> {
    const now = Date.now();
    if (now - this.#asked < pause) return;
    this.#asked = now;
    const { filtered } = await import("../../lib/filter.js");
    const { env, root, refresh } = this.#parts;
    const printed = await filtered("/bin/sh", ["-c", command], {
      cwd: root,
      env,
      input: JSON.stringify(facts),
      ms: pause,
    });
    const first = printed?.split("\n", 1)[0]?.slice(0, mostCharacters) ?? null;
    if (first === this.#said) return;
    this.#said = first;
    refresh();
  }
}
