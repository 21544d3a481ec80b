// What the sandbox adds to a command, as a line on the terminal. Only the outcomes are asserted; the milliseconds are for
// people to read (docs/performance.md).

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hrtime } from "node:process";
import { expect } from "vitest";
import { Confinement } from "../../src/harness/shell/confinement.js";
import { Supervision } from "../../src/harness/shell/supervision.js";
import { nodeFs } from "../../src/lib/fs.js";
import { runShell } from "../../src/lib/process.js";
import { needs } from "../support/needs.js";
import { tempDir, unguarded } from "../support/run.js";

const pairs = 40;

needs("bwrap")("a command inside, beside the same one outside", async () => {
  const base = tempDir();
  const root = join(base, "project");
  mkdirSync(join(root, ".git"), { recursive: true });
  for (let i = 0; i < 30; i++) writeFileSync(join(root, `file-${i}.ts`), "");
  const supervision = new Supervision(nodeFs, join(base, "running"), () => false);
  const place = {
    disk: nodeFs,
    program: "/usr/bin/bwrap",
    root,
    cwd: root,
    addDirs: [],
    own: [base],
    env: process.env,
  };
  const confinement = await Confinement.tryOut({ ...place, network: true, write: [], read: [], supervision });
  expect(confinement.trial.state).toBe("full");
  const run = async (readsOnly: boolean | null): Promise<number> => {
    const started = hrtime.bigint();
    const about = { cwd: root, readable: base, conceals: () => false, guards: null };
    const confined = readsOnly === null ? null : await confinement.prepare({ ...about, readsOnly });
    const ended = await runShell({
      ...{
        command: "true",
        cwd: root,
        env: { PATH: "/usr/bin:/bin" },
        timeoutMs: 60_000,
        spillDir: base,
        disk: nodeFs,
      },
      ...{ signal: new AbortController().signal, guard: unguarded, ...(confined ? { confine: confined.argv } : {}) },
    });
    expect(ended.exit).toBe(0);
    expect(confined?.settle() ?? []).toEqual([]);
    return Number(hrtime.bigint() - started) / 1e6;
  };
  const times: Record<string, number[]> = { outside: [], "only reading": [], writing: [] };
  const kinds = [null, true, false] as const;
  for (const kind of kinds) await run(kind);
  for (let i = 0; i < pairs; i++) {
    for (const [j, name] of Object.keys(times).entries()) times[name]?.push(await run(kinds[j] ?? null));
  }
  const median = (all: number[]) => [...all].sort((a, b) => a - b)[pairs / 2] ?? 0;
  console.log(
    Object.entries(times)
      .map(([name, all]) => `${name} ${median(all).toFixed(1)} ms`)
      .join(", "),
  );
  confinement.close();
  await supervision.close();
});
