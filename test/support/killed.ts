// The built program on a loopback model, killed with -9 at an instant of the caller's choice.

import { spawn } from "node:child_process";
import { bin, cleanEnv } from "./run.js";

export interface Doomed {
  /** Whatever it is doing. */
  kill(): void;
  /** The signal that ended it, or null, and what it said on stderr. */
  ended: Promise<[signal: NodeJS.Signals | null, said: string]>;
}

/** `cinch -p "go on" --permission-mode auto <args>` in `root`. */
export function startDoomed(place: { root: string; home: string; url: string }, args: readonly string[]): Doomed {
  const env = cleanEnv({ ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: place.url, CINCH_HOME: place.home });
  const all = [bin, "-p", "go on", "-m", "anthropic/claude-sonnet-4-5", "--permission-mode", "auto", ...args];
  const child = spawn(process.execPath, all, { cwd: place.root, env, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (data) => {
    said += data;
  });
  return {
    kill: () => void child.kill("SIGKILL"),
    ended: new Promise((resolve) => child.once("exit", (_, by) => resolve([by, said]))),
  };
}
