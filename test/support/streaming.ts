// An answer that arrives in 600 pieces below 40 finished messages, on the emulator at 80x24. What it costs in time is
// measured from outside by `cinch bench` (terminal-cpu, terminal-echo).

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { appStage } from "./app.js";

export interface Streamed {
  /** Written from the first piece of the answer to its end. */
  written: string;
  /** Whole screens and scrollbacks that were cleared in all. */
  cleared: number;
  /** Rows of the answer in scrollback and screen, by their numbers. */
  rows: number[];
}

const finished = 40;
const pieces = 600;

export async function streamed(): Promise<Streamed> {
  const listed = Array.from({ length: 100 }, (_, at) => {
    const name = `Row ${String(at + 1).padStart(3, "0")} of it`;
    return `- ${name}, with **words** in it and more of them, so that it is nearly a line`;
  });
  const text = listed.join("\n");
  const before = Array.from({ length: finished }, (_, at) => ({
    text: `Message **${at + 1}**: a sentence about \`f${at}.txt\`, and what follows from it.`,
    calls: [{ tool: "read_file", input: { path: `f${at}.txt` } }],
  }));
  const s = await appStage([...before, { text, chunk: Math.ceil(text.length / pieces), delay_ms: 3 }], {
    first: "go",
    harness: { settings: { sandbox: { mode: "off" }, permissions: { mode: "auto" } } },
    prepare: (project) => {
      for (let at = 0; at < finished; at++) writeFileSync(join(project, `f${at}.txt`), `text ${at}\n`);
    },
  });
  await s.tty.until("Row 001");
  const from = s.tty.bytes.length;
  await expect.poll(() => s.events.some(({ type }) => type === "run.end"), { timeout: 30_000 }).toBe(true);
  await s.tty.until("What is to be done?");
  const written = s.tty.bytes.slice(from);
  const rows = (await s.tty.all()).flatMap((row) => /Row (\d{3}) of it/.exec(row)?.[1] ?? []);
  return { written, cleared: s.tty.bytes.match(/\x1b\[[23]J|\x1bc/g)?.length ?? 0, rows: rows.map(Number) };
}
