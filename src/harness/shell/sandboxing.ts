// The sandbox of a harness, as far as it is known without loading it: what to expect of it, and whether there is to be one.
// It is tried out with the first command, or, when it is required, before the first session.

import { UserError } from "../../core/errors.js";
import type { Emit } from "../../core/event.js";
import type { Mode, SandboxReport, SandboxState } from "../../core/policy.js";
import { Opened } from "../../lib/opened.js";
import { sandboxProgram } from "../../sandbox/program.js";
import type { Trial } from "../../sandbox/trial.js";
import { loadAnalysis, loadConfinement } from "../lazy.js";
import type { ShellOptions } from "../ports.js";
import type { ConfinedCommand, Confinement, ConfinementOptions } from "./confinement.js";

export interface SandboxingOptions extends Omit<ConfinementOptions, "program"> {
  mode: "auto" | "off";
  required: boolean;
  permissionMode: Mode;
}

const lack = process.platform === "linux" ? "bubblewrap is not installed" : "there is one for Linux only";

type Wall = Pick<ShellOptions, "confine">;

export class Sandboxing {
  /** Before it was tried: whether its program is there. */
  readonly expected: SandboxState;
  readonly #options: SandboxingOptions;
  readonly #program: string | null;
  readonly #confinement = new Opened(() => this.#load());
  #trial: Trial | undefined;

  constructor(options: SandboxingOptions) {
    const { mode, disk } = options;
    this.#options = options;
    this.#program = mode === "auto" ? sandboxProgram(disk, process.platform) : null;
    this.expected = this.#program === null ? "none" : "full";
  }

  /** Said at the start where commands run unasked: that nothing stands around them, although nobody wanted it so. */
  get remarks(): string[] {
    const { mode, permissionMode } = this.#options;
    if (this.#program !== null || mode === "off" || permissionMode !== "auto") return [];
    return [`Commands run without a sandbox: ${lack}.`];
  }

  /** Null where nothing can confine a command. The first time it is tried out. */
  async open(): Promise<Confinement | null> {
    if (this.#program === null) return null;
    const confinement = await this.#confinement.open();
    this.#trial = confinement.trial;
    return confinement.trial.state === "none" ? null : confinement;
  }

  /** What puts the commands of a session inside, if anything can. Says so when that is less than was expected. */
  async around(session: Pick<ConfinedCommand, "readable" | "conceals" | "guards">, emit: Emit): Promise<Wall> {
    // The first command is looked at next: what does that is read while the trial keeps nobody but the kernel busy.
    const [confinement] = await Promise.all([this.open(), loadAnalysis()]);
    const text = this.#trial && less(this.#trial);
    if (text) emit({ type: "notice", level: "warning", code: "sandbox", text });
    return confinement ? { confine: (command) => confinement.prepare({ ...command, ...session }) } : {};
  }

  /** Tries it out, if that has not been done. */
  async report(): Promise<SandboxReport> {
    const { mode } = this.#options;
    const confinement = await this.open();
    const trial = this.#trial;
    if (!trial) return { state: "none", why: mode === "off" ? "sandbox.mode is off" : lack, probe: [] };
    const probe = trial.tried.map((what) => ({ what, held: !trial.open.includes(what) }));
    return { state: confinement ? trial.state : "none", why: trial.why, probe };
  }

  async state(): Promise<SandboxState> {
    return (await this.open())?.trial.state ?? "none";
  }

  /** @throws UserError when there has to be one and there is none */
  async demand(): Promise<void> {
    const { required, mode } = this.#options;
    if (!required || (await this.open())) return;
    const tried = this.#trial && `it does not work here (${this.#trial.why})`;
    const why = mode === "off" ? "sandbox.mode is off" : (tried ?? lack);
    throw new UserError(
      `sandbox.required is set and there is no sandbox: ${why}.`,
      "Install bubblewrap where it may make user namespaces, or drop sandbox.required.",
    );
  }

  async #load(): Promise<Confinement> {
    const { Confinement } = await loadConfinement();
    return Confinement.tryOut({ ...this.#options, program: this.#program ?? "" });
  }

  async close(): Promise<void> {
    (await this.#confinement.forget())?.close();
  }
}

function less({ state, why }: Trial): string | null {
  if (state === "full") return null;
  if (state === "none") return `Commands run without a sandbox: it does not work here (${why}).`;
  return `The sandbox for commands guards files only: ${why}.`;
}
