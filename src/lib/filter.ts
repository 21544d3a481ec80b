// A small program of the user's that makes a text of a text, for a status line: bounded in time and size, in a process group
// of its own, and nothing that depends on its answer waits for long.

import { NotStarted, startGroup } from "./process.js";
import { endGroup } from "./process-group.js";
import { RunningTimer } from "./running-timer.js";

export interface FilterRun {
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  input: string;
  ms: number;
}

const most = 10_000;

/** What it prints; null when it failed, was silent for too long or said too much. */
export async function filtered(
  file: string,
  args: readonly string[],
  { cwd, env, input, ms }: FilterRun,
): Promise<string | null> {
  const set = Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const group = await startGroup(file, args, { cwd, env: Object.fromEntries(set) }).catch((error: unknown) => {
    if (error instanceof NotStarted) return null;
    throw error;
  });
  if (!group) return null;
  const { child, pid } = group;
  return new Promise((resolve) => {
    const end = () => void endGroup(pid, 0);
    const timer = new RunningTimer(ms, end);
    let printed = "";
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    child.stderr.resume();
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
      if (printed.length > most) end();
    });
    child.once("close", (code) => {
      timer.end();
      resolve(code === 0 ? printed : null);
    });
  });
}
