// `cinch tasks list | show <id> | output <id> [--follow] | cancel <id>`: work beside conversations, of every session, also
// while another Cinch runs it.
// Invariant: exit 0 says that it was done; a task that failed is no failure of looking at it.

import { UserError } from "../../core/errors.js";
import { createHarness, type Harness, type TaskRecord } from "../../index.js";
import { safeJson, safeText } from "../../lib/safe-text.js";
import { systemClock } from "../../lib/system.js";
import type { Values } from "../args.js";
import { jsonFlag } from "../flags.js";
import { pathOf, workingDirectory } from "../setup.js";
import { writeOut } from "../stdio.js";
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
  words: { max: 2, hint: "list | show <id> | output <id> | cancel <id>" },

  async run(values, [verb = "list", id]): Promise<number> {
    const act = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
    if (!act)
      throw new UserError(`cinch tasks does not know "${verb}".`, `It knows: ${Object.keys(verbs).join(", ")}.`);
    if (verb !== "list" && id === undefined)
      throw new UserError(`cinch tasks ${verb} needs a task.`, "`cinch tasks list` shows them.");
    const settingsFile = pathOf(values, "settings");
    const place = { cwd: workingDirectory(values), ...(settingsFile === undefined ? {} : { settingsFile }) };
    const harness = createHarness(place);
    try {
      return await act(values, harness.tasks, id ?? "");
    } finally {
      await harness.close();
    }
  },
};

export default command;

type Tasks = Harness["tasks"];

const verbs: Record<string, (values: Values, tasks: Tasks, id: string) => Promise<number>> = {
  async list(values, tasks) {
    const records = await tasks.list();
    return said(values, { tasks: records }, tasksView(records));
  },
  show: async (values, tasks, id) => one(values, await tasks.show(id)),
  cancel: async (values, tasks, id) => one(values, await tasks.cancel(id)),
  output: (values, tasks, id) => printOutput(values, tasks, id),
};

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
