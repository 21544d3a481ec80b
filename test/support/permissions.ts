// One run over a list of calls, with settings of permission and perhaps somebody to ask. What was denied is looked for on
// the disk.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { HarnessOptions, Result } from "../../src/index.js";
import { resultText, stage } from "./stage.js";

export type Settings = NonNullable<HarnessOptions["settings"]>;
export type Ask = NonNullable<HarnessOptions["ask"]>;

export const write = (path: string, id = "w") => ({ id, name: "write_file", input: { path, content: "x\n" } });
export const run = (command: string, id = "r") => ({ id, name: "run_command", input: { command } });
export const done = { text: "done" };

/** One run over these calls, each in a message of its own. */
export async function play(calls: { id: string; name: string; input: object }[], settings: Settings, ask?: Ask) {
  const set = await stage([...calls.map((call) => ({ calls: [call] })), done]);
  const at = {
    ...set,
    /** What the model read as the result of the n-th call. */
    told: (n: number) => resultText(set.bodies()[n + 1], calls[n]?.id ?? ""),
    has: (path: string) => existsSync(join(set.root, path)),
    go: async (more: Partial<HarnessOptions> = {}): Promise<Result> => {
      const session = await set.open({ settings, ...(ask ? { ask } : {}), ...more });
      return session.send("go");
    },
  };
  return at;
}
