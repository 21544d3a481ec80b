// The built program as a user has it: a project, a home, a script for the model, and processes that can be talked to.
// Waiting is always for something the program says, never for time.

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { bin, cinch, cleanEnv, type Outcome, tempDir } from "./run.js";

export interface CliStage {
  project: string;
  home: string;
  /** `cinch <args> -m scripted/<the script>` to its end. */
  run(args: readonly string[], options?: { input?: string; env?: Record<string, string> }): Promise<Outcome>;
  /** The same without a model. */
  bare(
    args: readonly string[],
    options?: { input?: string; env?: Record<string, string>; cwd?: string },
  ): Promise<Outcome>;
  /** Starts it and leaves it running. `node`: flags for node itself. */
  start(args: readonly string[], more?: Launch): LiveCli;
}

export interface Launch {
  env?: Readonly<Record<string, string>>;
  node?: readonly string[];
}

export type Line = Record<string, unknown> & { type: string; subtype?: string };

/** Without the sandbox unless `sandboxed`: tests look at processes by their ids, and the machine must not decide what they see. */
export function cliStage(
  script: readonly object[] = [{ text: "hello" }],
  { sandboxed = false, base = tempDir() }: { sandboxed?: boolean; base?: string } = {},
): CliStage {
  const [project, home] = [join(base, "project"), join(base, "home")];
  mkdirSync(join(project, ".git"), { recursive: true });
  mkdirSync(home);
  const file = join(base, "script.json");
  writeFileSync(file, JSON.stringify(script));
  const settings = join(base, "settings.json");
  writeFileSync(settings, '{"sandbox": {"mode": "off"}, "lsp": {"disabled": ["*"]}}');
  const open = ["--settings", settings];
  const withModel = (args: readonly string[]) => [
    ...["-m", `scripted/${file}`, ...(sandboxed || args.includes("--settings") ? [] : open)],
    ...args,
  ];
  return {
    project,
    home,
    run: (args, options = {}) => cinch(withModel(args), { cwd: project, ...options }),
    bare: (args, options = {}) => cinch(args, { cwd: project, ...options, env: { CINCH_HOME: home, ...options.env } }),
    start: (args, more) => new LiveCli(withModel(args), project, home, more),
  };
}

/** Every line of stdout, parsed; throws when one is not JSON. */
export function jsonLines(stdout: string): Line[] {
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);
}

export class LiveCli {
  readonly child: ChildProcessWithoutNullStreams;
  readonly done: Promise<Outcome & { signal: string | null }>;
  stdout = "";
  stderr = "";
  #closed = false;
  #changed: () => void = () => {};

  constructor(args: readonly string[], cwd: string, home: string, { env = {}, node = [] }: Launch = {}) {
    const own = cleanEnv({ CINCH_HOME: home, ...env });
    this.child = spawn(process.execPath, [...node, bin, ...args], { cwd, env: own, stdio: "pipe" });
    onTestFinished(() => void this.child.kill("SIGKILL"));
    this.child.stdin.on("error", () => {});
    this.child.stdout.setEncoding("utf8").on("data", (text: string) => this.#take({ stdout: text }));
    this.child.stderr.setEncoding("utf8").on("data", (text: string) => this.#take({ stderr: text }));
    this.done = new Promise((resolve, reject) => {
      this.child.once("error", reject);
      this.child.once("close", (exit, signal) => {
        this.#closed = true;
        this.#changed();
        resolve({ exit, signal, stdout: this.stdout, stderr: this.stderr });
      });
    });
  }

  send(line: object | string): void {
    this.child.stdin.write(`${typeof line === "string" ? line : JSON.stringify(line)}\n`);
  }

  end(): void {
    this.child.stdin.end();
  }

  /** The first line of stdout that fits, when it is there; rejects when the program ends without it. */
  async line(fits: (line: Line) => boolean): Promise<Line> {
    for (;;) {
      const complete = this.stdout.slice(0, this.stdout.lastIndexOf("\n") + 1);
      const found = jsonLines(complete).find(fits);
      if (found) return found;
      if (this.#closed) throw new Error(`the program ended without that line:\n${this.stdout}\n${this.stderr}`);
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
  }

  #take({ stdout = "", stderr = "" }: { stdout?: string; stderr?: string }): void {
    this.stdout += stdout;
    this.stderr += stderr;
    this.#changed();
  }
}
