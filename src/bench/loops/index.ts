// How well loops are told from work: shapes of both kinds (looping.json, legitimate.json), each played by a model without
// a mind of its own against the real loop and the real tools. A looping one goes on long after it should have been ended.
// In a shape `{{i}}` is the number of the repetition from 0, `{{i+1}}` the next; `"{{=i*3+1}}"` is a number.
// Invariant: what counts is how the run ended, never what the detector says of itself.

import { join } from "node:path";
import type { JsonObject } from "../../core/json.js";
import type { CallPart } from "../../core/message.js";
import { createHarness, type Model } from "../../index.js";
import { replaceFile } from "../../lib/atomic-file.js";
import { nodeFs } from "../../lib/fs.js";
import legitimate from "./legitimate.json" with { type: "json" };
import looping from "./looping.json" with { type: "json" };

export interface Shape {
  name: string;
  about: string;
  files: Record<string, string>;
  cycles: { times: number; rounds: [tool: string, input: JsonObject][][] }[];
}

export interface LoopTrial {
  name: string;
  looping: boolean;
  /** Ended as a loop. */
  stopped: boolean;
  /** Model requests of the run. */
  calls: number;
  nudges: number;
}

export const shapes = {
  looping: looping as unknown as Shape[],
  legitimate: legitimate as unknown as Shape[],
};

/** Plays every shape in a directory of its own under `folder`. */
export async function loopTrials(folder: string): Promise<LoopTrial[]> {
  const trials: LoopTrial[] = [];
  for (const shape of shapes.looping) trials.push(await trial(folder, shape, true));
  for (const shape of shapes.legitimate) trials.push(await trial(folder, shape, false));
  return trials;
}

async function trial(folder: string, shape: Shape, isLooping: boolean): Promise<LoopTrial> {
  const cwd = join(folder, shape.name);
  nodeFs.mkdirSync(join(cwd, ".cinch"), { recursive: true });
  for (const [name, text] of Object.entries(shape.files)) {
    nodeFs.mkdirSync(join(cwd, name, ".."), { recursive: true });
    await replaceFile(nodeFs, join(cwd, name), Buffer.from(text));
  }
  const settings = { permissions: { mode: "auto" } } as const;
  const harness = createHarness({
    cwd,
    home: join(folder, "home"),
    model: modelOf(shape),
    settings,
    env: process.env,
    // What no mode runs unasked has somebody who says yes: permissions are not the subject here.
    ask: async () => ({ decision: "allow" }),
  });
  try {
    const session = await harness.open();
    let nudges = 0;
    const listening = (async () => {
      for await (const event of session.events()) if (event.type === "loop.nudge") nudges++;
    })();
    const result = await session.send(shape.about);
    await session.close();
    await listening;
    const stopped = result.subtype === "error_loop_detected";
    return { name: shape.name, looping: isLooping, stopped, calls: result.num_turns, nudges };
  } finally {
    await harness.close();
  }
}

function modelOf(shape: Shape): Model {
  const rounds = shape.cycles.flatMap(({ times, rounds }) =>
    Array.from({ length: times }, (_, i) => rounds.map((round) => filled(round, i))).flat(),
  );
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
  let calls = 0;
  let round = 0;
  return {
    id: "bench/loops",
    facts: { window: 200_000, maxOutput: 8_000 },
    async *stream() {
      const asked = rounds[round++] ?? [];
      const parts = asked.map(([tool, input]): CallPart => ({ type: "call", id: `c${calls++}`, tool, input }));
      const stop = parts.length > 0 ? "tools" : "end";
      const said = parts.length > 0 ? parts : [{ type: "text" as const, text: "done" }];
      yield { type: "done", message: { role: "assistant", parts: said, usage, stop }, usage, stop };
    },
  };
}

function filled<T>(round: T, i: number): T {
  const text = JSON.stringify(round)
    .replace(/"\{\{=i\*(\d+)\+(\d+)\}\}"/g, (_, times: string, plus: string) =>
      String(i * Number(times) + Number(plus)),
    )
    .replaceAll("{{i+1}}", String(i + 1))
    .replaceAll("{{i}}", String(i));
  return JSON.parse(text) as T;
}
