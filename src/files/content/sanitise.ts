// Takes off what a model wrapped around a file: a thinking block before it, a fence around all of it. Pure.
// Invariant: what is left is one unbroken piece of what came (or the string it was a JSON literal of): nothing inside is
// ever touched, no line end or indentation is trimmed, and every alteration has its sentence. Sanitising twice is the
// same as once. In doubt the text stays as it is: unclosed, unbalanced, empty, or a file that could be meant like that.

import { languageOf } from "./language.js";

export interface Sanitised {
  text: string;
  /** One sentence for each alteration. */
  notes: string[];
}

/** Whether a text parses as what `path` says it is. */
export type Parses = (path: string, text: string) => "ok" | "error" | "unknown";

type Peel = (path: string, text: string) => Peeled | null;

interface Peeled {
  text: string;
  note: string;
}

/**
 * The content of a whole file, or of its first piece. Without `parses` a JSON string literal is never decoded.
 * Layers come off until none is left.
 */
export function sanitise(path: string, text: string, parses?: Parses): Sanitised {
  return peel(path, text, [(at, given) => unquoted(at, given, parses), withoutThinking, withoutFence]);
}

/** A later piece of a file: only a fence around the whole piece is a wrapper; what it begins with may be meant. */
export function sanitisePiece(path: string, text: string): Sanitised {
  return peel(path, text, [withoutFence]);
}

function peel(path: string, given: string, layers: readonly Peel[]): Sanitised {
  const notes = new Set<string>();
  let text = given;
  for (;;) {
    const peeled = layers.reduce<Peeled | null>((found, layer) => found ?? layer(path, text), null);
    if (!peeled) return { text, notes: [...notes] };
    text = peeled.text;
    notes.add(peeled.note);
  }
}

// --- thinking --------------------------------------------------------------------------------------------------------

/** Blank lines and a byte order mark before a wrapper go with it. */
const before = String.raw`^\ufeff?(?:[ \t]*\r?\n)*[ \t]*`;
const thinking = new RegExp(`${before}<(think|thinking|reasoning|reflection|analysis)(?![\\w:.-])`, "i");

/**
 * Only where no file can begin with an element: programs, style sheets, settings. Markup, templates, JSX, prose and
 * unknown kinds of file keep it. The first closing tag ends the block, and something must follow.
 */
function withoutThinking(path: string, text: string): Peeled | null {
  const tag = leadingThinking(path, text);
  const block = tag === null ? undefined : blockOf(tag, text);
  // Blank lines between block and body go with the block; the indentation of the first line belongs to the body.
  const rest = block === undefined ? "" : text.slice(block.length).replace(/^(?:[ \t]*\r?\n)+/, "");
  if (rest.trim() === "") return null;
  return { text: rest, note: `left out the <${tag}> block before the content` };
}

/** The name of the thinking tag that a file begins with which cannot mean it; null = there is none. */
export function leadingThinking(path: string, text: string): string | null {
  const { nature } = languageOf(path);
  if (nature !== "code" && nature !== "data") return null;
  return thinking.exec(text)?.[1] ?? null;
}

/** With what is before it, up to and with its end; undefined when it has none. */
function blockOf(tag: string, text: string): string | undefined {
  const [open = ""] = new RegExp(`${before}<${tag}(?:\\s[^<>]*)?/?>`).exec(text) ?? [];
  if (open === "" || open.endsWith("/>")) return open || undefined;
  const close = new RegExp(`</${tag}\\s*>`, "i").exec(text);
  return close ? text.slice(0, close.index + close[0].length) : undefined;
}

// --- fence -----------------------------------------------------------------------------------------------------------

const fence = /^(?:\ufeff)?(?:[ \t]*\r?\n)* {0,3}(`{3,100}(?!`)|~{3,100}(?!~))([^\r\n]*)\r?\n/;

/**
 * A fence around everything, when the file is not prose: the first line opens it, the last closes it with a run of the same
 * length, and no line between is such a fence. What the first line says beside (language, name, attributes) goes with it; in
 * a kind of file that nobody knows it may be one word.
 */
function withoutFence(path: string, text: string): Peeled | null {
  const open = fence.exec(text);
  const { nature } = languageOf(path);
  if (!open || nature === "prose") return null;
  const [line, run = ""] = open;
  const info = open[2]?.trim() ?? "";
  if ((run.startsWith("`") && info.includes("`")) || (nature === "other" && /\s/.test(info))) return null;
  const end = text.trimEnd().length;
  const last = text.lastIndexOf("\n", end - 1) + 1;
  if (last < line.length || text.slice(last, end) !== run) return null;
  const body = text.slice(line.length, last);
  if (body.trim() === "" || hasFence(body, run)) return null;
  return { text: body, note: `left out the ${run}${info} fence around the content` };
}

/** A line that could open or close a fence of this kind. */
function hasFence(body: string, run: string): boolean {
  return new RegExp(`^ {0,3}${run}`, "m").test(body);
}

// --- JSON literal ----------------------------------------------------------------------------------------------------

const jsonFamily = /\.(?:json|jsonc|json5|jsonl|ndjson|geojson|webmanifest|map|ya?ml)$/i;

/**
 * The whole value is one JSON string literal that parses better decoded. A program of several lines beats a program
 * that is nothing but one string, which some languages allow; in data that string would be a value, so there the
 * literal itself must fail to parse. Where JSON is the language nothing is decoded.
 */
function unquoted(path: string, text: string, parses: Parses | undefined): Peeled | null {
  if (!parses || !text.includes("\\") || jsonFamily.test(path)) return null;
  const decoded = decodedString(text);
  if (decoded === null || decoded.trim() === "" || parses(path, decoded) !== "ok") return null;
  const raw = parses(path, text);
  const lines = decoded.split("\n").filter((line) => line.trim() !== "").length;
  if (raw !== "error" && (raw !== "ok" || languageOf(path).nature !== "code" || lines < 2)) return null;
  return { text: decoded, note: "decoded the content, which came as one JSON string" };
}

/** What a text says that is nothing but one JSON string literal; null for any other. */
export function decodedString(text: string): string | null {
  if (text[0] !== '"' || !text.trimEnd().endsWith('"')) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" ? value : null;
  } catch {
    return null; // Not one literal: then it is the content itself.
  }
}
