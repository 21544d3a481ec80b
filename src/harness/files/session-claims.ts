// The claims of one session: loaded at the first use, asked before each run, given back after it.
// Invariant: a session alone in its project pays one look at a directory for each run, and loads nothing for that.

import { join } from "node:path";
import type { Log } from "../../agent/ports.js";
import { codeOf } from "../../core/errors.js";
import type { Emit } from "../../core/event.js";
import type { AgentClaims } from "../../files/claims/claims.js";
import type { Fs } from "../../lib/fs.js";
import { Opened } from "../../lib/opened.js";
import { systemClock } from "../../lib/system.js";
import { projectKey } from "../../session/store.js";
import { loadClaims } from "../lazy.js";

export interface SessionClaimsOptions {
  root: string;
  cwd: string;
  options: { addDirs?: readonly string[] };
  state: string;
  session: string;
  /** Under which name the claims are: the id of a task, or `main`. */
  agent: string;
  /** Whose a path is without a claim; null = nobody's. */
  owner(): Promise<(path: string) => { agent: string; session: string } | null>;
  disk: Fs;
  log: Log;
  emit: Emit;
}

/** Characters the model is told at most about files of other agents. */
const maxTold = 1_500;

export class SessionClaims {
  /** What other agents are changing, for the model, as of the last look around; empty when there are none. */
  others = "";
  readonly #options: SessionClaimsOptions;
  readonly #dir: string;
  readonly #loading = new Opened(() => this.#open());
  /** The same, once it is there. */
  #claims: AgentClaims | undefined;

  constructor(options: SessionClaimsOptions) {
    this.#options = options;
    this.#dir = join(options.state, "claims", projectKey(options.root));
  }

  open(): Promise<AgentClaims> {
    return this.#loading.open();
  }

  async #open(): Promise<AgentClaims> {
    const { root, cwd, options, session, agent, owner, disk, log, emit } = this.#options;
    const [{ AgentClaims }, ownerOf] = await Promise.all([loadClaims(), owner()]);
    this.#claims = new AgentClaims({
      disk,
      root,
      cwd,
      addDirs: options.addDirs ?? [],
      dir: this.#dir,
      agent,
      session,
      owner: ownerOf,
      // Compared with times of files, which are those of the system, whatever clock the harness goes by.
      now: systemClock.now,
      emit,
      record: (claim) => void log.append("claim", claim),
    });
    return this.#claims;
  }

  /** Before a run: who else is at work here? */
  async lookAround(): Promise<void> {
    this.others = this.#isQuiet() ? "" : (await this.open()).othersText(maxTold);
  }

  /** The end of a run: what was only changed is anybody's again. */
  letGo(): void {
    this.#claims?.letGo();
  }

  /** The end of the session. */
  close(): void {
    this.#claims?.close();
  }

  /** A directory that cannot be looked at counts as none; the first claim there says what is wrong with it. */
  #isQuiet(): boolean {
    const { disk } = this.#options;
    try {
      // Most projects have never had a claim; a look at a directory that is not there opens nothing.
      return !disk.lstatSync(this.#dir, { throwIfNoEntry: false }) || disk.readdirSync(this.#dir).length === 0;
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      return true;
    }
  }
}
