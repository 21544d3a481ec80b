// The tasks of a session before anything of them is loaded: they are loaded with the first call that asks for them, or at the first run of a
// session that had some.
// Invariant: a session without tasks asks nothing of the disk.

import type { Companions, Log } from "../../agent/ports.js";
import type { Entry } from "../../core/entry.js";
import type { Emit } from "../../core/event.js";
import type { JsonObject } from "../../core/json.js";
import type { Announcement } from "../../core/task.js";
import { Opened } from "../../lib/opened.js";
import type { Workspace } from "../files/workspace.js";
import { loadAgentTasks, loadSessionTasks, loadShellTasks } from "../lazy.js";
import type { Surroundings } from "../surroundings.js";
import { type Kin, maxAnnounced } from "./kin.js";
import type { SessionTasks, SessionTasksOptions } from "./session-tasks.js";
import type { TaskTelling } from "./telling.js";

export class LazyCompanions implements Companions {
  /** Called when an idle agent is to go on with what it was told. */
  wake: () => void = () => {};
  /** Nobody is there any more: from now on agents are waited for. */
  isLeft = false;
  readonly #had: () => boolean;
  readonly #resumes: boolean;
  readonly #load: () => Promise<SessionTasks>;
  readonly #loading = new Opened(() => this.#open());
  #telling: TaskTelling | undefined;
  #isRunning = false;

  /** `had`: does the log tell of tasks? `resumes`: agents that were interrupted go on by themselves. */
  constructor({ had, resumes }: { had(): boolean; resumes: boolean }, load: () => Promise<SessionTasks>) {
    this.#had = had;
    this.#resumes = resumes;
    this.#load = load;
  }

  open(): Promise<SessionTasks> {
    return this.#loading.open();
  }

  async #open(): Promise<SessionTasks> {
    const tasks = await this.#load();
    await tasks.telling.begin();
    if (this.#isRunning) tasks.telling.start();
    this.#telling = tasks.telling;
    return tasks;
  }

  /** Before the first run: what the tasks have come to that the log tells of. */
  async recall(): Promise<void> {
    if (!this.#had()) return;
    const tasks = await this.open();
    if (this.#resumes) await tasks.resume();
  }

  start(): void {
    this.#isRunning = true;
    this.#telling?.start();
  }

  deliver(): boolean {
    return this.#telling?.deliver() ?? false;
  }

  async goOn(signal: AbortSignal): Promise<boolean> {
    return (await this.#telling?.goOn(signal)) ?? false;
  }

  /** Resolves when no agent is at work, or a run is under way. */
  async quiet(signal: AbortSignal): Promise<void> {
    await this.#telling?.quiet(signal);
  }

  async finish(): Promise<string | null> {
    const call = await this.#telling?.finish();
    this.#isRunning = false;
    return call ?? null;
  }

  listed(): JsonObject[] {
    return this.#telling?.listed() ?? [];
  }

  /** Does a command go on that may change files? */
  get isCommandOpen(): boolean {
    return this.#telling?.open().some(({ kind, readsOnly }) => kind === "shell" && !readsOnly) ?? false;
  }

  async close(): Promise<void> {
    await this.#telling?.close();
  }
}

interface Bound {
  session: string;
  log: Log & { attached(type: "task"): readonly Entry<"task">[] };
  emit: Emit;
  workspace: Workspace;
  kin: Kin;
}

export function companionsOf(at: Surroundings, { workspace, kin, ...bound }: Bound): LazyCompanions {
  const { options, settings } = at;
  const trades: SessionTasksOptions["trades"] = {
    async shell() {
      const [{ shellTrade }, shell, { shells }] = await Promise.all([
        loadShellTasks(),
        workspace.shell(),
        at.tasks.open(),
      ]);
      return shellTrade(shell, shells);
    },
    async agent() {
      const [{ agentTrade, AgentRunner }, hall] = await Promise.all([loadAgentTasks(), at.tasks.open()]);
      hall.employ("agent", new AgentRunner({ kin: at.kin, find: (id) => hall.queue.find(id) }));
      return agentTrade(kin, settings.tasks.depth, (id) => hall.queue.find(id));
    },
  };
  const had = () => bound.log.attached("task").length > 0;
  const companions: LazyCompanions = new LazyCompanions(
    { had, resumes: settings.tasks.resume === "auto" },
    async () => {
      const [{ SessionTasks }, hall] = await Promise.all([loadSessionTasks(), at.tasks.open()]);
      const { board } = kin;
      const isTop = kin.agent === "main";
      const isAttended = isTop && (options.ask !== undefined || options.answerable === true);
      const lasting = () => isAttended && !companions.isLeft;
      const self = isTop ? null : { id: kin.agent, depth: kin.depth };
      const announce = (announcement: Announcement) => board.add(kin.agent, announcement);
      const around = () => {
        workspace.claims.lookAround();
        return [board.textFor(kin.agent, maxAnnounced), workspace.claims.others].filter((text) => text !== "");
      };
      const handOver = () => workspace.claims.letGo();
      const more = {
        hall,
        trades,
        self,
        announce,
        around,
        handOver,
        lasting,
        wakes: settings.tasks.wake,
        wake: () => companions.wake(),
      };
      return new SessionTasks({ ...at, ...bound, ...more });
    },
  );
  return companions;
}
