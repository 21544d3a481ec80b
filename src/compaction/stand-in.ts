// The text that stands for what was compacted: the ledger, and a model's summary on top of it. Pure.
// Invariant: the user's texts are in it unit for unit; it says of each section who wrote it, and of what is not in it
// where it can be read.

import type { JsonObject } from "../core/json.js";
import { cutLine } from "../lib/truncate.js";
import type { Ledger, Listed, Trouble } from "./ledger.js";
import type { PinnedText } from "./pinned.js";

export interface Summary {
  /** A model's, or null: the conversation could not be sent to one any more. */
  text: string | null;
  /** The one before, when there is none of this time. */
  earlier: string | null;
  /** File with the texts of the user that are put aside. */
  aside: string | null;
}

export function standIn(ledger: Ledger, summary: Summary): string {
  const { said, files, denied, failed, open } = ledger;
  const sections = [
    "The conversation up to here was compacted. The lists below were made from the session's log; only the summary is a model's.",
    section("What the user said, word for word", [
      ...said.repeated.map(repeated),
      ...putAside(said.aside, summary.aside),
    ]),
    section(
      "Files changed, with their sha256",
      listed(files, ({ path, hash }) => `${path} ${hash ?? "(gone)"}`),
    ),
    section("Not allowed", listed(denied, trouble)),
    section("Tried and failed", listed(failed, trouble)),
    section("Open", open.map(item)),
    ...summaries(summary),
  ];
  return sections.filter((text) => text !== "").join("\n\n");
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `# ${title}\n${lines.join("\n")}`;
}

function repeated({ number, text }: PinnedText): string {
  return `<user-message number="${number}">\n${text}\n</user-message>`;
}

/** So many of those put aside are shown with their beginning. */
const heads = 5;

function putAside(texts: readonly PinnedText[], file: string | null): string[] {
  if (texts.length === 0) return [];
  const numbers = texts.map(({ number }) => number).join(", ");
  const begins = texts
    .slice(-heads)
    .map(({ number, text }) => item(`message ${number} begins: ${cutLine(text.trim().split("\n")[0] ?? "", 200)}`));
  return [
    `Too long to repeat here: message ${numbers}. Word for word in ${file}; read it before you rely on it.`,
    ...begins,
  ];
}

function listed<Item>({ items, more }: Listed<Item>, line: (item: Item) => string): string[] {
  const lines = items.map((each) => item(line(each)));
  return more > 0 ? [item(`(${more} older ones are not listed)`), ...lines] : lines;
}

function item(text: string): string {
  return `- ${text}`;
}

function trouble({ call, says, times }: Trouble): string {
  return times > 1 ? `${call}: ${says} (${times} times)` : `${call}: ${says}`;
}

function summaries({ text, earlier }: Summary): string[] {
  if (text !== null) return [section("Summary", [text])];
  const none =
    "No model has summarised what was said before: it did not fit into a request any more. Look again at what you need.";
  return [earlier === null ? "" : section("Summary of an earlier part", [earlier]), section("Summary", [none])];
}

/** The ledger as it is kept in the entry: texts of the user by entry, for they are in the same file. */
export function ledgerRecord({ said, files, denied, failed, open }: Ledger, summary: Summary): JsonObject {
  const ids = (texts: readonly PinnedText[]) => texts.map(({ id }) => id);
  return {
    said: ids(said.repeated),
    aside: ids(said.aside),
    ...(summary.aside === null ? {} : { aside_file: summary.aside }),
    files: Object.fromEntries(files.items.map(({ path, hash }) => [path, hash])),
    denied: denied.items.map((each) => ({ ...each })),
    failed: failed.items.map((each) => ({ ...each })),
    open: [...open],
    model: summary.text ?? summary.earlier,
  };
}
