// A YAML text as a value of which every part knows its line, so that what is wrong with it can be shown where it is.

import { LineCounter, parseDocument } from "yaml";
import type { ZodType } from "zod";

export interface Problem {
  /** From 1; 0 = there is no text. */
  line: number;
  text: string;
}

/** Something that is wrong, at a path into the value. */
export interface Fault {
  path: readonly PropertyKey[];
  text: string;
}

export type Checked<Value> = { value: Value; problems: [] } | { value: null; problems: Problem[] };

/** Reads a text, holds it against a schema and then against what no schema can say. */
export function readYaml<Value>(
  text: string,
  schema: ZodType<Value>,
  faultsOf: (value: Value) => Fault[],
): Checked<Value> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const lineAt = (offset: number) => lines.linePos(offset).line;
  if (document.errors.length > 0) {
    const problems = document.errors.map(({ pos, message }) => ({ line: lineAt(pos[0]), text: firstLine(message) }));
    return { value: null, problems };
  }
  // Anchors are not resolved any number of times: a small file stays a small value.
  return checkValue(document.toJS({ maxAliasCount: 20 }), schema, faultsOf, (path) => {
    // The deepest part of the path that is there.
    for (let length = path.length; length > 0; length--) {
      const node = document.getIn(path.slice(0, length), true) as { range?: [number, number, number] } | undefined;
      if (node?.range) return lineAt(node.range[0]);
    }
    return 1;
  });
}

/** The same for a value that is no text; all its problems are in line 0. */
export function checkValue<Value>(
  given: unknown,
  schema: ZodType<Value>,
  faultsOf: (value: Value) => Fault[],
  lineOf: (path: readonly PropertyKey[]) => number = () => 0,
): Checked<Value> {
  const parsed = schema.safeParse(given);
  const faults = parsed.success
    ? faultsOf(parsed.data)
    : parsed.error.issues.map(({ path, message }) => ({ path, text: `${dotted(path)}${message}` }));
  if (parsed.success && faults.length === 0) return { value: parsed.data, problems: [] };
  return { value: null, problems: faults.map(({ path, text }) => ({ line: lineOf(path), text })) };
}

function dotted(path: readonly PropertyKey[]): string {
  return path.length > 0 ? `${path.map(String).join(".")}: ` : "";
}

function firstLine(text: string): string {
  return text.split("\n")[0] ?? text;
}
