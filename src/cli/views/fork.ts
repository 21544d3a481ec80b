// What a fork has done, in sentences for a person. Pure.

import type { Fork, ForkOptions } from "../../index.js";
import { shownPath } from "../../lib/paths.js";
import { shortId } from "../../session/store.js";

/** `what`: as it was asked for; `root`: paths are shown relative to it. */
export function forkText({ session_id, head, name, files }: Fork, what: ForkOptions["what"], root: string): string {
  const lines: string[] = [];
  if (name !== null)
    lines.push(`The new session ${session_id} holds that path; cinch -r ${JSON.stringify(name)} goes on.`);
  else if (what !== "files")
    lines.push(`The conversation goes on ${head ? `behind ${shortId(head)}` : "at its beginning"}.`);
  if (what === undefined || what === "conversation")
    lines.push("Files stay as they are; with --files they go there as well.");
  else if (files.length === 0) lines.push("The files are as they were there already.");
  else
    lines.push(
      "The files are as they were there; cinch undo takes that back:",
      ...files.map((file) => fileLine(file, root)),
    );
  return lines.join("\n");
}

function fileLine({ path, action }: Fork["files"][number], root: string): string {
  const more = action === "merge" ? "   (keeps what was changed since)" : "";
  return `  ${action.padEnd(8)} ${shownPath(root, path)}${more}`;
}
