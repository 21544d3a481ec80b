// `cinch sessions list`, `show` and `delete`: what a picker needs, all that is known of one, and the way to get rid of it.

import { UserError } from "../core/errors.js";
import type { SessionDetails, SessionSummary } from "../index.js";
import { grouped } from "../lib/grouped.js";
import { safeJson, safeText } from "../lib/safe-text.js";
import { shortId } from "../session/store.js";
import type { Values } from "./args.js";
import { askYesNo } from "./ask.js";
import { currentSessions } from "./current-sessions.js";
import { writeOut } from "./stdio.js";

export async function listSessions(values: Values): Promise<number> {
  const sessions = await currentSessions(values).list({ all: values.has("all") });
  return said(values, { sessions }, listText(sessions, values.has("all")));
}

export async function showSession(values: Values, [id]: readonly string[]): Promise<number> {
  if (values.has("cost")) return (await import("./sessions-cost.js")).showCost(values, id);
  if (values.has("loop")) return (await import("./sessions-loop.js")).showLoop(values, id);
  const session = await currentSessions(values).show(id);
  return said(values, session, showText(session));
}

export async function deleteSession(values: Values, [id]: readonly string[]): Promise<number> {
  if (id === undefined)
    throw new UserError("cinch sessions delete needs a session.", "`cinch sessions list` shows them.");
  const sessions = currentSessions(values);
  const { id: whole, prompt } = await sessions.show(id);
  const question = `Delete session ${whole}${prompt === null ? "" : ` (${prompt})`}? It cannot be brought back.`;
  const agreed = values.has("yes") || (values.has("json") ? null : await askYesNo(safeText(question)));
  if (agreed === null) throw new UserError("A deletion is final, and nobody is there to agree.", "Add --yes.");
  if (!agreed) return said(values, {}, "Nothing was deleted.");
  const deleted = await sessions.delete(whole);
  const kept = "Contents of files that it changed stay with the checkpoints of all sessions.";
  return said(
    values,
    deleted,
    [`Deleted session ${whole}:`, ...deleted.removed.map((path) => `  ${path}`), kept].join("\n"),
  );
}

function said(values: Values, json: object, text: string): number {
  writeOut(values.has("json") ? safeJson(json) : safeText(`${text}\n`));
  return 0;
}

function listText(sessions: readonly SessionSummary[], all: boolean): string {
  if (sessions.length === 0)
    return all ? "There are no sessions." : "There are no sessions of this project; --all lists every project's.";
  return sessions
    .map(({ id, label, prompt, last_activity, entries, root, problem }) => {
      const name = label === null ? "" : `[${label}] `;
      const about =
        problem === null ? `${name}${prompt ?? "(nothing was said)"}` : `${name}cannot be resumed: ${problem}`;
      const size = entries === null ? "" : `${grouped(entries)} entries`;
      return `${shortId(id)}  ${moment(last_activity)}  ${size.padStart(14)}  ${about}${all ? `  (${root})` : ""}`;
    })
    .join("\n");
}

function showText(session: SessionDetails): string {
  const { id, label, prompt, created, last_activity, entries, turns, branches, head, model, root, file, size } =
    session;
  const forked = session.parent_session && `${session.parent_session}, at ${session.fork_of}`;
  const rows: [string, string | number | null][] = [
    ["session", id],
    ["label", label],
    ["first said", prompt],
    ["created", created],
    ["last activity", last_activity],
    ["project", root],
    ["model", model],
    ["entries", entries],
    ["turns", turns],
    ["branches", branches],
    ["head", head],
    ["forked from", forked],
    ["labels", session.labels.map((one) => `${one.label} (${shortId(one.entry)})`).join(", ") || null],
    ["file", file],
    ["bytes", size],
    ["problem", session.problem ?? damage(session)],
  ];
  return rows.flatMap(([name, value]) => (value === null ? [] : [`${name.padEnd(15)}${value}`])).join("\n");
}

function damage({ id, damaged, lost }: SessionDetails): string | null {
  if (damaged + lost === 0) return null;
  return `${damaged} damaged lines, ${lost} entries lost with them: cinch sessions verify ${id}`;
}

function moment(iso: string): string {
  return iso.slice(0, 16).replace("T", " ");
}
