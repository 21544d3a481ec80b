// What an agent task costs beyond its work: tasks whose agent answers at once, a thousand of them, in one process.
// Invariant: they go through the same door as those of a model, a batch at a time, and the peak is counted by the events
// that everybody hears. CPU is the process's own, all its threads; the parent's few requests are counted in, shared by all.

import { performance } from "node:perf_hooks";
import { createHarness, type Event } from "../index.js";
import { replaceFile } from "../lib/atomic-file.js";
import { nodeFs } from "../lib/fs.js";

export interface AgentCost {
  tasks: number;
  /** Milliseconds a task. */
  wall: number;
  cpu: number;
  /** MB, the most that the process had in memory at the end of a batch. */
  memory: number;
  /** Most that ran at once, and the limit. */
  peak: number;
  parallel: number;
}

/** As many as one call takes. */
const batch = 100;
const parallel = 8;

/** Plays `tasks` agents in directories of their own below `folder`. */
export async function agentCost(tasks: number, folder: string): Promise<AgentCost> {
  const [cwd, home] = [`${folder}/project`, `${folder}/home`];
  nodeFs.mkdirSync(`${cwd}/.git`, { recursive: true });
  const sizes = Array.from({ length: Math.ceil(tasks / batch) }, (_, i) => Math.min(batch, tasks - i * batch));
  const main = sizes.map((size) => {
    const task = { agent_name: "explore", prompt: "nothing", model_name: `scripted/${folder}/agent.json` };
    const input = { tasks: Array(size).fill(task), max_parallel: parallel };
    return { calls: [{ tool: "submit_agent_tasks", input }] };
  });
  // Apart, because every agent reads its own.
  await replaceFile(nodeFs, `${folder}/main.json`, JSON.stringify(main), { sync: false });
  await replaceFile(nodeFs, `${folder}/agent.json`, JSON.stringify([{ text: "done" }]), { sync: false });
  const settings = { permissions: { mode: "auto" }, sandbox: { mode: "off" }, tasks: { parallel } } as const;
  const harness = createHarness({ cwd, home, model: `scripted/${folder}/main.json`, settings, env: {} });
  try {
    const session = await harness.open();
    const watch = new Watch();
    const heard = (async () => {
      for await (const event of session.events()) watch.hear(event);
    })();
    const [began, spent] = [performance.now(), process.cpuUsage()];
    await session.send("go");
    const { user, system } = process.cpuUsage(spent);
    const wall = (performance.now() - began) / tasks;
    await session.close();
    await heard;
    const { peak, memory, succeeded } = watch;
    if (succeeded !== tasks) throw new Error(`${succeeded} of ${tasks} agents succeeded`);
    return { tasks, wall, cpu: (user + system) / 1000 / tasks, memory, peak, parallel };
  } finally {
    await harness.close();
  }
}

class Watch {
  peak = 0;
  succeeded = 0;
  memory = 0;
  #running = 0;

  hear(event: Event): void {
    if (event.type === "turn.start" && event.agent === "main") this.#look();
    if (event.type !== "task.change") return;
    if (event.to === "running") this.peak = Math.max(this.peak, ++this.#running);
    if (event.from !== "running") return;
    this.#running--;
    if (event.to === "succeeded") this.succeeded++;
  }

  #look(): void {
    this.memory = Math.max(this.memory, process.memoryUsage.rss() / 1024 / 1024);
  }
}
