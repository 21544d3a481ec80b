// A YAML text as a value of which every part knows its line, so that what is wrong with it can be shown where it is.

import { type Alias, type Document, isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, visit } from "yaml";
import type * as z from "zod";
import { isDeeplyNested } from "../lib/nesting.js";
import { repeatedKeys } from "../lib/yaml-parser.js";

export interface Problem {
  /** From 1; 0 = there is no text. */
  line: number;
  text: string;
}

/** Something that is wrong, at a path into the value. */
export interface Flaw {
  path: readonly PropertyKey[];
  text: string;
}

export type Checked<Value> = { value: Value; problems: [] } | { value: null; problems: Problem[] };

/** Reads a text, holds it against a schema and then against what no schema can say. */
export function readYaml<Value>(
  text: string,
  schema: z.ZodType<Value>,
  flawsOf: (value: Value) => Flaw[],
): Checked<Value> {
  if (isDeeplyNested(text)) return { value: null, problems: [{ line: 1, text: "it is nested too deeply" }] };
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, logLevel: "error", uniqueKeys: false });
  const lineAt = (offset: number) => lines.linePos(offset).line;
  const repeated = repeatedKeys(document.contents).map(({ at }) => ({
    line: lineAt(at),
    text: "Map keys must be unique",
  }));
  if (document.errors.length + repeated.length > 0) {
    const faults = document.errors.map(({ pos, message }) => ({ line: lineAt(pos[0]), text: firstLine(message) }));
    const problems = [...faults, ...repeated].sort((a, b) => a.line - b.line);
    return { value: null, problems };
  }
  const aliases = aliasesIn(document);
  const [most] = aliases.slice(mostAliases);
  if (most)
    return {
      value: null,
      problems: [{ line: lineAt(startOf(most)), text: `there are more than ${mostAliases} aliases (*)` }],
    };
  const dangling = aliases.filter((alias) => !alias.resolve(document));
  if (dangling.length > 0) {
    const problems = dangling.map((alias) => ({
      line: lineAt(startOf(alias)),
      text: `*${alias.source} stands for nothing above`,
    }));
    return { value: null, problems };
  }
  let value: unknown;
  try {
    // Anchors are not resolved any number of times: a small file stays a small value.
    value = document.toJS({ maxAliasCount: maxAliases });
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    const [first] = aliases;
    const line = first ? lineAt(startOf(first)) : 1;
    return {
      value: null,
      problems: [{ line, text: "names that stand for other parts (*) make far more of it than is written" }],
    };
  }
  return checkValue(value, schema, flawsOf, (path) => lineAt(offsetOf(document, path)));
}

const maxAliases = 20;
/** Each is looked for in the whole text. */
const mostAliases = 500;

function aliasesIn(document: Document): Alias[] {
  const found: Alias[] = [];
  visit(document, { Alias: (_key, alias) => void found.push(alias) });
  return found;
}

function startOf({ range }: { range?: readonly number[] | null | undefined }): number {
  return range?.[0] ?? 0;
}

/** Where the deepest part of a path begins that is there: a key, or an entry of a list. */
function offsetOf(document: Document.Parsed, path: readonly PropertyKey[]): number {
  let offset = 0;
  let node: unknown = document.contents;
  for (const step of path) {
    const here = isAlias(node) ? node.resolve(document) : node;
    if (isMap(here)) {
      const pair = here.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
      if (!pair || !isScalar(pair.key)) break;
      offset = startOf(pair.key);
      node = pair.value;
    } else {
      const entry = isSeq(here) ? here.items[Number(step)] : undefined;
      if (!entry) break;
      offset = startOf(entry as { range?: readonly number[] });
      node = entry;
    }
  }
  return offset;
}

/** The same for a value that is no text; all its problems are in line 0. */
export function checkValue<Value>(
  given: unknown,
  schema: z.ZodType<Value>,
  flawsOf: (value: Value) => Flaw[],
  lineOf: (path: readonly PropertyKey[]) => number = () => 0,
): Checked<Value> {
  const parsed = schema.safeParse(given);
  const flaws = parsed.success ? flawsOf(parsed.data) : parsed.error.issues.flatMap(flawsIn);
  if (parsed.success && flaws.length === 0) return { value: parsed.data, problems: [] };
  return { value: null, problems: flaws.map(({ path, text }) => ({ line: lineOf(path), text })) };
}

/** Keys that are unknown are told each in its place. */
function flawsIn(issue: z.core.$ZodIssue): Flaw[] {
  const { path, message } = issue;
  if (issue.code !== "unrecognized_keys") return [{ path, text: `${dotted(path)}${message}` }];
  return issue.keys.map((key) => ({
    path: [...path, key],
    text: `${dotted(path)}there is no key ${JSON.stringify(key)}`,
  }));
}

function dotted(path: readonly PropertyKey[]): string {
  return path.length > 0 ? `${path.map(String).join(".")}: ` : "";
}

function firstLine(text: string): string {
  return text.split("\n")[0] ?? text;
}
