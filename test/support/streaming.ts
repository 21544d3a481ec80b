// An answer that arrives in 600 pieces below 40 finished messages, on the emulator at 80x24, while somebody types.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { appStage } from "./app.js";

export interface Streamed {
  /** Written from the first piece of the answer to its end. */
  written: string;
  /** Whole screens and scrollbacks that were cleared in all. */
  cleared: number;
  /** CPU seconds of the whole process meanwhile: interface, harness, scripted model and emulator. */
  cpu: number;
  /** Milliseconds from when a key was due to when its echo was written, lowest first. */
  echoes: number[];
  /** Rows of the answer in scrollback and screen, by their numbers. */
  rows: number[];
}

const finished = 40;
const pieces = 600;
const keyEvery = 25;

export async function streamed(typing: boolean): Promise<Streamed> {
  const rows = Array.from({ length: 100 }, (_, at) => {
    const name = `Row ${String(at + 1).padStart(3, "0")} of it`;
    return `- ${name}, with **words** in it and more of them, so that it is nearly a line`;
  });
  const text = rows.join("\n");
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
  const cpu = process.cpuUsage();
  const from = s.tty.bytes.length;
  const echoes: number[] = [];
  const over = () => s.events.some(({ type }) => type === "run.end");
  for (let due = performance.now() + keyEvery; !over(); due += keyEvery) {
    await new Promise((resolve) => setTimeout(resolve, due - performance.now()));
    if (!typing) continue;
    s.tty.type("x");
    echoes.push(performance.now() - due);
  }
  const { user, system } = process.cpuUsage(cpu);
  const written = s.tty.bytes.slice(from);
  await s.tty.until("Row 100");
  const seen = (await s.tty.all()).flatMap((row) => /Row (\d{3}) of it/.exec(row)?.[1] ?? []);
  return {
    written,
    cleared: s.tty.bytes.match(/\x1b\[[23]J|\x1bc/g)?.length ?? 0,
    cpu: (user + system) / 1e6,
    echoes: echoes.sort((a, b) => a - b),
    rows: seen.map(Number),
  };
}
