// From a server's workspace edit to the whole new text of each file. Pure but for the texts, which are passed in.
// Invariant: an edit is taken as a whole or refused; one file is one revision, under however many names it is edited; edits that overlap, name a version that is not the one of now, or create,
// move or delete files are refused with the reason.

import { ModelError } from "../core/errors.js";
import type { Revision } from "../core/lsp.js";
import { listOf, memberOf, pathOf, rangeOf } from "./members.js";
import type { Encoding, SourceText } from "./text.js";

export interface EditedTexts {
  encoding: Encoding;
  /** The one name of a file; of two paths of one file it is the same. */
  canonical(path: string): string;
  /** The text that the server's positions are about; null when there is none. */
  text(path: string): SourceText | null;
  /** Of an open document. */
  version(path: string): number | undefined;
}

const unchanged = "Nothing was changed.";

export function revisionsOf(edit: unknown, texts: EditedTexts): Revision[] {
  const byPath = new Map<string, Map<string, unknown[]>>();
  const add = (uri: string, edits: unknown) => {
    const named = pathOf(uri);
    if (named === null) throw new ModelError(`The edit changes ${uri}, which is no file. ${unchanged}`);
    const path = texts.canonical(named);
    const names = byPath.get(path) ?? new Map<string, unknown[]>();
    byPath.set(path, names.set(named, [...(names.get(named) ?? []), ...listOf(edits)]));
  };
  const documents = memberOf(edit, "documentChanges");
  if (Array.isArray(documents)) for (const each of documents) add(target(each, texts), memberOf(each, "edits"));
  else for (const [uri, edits] of Object.entries(memberOf(edit, "changes") ?? {})) add(uri, edits);
  return [...byPath].flatMap(([path, names]) => {
    const edits = merged([...names.values()]);
    const source = texts.text(path);
    if (!source) throw new ModelError(`The edit changes ${path}, which cannot be read. ${unchanged}`);
    const after = applied(source, edits, texts.encoding, path);
    return after === source.text ? [] : [{ path, before: source.text, after }];
  });
}

/** The edits of one file by its names: a server that takes these for several files says the same of each. */
function merged([first = [], ...others]: unknown[][]): unknown[] {
  const known = new Set(first.map((edit) => JSON.stringify(edit)));
  const more = others.flat().filter((edit) => {
    const text = JSON.stringify(edit);
    return !known.has(text) && known.add(text);
  });
  return [...first, ...more];
}

function target(change: unknown, texts: EditedTexts): string {
  const kind = memberOf(change, "kind");
  if (kind !== undefined) {
    const does = `The edit would also ${kind} files, which is not done here. ${unchanged}`;
    throw new ModelError(does, "Do it step by step instead.");
  }
  const document = memberOf(change, "textDocument");
  const [uri, version] = [String(memberOf(document, "uri")), memberOf(document, "version")];
  const path = pathOf(uri);
  const now = path === null ? undefined : texts.version(texts.canonical(path));
  if (typeof version === "number" && now !== undefined && version !== now) {
    throw movedOn(uri);
  }
  return uri;
}

export function movedOn(name: string): ModelError {
  return new ModelError(`${name} changed while the edit was worked out. ${unchanged}`, "Call again.");
}

function applied(source: SourceText, edits: readonly unknown[], encoding: Encoding, path: string): string {
  const { eol } = source;
  const replacements = edits.map((edit, order) => {
    const [range, newText] = [rangeOf(memberOf(edit, "range")), memberOf(edit, "newText")];
    if (!range || typeof newText !== "string") throw new ModelError(`An edit of ${path} has no place. ${unchanged}`);
    const [start, end] = [source.offset(range.start, encoding), source.offset(range.end, encoding)];
    if (end < start) throw new ModelError(`An edit of ${path} ends before it begins. ${unchanged}`);
    return { start, end, text: newText.replace(/\r\n|\r|\n/g, eol), order };
  });
  replacements.sort((a, b) => a.start - b.start || a.end - b.end || a.order - b.order);
  let [out, at] = ["", 0];
  for (const { start, end, text } of replacements) {
    if (start < at) throw new ModelError(`Edits of ${path} overlap. ${unchanged}`);
    out += source.text.slice(at, start) + text;
    at = end;
  }
  return out + source.text.slice(at);
}
