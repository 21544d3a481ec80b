// Which entry of a tree is meant by an id, the beginning of one, or a label. Pure.
// Invariant: a name that fits several entries chooses none of them; the answer lists them. A short label may be the
// beginning of an id by chance and wins; what is as long as a shown id may be meant as one, whatever it is the label of.

import { UserError } from "../../core/errors.js";
import type { TreeEntry } from "../api/index.js";

const maxListed = 8;
/** Of an id as it is shown. */
const shownLength = 8;

/** @throws UserError (exit 2) when there is no such entry, or several */
export function findEntry(entries: readonly TreeEntry[], query: string): TreeEntry {
  const fitting = fittingEntries(entries, query);
  const [only] = fitting;
  if (only && fitting.length === 1) return only;
  const text = JSON.stringify(query);
  if (!only) throw new UserError(`There is no entry ${text} in this session.`, "`cinch tree` and /tree show them.");
  const more = fitting.length > maxListed ? ` and ${fitting.length - maxListed} more` : "";
  throw new UserError(
    `${text} fits ${fitting.length} entries: ${fitting.slice(0, maxListed).map(named).join(", ")}${more}.`,
    "Give more of the id.",
  );
}

/** Those that an id, the beginning of one, or a label may mean. */
export function fittingEntries(entries: readonly TreeEntry[], query: string): readonly TreeEntry[] {
  const exact = entries.find(({ id }) => id === query);
  if (exact) return [exact];
  const labelled = entries.filter(({ label }) => label === query);
  const byId = query.length >= shownLength || (query !== "" && labelled.length === 0);
  return entries.filter(({ id, label }) => label === query || (byId && id.startsWith(query)));
}

function named({ id, type, role, text }: TreeEntry): string {
  const short = text.length > 30 ? `${text.slice(0, 29)}…` : text;
  return `${id} (${role ?? type}${short === "" ? "" : ` "${short}"`})`;
}

/** The newest message of the user on the active path, or the one that was named. @throws UserError */
export function findPrompt(entries: readonly TreeEntry[], query: string | undefined): TreeEntry {
  const own = (entry: TreeEntry) => entry.role === "user" && entry.origin === "user";
  if (query === undefined) {
    const newest = entries.findLast((entry) => entry.active && own(entry));
    if (newest) return newest;
    throw new UserError("There is no message of yours to go back before.", "The conversation is at its beginning.");
  }
  const entry = findEntry(entries, query);
  if (own(entry)) return entry;
  throw new UserError(`The entry ${entry.id} is not a message of yours.`, "To go on behind any entry: /fork <id>.");
}
