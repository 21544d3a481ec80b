// From what a model names to a place: a line and column, a name in a file, or a name anywhere in the project.
// Invariant: a name that may mean several things is never guessed: the refusal lists them.

import { Refusal } from "../core/errors.js";
import type { Answer, CodeSymbol, LanguagePort, Spot, Target } from "../core/lsp.js";
import { placesOf, type SourceText } from "./text.js";

export interface SpotSources {
  locate: LanguagePort["locate"];
  text(path: string): SourceText | null;
  outline(path: string): Promise<CodeSymbol[]>;
  symbols(query: string): Promise<Answer<CodeSymbol>>;
}

const asked = "Nothing was asked.";
const mostListed = 12;

export async function findSpot(target: Target, sources: SpotSources): Promise<Spot> {
  const { path, line, column, symbol } = target;
  if (path === undefined) {
    if (symbol === undefined) throw new Refusal("input", `Give a symbol, or a path with a line. ${asked}`);
    return anywhere(symbol, sources);
  }
  const place = sources.locate(path);
  const source = sources.text(place.path);
  if (!source) throw new Refusal("binary", `${place.shown} cannot be read as text. ${asked}`);
  if (symbol !== undefined) return { ...place, ...(await inFile(symbol, line, { ...place, source }, sources)) };
  if (line === undefined) throw new Refusal("input", `Give a line of ${place.shown}, or a symbol in it. ${asked}`);
  if (line > source.lineCount) {
    throw new Refusal("input", `${place.shown} has ${source.lineCount} lines, none with number ${line}. ${asked}`, [
      "read",
    ]);
  }
  const indent = /^\s*/.exec(source.line(line))?.[0].length ?? 0;
  return { ...place, line, column: column ?? indent + 1 };
}

interface Named {
  path: string;
  shown: string;
  source: SourceText;
}

async function inFile(
  symbol: string,
  line: number | undefined,
  { path, shown, source }: Named,
  sources: SpotSources,
): Promise<{ line: number; column: number }> {
  const { name, container } = partsOf(symbol);
  if (container !== "") {
    const fitting = (await sources.outline(path)).filter((each) => each.name === name && each.container === container);
    const [only] = fitting;
    if (only && fitting.length === 1) return onName(name, only, source);
  }
  const places = placesOf(name, source);
  if (places.length === 0) {
    throw new Refusal("no-match", `${JSON.stringify(name)} does not occur in ${shown}. ${asked}`, ["read", "search"]);
  }
  if (line !== undefined) return places.reduce((best, each) => (far(each, line) < far(best, line) ? each : best));
  const isCode = (each: { line: number }) =>
    !/^\s*(\/\/|\/?\*|#(?!\s*(include|define))|--|<!--)/.test(source.line(each.line));
  return places.find(isCode) ?? (places[0] as { line: number; column: number });
}

function far({ line }: { line: number }, from: number): number {
  return Math.abs(line - from);
}

async function anywhere(symbol: string, sources: SpotSources): Promise<Spot> {
  const { name, container } = partsOf(symbol);
  const { items, notes } = await sources.symbols(name);
  const named = items.filter((each) => each.name.split("(", 1)[0] === name);
  const fitting = container === "" ? named : named.filter((each) => lastPart(each.container) === container);
  const [only] = fitting;
  if (!only) {
    const why = notes.length > 0 ? ` ${notes.join(" ")}` : "";
    const near = [...new Set(items.map((each) => each.name))].slice(0, mostListed);
    const list = near.length > 0 ? ` Names like it: ${near.join(", ")}.` : "";
    throw new Refusal("no-match", `No symbol ${JSON.stringify(symbol)} is known. ${asked}${list}${why}`, ["search"]);
  }
  if (fitting.length > 1) {
    const list = fitting.slice(0, mostListed).map((each) => `${each.shown}:${each.line}:${each.column} ${each.kind}`);
    const more = fitting.length > mostListed ? `\nand ${fitting.length - mostListed} more` : "";
    const text = `${fitting.length} symbols are called ${name}; name one by path and line. ${asked}`;
    throw new Refusal("ambiguous", `${text}\n${list.join("\n")}${more}`);
  }
  const source = sources.text(only.path);
  const { path, shown } = only;
  return { path, shown, ...(source ? onName(name, only, source) : { line: only.line, column: only.column }) };
}

/** Where the name stands: servers often give the beginning of the whole declaration. */
function onName(name: string, at: { line: number; column: number }, source: SourceText) {
  const { line, column } = at;
  const own = placesOf(name, source).filter((each) => each.line >= line && each.line <= line + 3);
  return own.find((each) => each.line > line || each.column >= column) ?? { line, column };
}

/** `Class.method`, `Class::method`, `Class#method`. */
function partsOf(symbol: string): { name: string; container: string } {
  const parts = symbol.split(/\.|::|#/).filter((part) => part !== "");
  return { name: parts.at(-1) ?? symbol, container: parts.at(-2) ?? "" };
}

function lastPart(container: string): string {
  return partsOf(container).name;
}
