// What the parts of a build do in the world, done through a session: commands, servers.
// Invariant: nothing here decides whether something may be done; the session asks, refuses and confines as for its model.

import { isSettled, ownCalls, type TaskRecord } from "../core/task.js";
import type { Harness, Session } from "../index.js";
import { isObject } from "../lib/json.js";
import { fromRoot } from "./changes.js";
import type { CommandEnd, FindCommands, RunCommand, RunningCommand, StartCommand } from "./ports.js";

export function runThrough(session: Session): RunCommand {
  return async (command, { timeout, signal } = {}) => {
    const how = { ...(timeout === undefined ? {} : { timeoutMs: timeout }), ...(signal ? { signal } : {}) };
    const { status, exit, text, files } = await session.runCommand(command, how);
    // What a model was shown of a file is none of a build's concern.
    const changed = fromRoot(session.init.cwd, files).map(({ unseen: _unseen, ...change }) => change);
    return { code: exit, output: text, files: changed, ...(status === "denied" ? { refused: true } : {}) };
  };
}

export function startThrough(harness: Harness, session: Session): StartCommand {
  return async (command, options) => {
    const { about, ...how } = options;
    const metadata = about === undefined ? {} : { metadata: { about } };
    const { id } = await session.startCommand(command, { ...how, ...metadata });
    return runningTask(harness, id);
  };
}

/** Only of those that the program itself has started: what a model says about a command of its own is not taken for that. */
export function findThrough(harness: Harness, root: string): FindCommands {
  return async () => {
    const all = await harness.tasks.list();
    return all.flatMap(({ id, kind, state, owner, cwd, detach, metadata }) => {
      const about = metadata?.["about"];
      const isOurs = kind === "shell" && detach && cwd === root && (owner.call ?? "").startsWith(ownCalls);
      return isOurs && !isSettled(state) && isObject(about) ? [{ about, running: runningTask(harness, id) }] : [];
    });
  };
}

function runningTask(harness: Harness, task: string): RunningCommand {
  const tail = async (maxBytes: number) => (await harness.tasks.output(task, { maxBytes })).text;
  return {
    task,
    tail,
    async ended() {
      const record = await harness.tasks.show(task);
      return isSettled(record.state) ? endOf(record) : null;
    },
    listens: (port) => harness.tasks.listens(task, port),
    async stop() {
      if (!isSettled((await harness.tasks.show(task)).state)) await harness.tasks.cancel(task);
    },
  };
}

function endOf({ exit_code: code, error, result = "" }: TaskRecord): CommandEnd {
  return { code: code ?? null, output: error && result === "" ? error.text : result };
}
