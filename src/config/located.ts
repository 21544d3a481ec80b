// Settings text as a tree in which every member knows its line, so that a problem can be shown where it is.
// Invariants: never throws, whatever the text is; nesting is bounded before anything recurses; no object with keys from
// the file is built here, so `__proto__` is a key like any other. A member with a syntax error inside is `broken`.

import type { Json } from "../core/json.js";
import { locatePlain } from "./plain-json.js";

export type Located =
  | { is: "object"; line: number; members: Member[] }
  | { is: "array"; line: number; items: Located[] }
  | { is: "scalar"; line: number; value: string | number | boolean | null };

export interface Member {
  key: string;
  line: number;
  /** Absent when broken. */
  value?: Located;
}

export interface SyntaxProblem {
  line: number;
  text: string;
}

export interface ParsedText {
  /** Null when there is no object to go on with. */
  root: Located | null;
  problems: SyntaxProblem[];
}

const deepest = 64;

/** Reads JSON with comments and trailing commas. The parser is loaded for what is not plain JSON. */
export async function locateText(text: string): Promise<ParsedText> {
  const body = text.replace(/^\ufeff/, "");
  const simple = locatePlain(body, deepest);
  if (simple?.is === "object") return { root: simple, problems: [] };
  const loaded = await import("jsonc-parser");
  const { createScanner, parseTree } = "parseTree" in loaded ? loaded : (loaded as { default: typeof loaded }).default;
  const lineAt = lineCounter(body);
  const deep = tooDeep(createScanner(body, true));
  if (deep !== null) {
    return { root: null, problems: [{ line: lineAt(deep), text: `nested deeper than ${deepest} levels` }] };
  }
  const errors: { error: number; offset: number }[] = [];
  const tree = parseTree(body, errors as Parameters<typeof parseTree>[1], { allowTrailingComma: true });
  const problems = onePerLine(
    errors.map(({ error, offset }) => ({ line: lineAt(offset), text: sentences[error] ?? "unreadable" })),
  );
  const root = tree ? fromTree(tree, { lineAt, errors }) : null;
  if (root?.is === "object") return { root, problems };
  if (problems.length === 0) problems.push({ line: 1, text: "the file must hold one object, { … }" });
  return { root: null, problems };
}

/** The same tree from a value that is already in memory; line 0 throughout. Null when it is nested too deeply. */
export function locateValue(value: unknown, depth = 0): Located | null {
  if (depth > deepest) return null;
  if (Array.isArray(value)) {
    const items = value.map((item) => locateValue(item, depth + 1));
    return items.includes(null) ? null : { is: "array", line: 0, items: items as Located[] };
  }
  if (typeof value === "object" && value !== null) {
    const members: Member[] = [];
    for (const [key, item] of Object.entries(value)) {
      if (item === undefined) continue;
      const located = locateValue(item, depth + 1);
      if (!located) return null;
      members.push({ key, line: 0, value: located });
    }
    return { is: "object", line: 0, members };
  }
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean" || value === null) {
    return { is: "scalar", line: 0, value };
  }
  return null;
}

/** The plain value. Keys that would reach a prototype are left out. */
export function plain(node: Located): Json {
  if (node.is === "scalar") return node.value;
  if (node.is === "array") return node.items.map(plain);
  const entries = node.members.flatMap(({ key, value }) =>
    value && key !== "__proto__" ? [[key, plain(value)] as const] : [],
  );
  return Object.fromEntries(entries);
}

interface TreeNode {
  type: string;
  offset: number;
  length: number;
  value?: unknown;
  children?: TreeNode[];
}

interface Source {
  lineAt(offset: number): number;
  errors: readonly { offset: number }[];
}

function fromTree(node: TreeNode, source: Source): Located {
  const line = source.lineAt(node.offset);
  const children = node.children ?? [];
  if (node.type === "object") return { is: "object", line, members: children.map((child) => member(child, source)) };
  if (node.type === "array") return { is: "array", line, items: children.map((child) => fromTree(child, source)) };
  const { value } = node;
  const scalar = typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null;
  return { is: "scalar", line, value: scalar };
}

function member(property: TreeNode, source: Source): Member {
  const [key, value] = property.children ?? [];
  const line = source.lineAt(property.offset);
  const end = property.offset + property.length;
  const broken = source.errors.some(({ offset }) => offset > property.offset && offset <= end);
  const name = typeof key?.value === "string" ? key.value : "";
  return value && !broken ? { key: name, line, value: fromTree(value, source) } : { key: name, line };
}

/** Offset of the first bracket that opens a level too many, or null. */
function tooDeep(scanner: { scan(): number; getTokenOffset(): number }): number | null {
  const [openBrace, closeBrace, openBracket, closeBracket, end] = [1, 2, 3, 4, 17];
  let depth = 0;
  for (let kind = scanner.scan(); kind !== end; kind = scanner.scan()) {
    if (kind === openBrace || kind === openBracket) depth++;
    if (kind === closeBrace || kind === closeBracket) depth--;
    if (depth > deepest) return scanner.getTokenOffset();
  }
  return null;
}

function lineCounter(text: string): (offset: number) => number {
  return (offset) => {
    let line = 1;
    for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line++;
    return line;
  };
}

function onePerLine(problems: SyntaxProblem[]): SyntaxProblem[] {
  return problems.filter((problem, index) => index === 0 || problems[index - 1]?.line !== problem.line);
}

/** By jsonc-parser's ParseErrorCode. */
const sentences: Readonly<Record<number, string>> = {
  1: "not a JSON value (strings need double quotes)",
  2: "not a number",
  3: "a key in double quotes is missing",
  4: "a value is missing",
  5: "a colon is missing after the key",
  6: "a comma is missing before this",
  7: "a } is missing",
  8: "a ] is missing",
  9: "text after the end of the object",
  10: "not a comment",
  11: "a comment is not closed",
  12: "a string is not closed",
  13: "a number is not complete",
  14: "not a Unicode escape",
  15: "not an escape sequence",
  16: "a control character that JSON does not allow",
};
