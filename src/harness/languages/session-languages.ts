// The language servers as one session meets them: the port of its tools, and what servers make of what its turns change.
// Invariant: until a server runs it does nothing and costs nothing; servers hear of a change before the next call.

import type { TurnObserver } from "../../agent/ports.js";
import type { Emit } from "../../core/event.js";
import type { LanguagePort } from "../../core/lsp.js";
import type { FileChange } from "../../core/plan.js";
import { once } from "../../lib/once.js";
import { keysVisible, type Supervision } from "../shell/supervision.js";
import type { LanguageServers } from "./language-servers.js";
import type { Languages, SessionView } from "./languages.js";

export interface SessionLanguagesOptions {
  languages: LanguageServers;
  supervision: Supervision;
  settings: { lsp: { wait_ms: number } };
  emit: Emit;
  permissions: { concealed(): Promise<SessionView["conceals"]> };
}

export class SessionLanguages implements TurnObserver {
  readonly #options: SessionLanguagesOptions;
  readonly #kept: SessionView["kept"];
  #turns: ReturnType<Languages["turns"]> | undefined;
  /** Of this turn. */
  #changes: FileChange[] = [];

  constructor(options: SessionLanguagesOptions, kept: SessionView["kept"]) {
    this.#options = options;
    this.#kept = kept;
  }

  readonly port: () => Promise<LanguagePort> = once(async () => {
    const { languages, supervision, emit } = this.#options;
    if ((await supervision.hide()) === "visible") emit(keysVisible);
    return (await languages.open(supervision)).port(await this.#view());
  });

  changed(change: FileChange): void {
    const running = this.#options.languages.live?.pool.all() ?? [];
    const { path, before, after } = change;
    if (running.length === 0 || before === after) return;
    this.#changes.push(change);
    const type = after === null ? 3 : before === null ? 1 : 2;
    for (const server of running) server.changed([{ path, type }]);
  }

  async settle(signal: AbortSignal): Promise<string | null> {
    const changes = this.#changes.splice(0);
    const { live } = this.#options.languages;
    if (live && changes.length > 0) {
      this.#turns ??= live.turns(await this.#view());
      for (const change of changes) this.#turns.changed(change);
    }
    return (await this.#turns?.problems.settle(signal)) ?? null;
  }

  late(): string | null {
    return this.#turns?.problems.late() ?? null;
  }

  async #view(): Promise<SessionView> {
    const { permissions, settings } = this.#options;
    return { conceals: await permissions.concealed(), kept: this.#kept, waitMs: settings.lsp.wait_ms };
  }
}
