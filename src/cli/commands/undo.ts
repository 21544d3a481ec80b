// `cinch undo`: says what would be restored, asks where a person is there, and does it. All or nothing: when a path cannot
// be taken back without losing somebody's later change, nothing is touched and the paths are listed.

import type { Json } from "../../core/json.js";
import { prepareUndo, type Undo, type UndoRequest } from "../../harness/undo/undo.js";
import { nodeFs } from "../../lib/fs.js";
import { shownPath } from "../../lib/paths.js";
import { safeJson, safeText } from "../../lib/safe-text.js";
import { systemClock, systemIds } from "../../lib/system.js";
import type { Values } from "../args.js";
import { askYesNo } from "../ask.js";
import { currentPlace } from "../current.js";
import { jsonFlag } from "../flags.js";
import { writeErr, writeOut } from "../stdio.js";
import type { Command } from "./index.js";

const command: Command = {
  flags: [
    { name: "to", kind: { is: "text" }, hint: "<entry>", doc: "Take back everything after this entry" },
    {
      name: "session",
      kind: { is: "text" },
      hint: "<id>",
      doc: "Of this session: id, unique prefix or label; default the one last worked in here",
    },
    {
      name: "only",
      kind: { is: "text" },
      hint: "<call|turn|run|agent|build|path>",
      doc: "Take back this cause alone, or leave other paths as they are",
    },
    { name: "dry-run", kind: { is: "switch" }, doc: "Only say what would be done" },
    { name: "yes", kind: { is: "switch" }, doc: "Do not ask, and take back what may be yours too" },
    jsonFlag,
  ],

  async run(values: Values): Promise<number> {
    const place = currentPlace(values);
    const undo = await prepareUndo({ ...place, disk: nodeFs, clock: systemClock, ids: systemIds }, requestOf(values));
    try {
      return await decide(undo, values);
    } finally {
      await undo.close();
    }
  },
};

export default command;

function requestOf(values: Values): UndoRequest {
  const request: UndoRequest = {};
  const [session, to, only] = [values.text("session"), values.text("to"), values.text("only")];
  if (session !== undefined) request.session = session;
  if (to !== undefined) request.to = to;
  if (only !== undefined) request.only = only;
  if (values.has("yes")) request.sure = true;
  return request;
}

async function decide(undo: Undo, values: Values): Promise<number> {
  const { items, conflicts } = undo.plan;
  const json = values.has("json");
  const dry = values.has("dry-run");
  if (!json) writeOut(safeText(`${preview(undo)}\n`));
  const can = conflicts.length === 0 && items.length > 0;
  // Where nobody can answer it goes on: an undo can be undone.
  const go = can && !dry && (values.has("yes") || json || ((await askYesNo("Take this back?")) ?? true));
  const entry = go ? await undo.apply(progress(undo)) : null;
  if (json) writeOut(safeJson(asJson(undo, dry, entry)));
  else if (entry !== null) writeOut(safeText("Done. `cinch undo` takes this back again.\n"));
  else if (can && !dry) writeOut(safeText("Nothing was changed.\n"));
  return conflicts.length > 0 ? 1 : 0;
}

/** A long undo says where it is after so many files. */
const stride = 1_024;

function progress({ plan }: Undo): (files: number) => void {
  const total = plan.items.length;
  return (files) => {
    if (total > 2 * stride && files % stride === 0) writeErr(safeText(`${files} of ${total} paths restored\n`));
  };
}

const verbs = { restore: "restore", delete: "delete", merge: "merge", mode: "mode" } as const;

function preview({ plan, what, session, root }: Undo): string {
  const { items, conflicts } = plan;
  const shown = (path: string) => shownPath(root, path);
  const lost = plan.uncovered.map((path) => `  ${"not kept".padEnd(8)} ${shown(path)}`);
  if (conflicts.length > 0) {
    const doubts = conflicts.filter(({ doubt }) => doubt).length;
    return [
      `Cannot take back ${what} (session ${session}); nothing was changed:`,
      ...conflicts.map(({ path, why }) => `  ${shown(path)} ${why}`),
      ...lost,
      ...(doubts < conflicts.length ? ["--only <path> takes back the others, one path or directory at a time."] : []),
      ...(doubts > 0 ? [yesHint] : []),
    ].join("\n");
  }
  if (items.length === 0) {
    const text = lost.length > 0 ? "what it changed was not kept" : "it left no change";
    return [`There is nothing to take back of ${what}: ${text} (session ${session}).`, ...lost].join("\n");
  }
  const lines = items.map(({ path, action }) => {
    const more = action === "merge" ? "   (keeps what was changed since)" : "";
    return `  ${verbs[action].padEnd(8)} ${shown(path)}${more}`;
  });
  return [`Taking back ${what} (session ${session}):`, ...lines, ...lost].join("\n");
}

const yesHint = "--yes takes these back all the same; with --only <path> one path or directory of them.";

function asJson({ session, what, plan, calls }: Undo, dry: boolean, entry: string | null): Json {
  return {
    session_id: session,
    what,
    dry_run: dry,
    undone: entry !== null,
    entry,
    calls: [...calls],
    files: plan.items.map(({ path, action, from, to }) => ({
      path,
      action,
      before: from?.hash ?? null,
      after: to?.hash ?? null,
    })),
    conflicts: plan.conflicts.map(({ path, call, why, doubt }) => ({ path, call, why, ...(doubt ? { doubt } : {}) })),
    uncovered: [...plan.uncovered],
  };
}
