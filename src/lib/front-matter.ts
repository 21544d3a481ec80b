// Markdown that begins with fields between two lines of `---`, as agents and skills are written: fields, with their lines, and body.
// Invariant: never throws for what a file holds; what cannot be read is a problem with its line. Fields are YAML. Other programs
// read them line by line, so a text with a colon in it, which YAML does not allow unquoted, is taken as it stands.

import type { Json } from "../core/json.js";
import { isDeeplyNested } from "./nesting.js";

export interface Field {
  value: Json;
  /** From 1. */
  line: number;
}

export interface FrontMatter {
  fields: ReadonlyMap<string, Field>;
  /** What stands behind the fields. */
  body: string;
  /** Why the fields cannot be used; then there are none. */
  problem: { line: number; text: string } | null;
}

const fence = /^---[ \t]*$/;

export async function readFrontMatter(text: string): Promise<FrontMatter> {
  const lines = text.replace(/^\ufeff/, "").split(/\r?\n/);
  if (!fence.test(lines[0] ?? "")) return failed(1, "it does not begin with a line of ---");
  const end = lines.findIndex((line, i) => i > 0 && fence.test(line));
  if (end < 0) return failed(1, "its fields have no end: a second line of --- is missing");
  const body = lines
    .slice(end + 1)
    .join("\n")
    .trim();
  const head = lines.slice(1, end);
  const found = await fieldsOf(head);
  return "text" in found ? { ...failed(found.line, found.text), body } : { fields: found, body, problem: null };
}

function failed(line: number, text: string): FrontMatter {
  return { fields: new Map(), body: "", problem: { line, text } };
}

type Fields = ReadonlyMap<string, Field>;

async function fieldsOf(head: readonly string[]): Promise<Fields | { line: number; text: string }> {
  if (isDeeplyNested(head.join("\n"))) return { line: 2, text: "the fields are nested too deeply" };
  const { isMap, isScalar, LineCounter, parseDocument, repeatedKeys } = await import("./yaml-parser.js");
  const lineCounter = new LineCounter();
  const document = parseDocument(head.join("\n"), { lineCounter, prettyErrors: false, uniqueKeys: false });
  const [fault] = document.errors;
  if (fault) return plainFields(head) ?? { line: lineCounter.linePos(fault.pos[0]).line + 1, text: fault.message };
  const { contents } = document;
  const [again] = repeatedKeys(contents);
  if (again) return { line: lineCounter.linePos(again.at).line + 1, text: `the key ${again.key} is there twice` };
  if (contents === null) return new Map();
  if (!isMap(contents)) return { line: 2, text: "the fields are not of the form `name: value`" };
  const fields = new Map<string, Field>();
  for (const { key, value } of contents.items) {
    if (!isScalar(key)) continue;
    const line = lineCounter.linePos(key.range?.[0] ?? 0).line + 1;
    const plain = value && typeof value === "object" && "toJS" in value ? value.toJS(document) : null;
    fields.set(String(key.value), { value: plain as Json, line });
  }
  return fields;
}

/** Null when there is more to it than one `name: text` a line. */
function plainFields(head: readonly string[]): Fields | null {
  const fields = new Map<string, Field>();
  for (const [i, line] of head.entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const [, name, rest] = /^([\w-]+):(.*)$/.exec(line) ?? [];
    const value = rest?.trim();
    if (name === undefined || value === undefined || fields.has(name) || /^[[{|>&*!]/.test(value)) return null;
    fields.set(name, { value: /^(["']).*\1$/.test(value) ? value.slice(1, -1) : value, line: i + 2 });
  }
  return fields;
}
