// `cinch config --explain`: every setting with its type, value and source, and everything that is wrong with the files.
// Exit 2 when a run would be refused because of them, so a script can check a configuration.

import { join } from "node:path";
import { type Explained, explain } from "../../config/explain.js";
import { refuse } from "../../config/load.js";
import { UserError } from "../../core/errors.js";
import type { Json } from "../../core/json.js";
import { loadRuleCheck } from "../../harness/permissions/permissions.js";
import { safeJson, safeText } from "../../lib/safe-text.js";
import type { Values } from "../args.js";
import { type Current, currentSettings } from "../current.js";
import { jsonFlag } from "../flags.js";
import { writeErr, writeOut } from "../stdio.js";
import type { Command } from "./index.js";

const command: Command = {
  flags: [{ name: "explain", kind: { is: "switch" }, doc: "Print every setting" }, jsonFlag],
  showsSettings: true,

  async run(values: Values): Promise<number> {
    if (!values.has("explain")) throw new UserError("cinch config has nothing to do.", "Use `cinch config --explain`.");
    const current = await currentSettings(values, loadRuleCheck);
    if (values.has("json")) writeOut(safeJson(asJson(current)));
    else writeOut(safeText(`${configText(current)}\n`));
    for (const problem of current.problems) writeErr(safeText(`${problem.text}\n`));
    return wouldRun(current) ? 0 : 2;
  },
};

export default command;

function wouldRun({ problems }: Current): boolean {
  try {
    refuse(problems, false);
    return true;
  } catch {
    // What is refused is on stderr already, one line each.
    return false;
  }
}

function files({ dirs, root }: Current) {
  return { user: join(dirs.config, "settings.json"), project: join(root, ".cinch", "settings.json") };
}

function asJson(current: Current): Json {
  const problems = current.problems.map(({ level, source, text }) => ({ level, source, text }));
  return { files: files(current), settings: explain(current).map((row) => ({ ...row })), problems };
}

export function configText(current: Current): string {
  const { user, project } = files(current);
  const rows = explain(current);
  return [
    `User:    ${user}`,
    `Project: ${project} (can only narrow)`,
    "",
    ...rows.filter((row) => row.available).flatMap(lines),
    "",
    "Not in this version:",
    `  ${rows.flatMap((row) => (row.available ? [] : [row.key])).join(", ")}`,
  ].join("\n");
}

function lines({ key, type, value, source, doc }: Explained): string[] {
  const shown = value === null ? "not set" : JSON.stringify(value);
  return [`${key} = ${shown}${source === "default" ? "" : `   (${source})`}`, `    ${doc} [${type}]`];
}
