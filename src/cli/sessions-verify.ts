// `cinch sessions verify [<id>]`: checks every session file, or one, and says what is wrong, what is lost and how to go on.
// Changes nothing. Exit 1 when something is wrong.

import { join } from "node:path";
import type { Json } from "../core/json.js";
import { nodeFs } from "../lib/fs.js";
import { safeJson, safeText } from "../lib/safe-text.js";
import { allSessions, projectKey, resolveSession, shortId } from "../session/store.js";
import { type Problem, type SessionReport, verifySession } from "../session/verify.js";
import type { Values } from "./args.js";
import { currentPlace } from "./current.js";
import { writeOut } from "./stdio.js";

export function verifySessions(values: Values, [id]: readonly string[]): Promise<number> {
  const { state, root } = currentPlace(values);
  const wanted = id === undefined ? allSessions(nodeFs, state) : [resolveSession(nodeFs, state, projectKey(root), id)];
  const reports = wanted.map(({ file }) => verifySession(nodeFs, file, join(state, "spill")));
  if (values.has("json")) writeOut(safeJson({ sessions: reports.map(sessionJson) }));
  else writeOut(safeText(`${asText(reports)}\n`));
  return Promise.resolve(reports.some(({ problems }) => problems.length > 0) ? 1 : 0);
}

function sessionJson({ inUse, problems, ...rest }: SessionReport): Json {
  return {
    ...rest,
    in_use: inUse && { ...inUse },
    // Lines are counted from 1 wherever people see them.
    problems: problems.map((problem) => ({ ...problem, line: problem.line === null ? null : problem.line + 1 })),
  };
}

function asText(reports: readonly SessionReport[]): string {
  const wrong = reports.filter(({ problems }) => problems.length > 0);
  const ending =
    reports.length === 0
      ? "There are no sessions."
      : `${reports.length} checked, ${wrong.length === 0 ? "all well" : `${wrong.length} with damage`}.`;
  return [...reports.flatMap(lines), ending].join("\n");
}

function lines({ id, file, entries, path, spills, inUse, aside, problems }: SessionReport): string[] {
  const texts = spills > 0 ? `, ${spills} long texts` : "";
  const use = inUse ? `, in use by process ${inUse.pid ?? "?"} on ${inUse.host}` : "";
  return [
    `${shortId(id)}  ${problems.length === 0 ? "well" : "DAMAGED"}: ${entries} entries, ${path} in the conversation${texts}${use}`,
    ...(problems.length > 0 ? [`    ${file}`] : []),
    ...problems.flatMap(problemLines),
    ...(aside.length > 0 ? [`    kept beside it: ${aside.join(", ")}`] : []),
  ];
}

/** One sentence of what is wrong, one of what to do; a fix that was just given is not repeated. */
function problemLines({ text, fix }: Problem, index: number, all: readonly Problem[]): string[] {
  return all[index + 1]?.fix === fix ? [`    ${text}`] : [`    ${text}`, `      ${fix}`];
}
