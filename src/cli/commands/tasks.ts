// `cinch tasks list | show <id> | output <id> [--follow] | cancel <id> | resume <id>`: work beside conversations, of every
// session, also while another Cinch runs it.
// Invariant: exit 0 says that it was done; a task that failed is no failure of looking at it, but one of letting it go on.

import { UserError } from "../../core/errors.js";
import { createHarness, type Harness, type HarnessOptions, type TaskRecord } from "../../index.js";
import { safeJson, safeText } from "../../lib/safe-text.js";
import { systemClock } from "../../lib/system.js";
import type { Values } from "../args.js";
import { jsonFlag } from "../flags.js";
import { pathOf, workingDirectory } from "../setup.js";
import { writeErr, writeOut } from "../stdio.js";
import { verbOf } from "../verbs.js";
import { tasksView, taskView } from "../views/tasks.js";
import type { Command } from "./index.js";

const command: Command = {
  flags: [
    { name: "follow", kind: { is: "switch" }, doc: "output: until the task has ended" },
    {
      name: "offset",
      kind: { is: "text" },
      hint: "<byte>",
      doc: "output: from this byte on; default: from the beginning",
    },
    jsonFlag,
  ],
  words: { max: 2, hint: "list | show <id> | output <id> | cancel <id> | resume <id>" },

  async run(values, [verb = "list", id]): Promise<number> {
    const act = verbOf("tasks", verbs, verb);
    if (verb !== "list" && id === undefined)
      throw new UserError(`cinch tasks ${verb} needs a task.`, "`cinch tasks list` shows them.");
    const harness = createHarness(placeOf(values));
    try {
      return await act(values, harness, id ?? "");
    } finally {
      for (const fault of await harness.tasks.faults()) writeErr(safeText(`${fault}\n`));
      await harness.close();
    }
  },
};

export default command;

function placeOf(values: Values): HarnessOptions {
  const settingsFile = pathOf(values, "settings");
  const model = values.text("model");
  return {
    cwd: workingDirectory(values),
    ...(settingsFile === undefined ? {} : { settingsFile }),
    ...(model === undefined ? {} : { model }),
  };
}

type Tasks = Harness["tasks"];

const verbs: Record<string, (values: Values, harness: Harness, id: string) => Promise<number>> = {
  async list(values, { tasks }) {
    const records = await tasks.list();
    return said(values, { tasks: records }, tasksView(records));
  },
  show: async (values, { tasks }, id) => one(values, await tasks.show(id)),
  cancel: async (values, { tasks }, id) => one(values, await tasks.cancel(id)),
  output: (values, { tasks }, id) => printOutput(values, tasks, id),
  resume: letGoOn,
};

/** Its session is opened for it, and hears of its end. Nobody is there to be asked, so what needs a yes is denied. */
async function letGoOn(values: Values, harness: Harness, named: string): Promise<number> {
  const { id, owner } = await harness.tasks.show(named);
  const session = await harness.open({ resume: owner.session });
  try {
    await session.resumeTasks([id]);
    for (;;) {
      const record = await harness.tasks.show(id);
      if (record.state === "running" || record.state === "queued") await systemClock.sleep(lookEvery);
      else return one(values, record) || (record.state === "succeeded" ? 0 : 1);
    }
  } finally {
    await session.close();
  }
}

function one(values: Values, record: TaskRecord): number {
  return said(values, record, taskView(record));
}

function said(values: Values, json: object, text: string): number {
  writeOut(values.has("json") ? safeJson(json) : safeText(`${text}\n`));
  return 0;
}

/** Bytes that are printed at a time. */
const pieceBytes = 256 * 1024;
const lookEvery = 200;

async function printOutput(values: Values, tasks: Tasks, id: string): Promise<number> {
  const given = Number(values.text("offset") ?? "0");
  if (!Number.isSafeInteger(given)) throw new UserError("--offset takes a whole number of bytes.");
  let offset = given;
  for (;;) {
    // Asked before: what it prints until its end is then all there.
    const { state } = await tasks.show(id);
    const piece = await tasks.output(id, { offset, maxBytes: pieceBytes });
    if (values.has("json")) {
      writeOut(safeJson({ task_id: id, state, ...piece }));
      return 0;
    }
    writeOut(safeText(piece.text));
    offset = piece.next;
    if (offset < piece.bytes && piece.text !== "") continue;
    if (!values.has("follow") || (state !== "running" && state !== "queued")) return 0;
    await systemClock.sleep(lookEvery);
  }
}
