// From a server's answers to the nouns of core/lsp.ts.
// Invariant: what comes from a server is checked member by member; what does not have the expected shape is left out.

import type { Position, Diagnostic as ServerDiagnostic } from "vscode-languageserver-types";
import { type CodeSymbol, type Diagnostic, type Location, type Severity, severities } from "../core/lsp.js";
import { symbolKinds } from "./capabilities.js";
import { listOf, memberOf, pathOf, rangeOf } from "./members.js";
import type { Encoding, SourceText } from "./text.js";

/** What files look like to the one who asks. */
export interface View {
  shown(path: string): string;
  /** The text that positions are about; null when it cannot be read. */
  text(path: string): SourceText | null;
  /** May its lines be shown? */
  isOpen(path: string): boolean;
}

/** A location, a list of them, or links. Each place once, in the order of the server. */
export function locationsOf(answer: unknown, encoding: Encoding, view: View): Location[] {
  const found = new Map<string, Location>();
  for (const each of Array.isArray(answer) ? answer : [answer]) {
    const uri = memberOf(each, "uri") ?? memberOf(each, "targetUri");
    const range = rangeOf(memberOf(each, "targetSelectionRange") ?? memberOf(each, "range"));
    const location = typeof uri === "string" && range ? locationOf(uri, range.start, encoding, view) : null;
    if (location) found.set(`${location.path}:${location.line}:${location.column}`, location);
  }
  return [...found.values()];
}

function locationOf(uri: string, start: Position, encoding: Encoding, view: View): Location | null {
  const path = pathOf(uri);
  // A place in no file, such as a library inside an archive: its name is all there is to show.
  if (path === null) return { path: uri, shown: uri, line: start.line + 1, column: start.character + 1, text: null };
  const source = view.text(path);
  const at = source?.fromServer(start, encoding) ?? { line: start.line + 1, column: start.character + 1 };
  const text = source && view.isOpen(path) ? source.line(at.line).trim() : null;
  return { path, shown: view.shown(path), ...at, text };
}

/** The outline of a file: nested symbols or flat ones. */
export function outlineOf(answer: unknown, uri: string, encoding: Encoding, view: View): CodeSymbol[] {
  const out: CodeSymbol[] = [];
  const visit = (items: unknown, container: string, depth: number) => {
    for (const item of listOf(items)) {
      const flat = memberOf(item, "location");
      const range = rangeOf(memberOf(item, "selectionRange") ?? memberOf(flat, "range"));
      const at = range && locationOf(String(memberOf(flat, "uri") ?? uri), range.start, encoding, view);
      if (!at) continue;
      const name = String(memberOf(item, "name"));
      const within = memberOf(item, "containerName");
      out.push({ ...at, name, kind: kindOf(item), container: typeof within === "string" ? within : container, depth });
      visit(memberOf(item, "children"), name, depth + 1);
    }
  };
  visit(answer, "", 0);
  return out;
}

function kindOf(item: unknown): string {
  return symbolKinds[Number(memberOf(item, "kind")) - 1] ?? "symbol";
}

/** The text of a hover, without the marks of code blocks. */
export function hoverOf(answer: unknown): string | null {
  const contents = memberOf(answer, "contents");
  const parts = (Array.isArray(contents) ? contents : [contents]).map((part) =>
    typeof part === "string" ? part : String(memberOf(part, "value") ?? ""),
  );
  const text = parts
    .join("\n\n")
    .replace(/^```.*$/gm, "")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
  return text === "" ? null : text;
}

/** By place; what names no text is left out. */
export function diagnosticsOf(
  items: readonly ServerDiagnostic[],
  source: SourceText,
  encoding: Encoding,
): Diagnostic[] {
  const found = items.flatMap((item): Diagnostic[] => {
    const range = rangeOf(item.range);
    if (!range) return [];
    const at = source.fromServer(range.start, encoding);
    const message = String(memberOf(item.message, "value") ?? item.message).trim();
    const code = [item.source, memberOf(item.code, "value") ?? item.code].filter(isWord);
    return [{ severity: severityOf(item.severity), ...at, message, code: code.join(" ") }];
  });
  return found.sort((a, b) => a.line - b.line || a.column - b.column);
}

function isWord(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number";
}

/** A server that does not say how bad it is means an error. */
function severityOf(value: unknown): Severity {
  return severities[Number(value) - 1] ?? "error";
}
