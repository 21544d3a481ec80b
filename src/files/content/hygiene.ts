// What the door does about careless content: wrappers come off (sanitise.ts), comments that stand for left-out code and
// stubs are named with their lines (placeholder.ts, stub.ts), and where such a comment replaces code, or a mark a secret
// (redaction.ts), the call is refused once.
// Invariant: the same call made again is carried out with a warning (SPEC 1.10), so nobody is ever stuck; texts of an edit
// are never altered. Everything said here ends up in the notes of the plan, which the model reads.

import { Refusal } from "../../core/errors.js";
import type { TextEdit } from "../../core/ports.js";
import { diffTexts } from "../../lib/diff.js";
import { sha256 } from "../../lib/hash.js";
import { cutLine } from "../../lib/truncate.js";
import { addedMarkers, findPlaceholders, type Loss, type Marker, mayHoldPlaceholder, replaced } from "./placeholder.js";
import { newMarks } from "./redaction.js";
import { decodedString, leadingThinking, type Parses, type Sanitised, sanitise, sanitisePiece } from "./sanitise.js";
import { stubScore } from "./stub.js";

export interface HygieneOptions {
  /** Parses a text as what its path says it is; without it no JSON string literal is decoded. */
  parses?: (path: string, text: string) => Promise<ReturnType<Parses>>;
  /** `files.placeholder`; default `refuse`. */
  placeholder?: "refuse" | "warn";
  /** The calls refused once, shared by all doors of a session. */
  refusedOnce?: Set<string>;
}

interface Target {
  path: string;
  shown: string;
}

const unchanged = "Nothing was changed.";
const maxNamed = 5;
/** From here on a file is called unfinished; a single stub or words like TODO are no reason. */
const unfinished = 0.5;

export class Hygiene {
  readonly #options: HygieneOptions;
  readonly #refusedOnce: Set<string>;

  constructor(options: HygieneOptions) {
    this.#options = options;
    this.#refusedOnce = options.refusedOnce ?? new Set();
  }

  /** The content of a new file without its wrappers. */
  async clean(path: string, content: string): Promise<Sanitised> {
    const { parses } = this.#options;
    const decoded = parses ? decodedString(content) : null;
    if (!parses || decoded === null) return sanitise(path, content);
    const verdicts = new Map([
      [content, await parses(path, content)],
      [decoded, await parses(path, decoded)],
    ]);
    return sanitise(path, content, (_, text) => verdicts.get(text) ?? "unknown");
  }

  /** A later piece of a file. */
  cleanPiece(path: string, content: string): Sanitised {
    return sanitisePiece(path, content);
  }

  /**
   * Notes on a new file. `before`: what the model last knew at this path, when it replaces that.
   * Throws a Refusal the first time when a marker comes in the place of code.
   */
  async created(target: Target, text: string, before: string | undefined): Promise<string[]> {
    const thinking = this.#thinking(target, text);
    const markers = findPlaceholders(target.path, text);
    const losses: Loss[] = [];
    if (before !== undefined && markers.length > 0) {
      losses.push(...replaced(target.path, before, (await diffTexts(before, text, 1)).text, markers));
    }
    const marks = this.#marks(target, { before: before ?? "", after: text }, text);
    this.#refuseOnce(target, losses, text);
    return [...thinking, ...marks, ...warnings(markers, losses), ...stubNote(target.path, text, 0)];
  }

  /** Notes on text that was added after `lines` lines; throws for a mark in it. */
  appended(target: Target, text: string, added: string, lines: number): string[] {
    const { path } = target;
    const marks = this.#marks(target, { before: "", after: added }, added);
    const markers = mayHoldPlaceholder(added) ? findPlaceholders(path, text) : [];
    const fresh = markers.filter(({ line }) => line > lines);
    return [...marks, ...warnings(fresh, []), ...stubNote(path, added, lines)];
  }

  /** Notes on an edit; throws like `created`. `diff` leads from `before` to `after`. */
  edited(
    target: Target,
    edits: readonly TextEdit[],
    change: { before: string; after: string; diff: string },
  ): string[] {
    const marks = this.#marks(target, change, edits);
    if (!edits.some(({ newText }) => mayHoldPlaceholder(newText))) return marks;
    const markers = addedMarkers(change.diff, findPlaceholders(target.path, change.after));
    const losses = replaced(target.path, change.before, change.diff, markers);
    this.#refuseOnce(target, losses, edits);
    return [...marks, ...warnings(markers, losses)];
  }

  /** A block that never ends: which of it is the file, nobody can tell. Refused once. */
  #thinking({ path, shown }: Target, text: string): string[] {
    const tag = leadingThinking(path, text);
    if (tag === null) return [];
    const what = `begins with <${tag}>, and no file follows the end of that block`;
    if (this.#options.placeholder === "warn" || this.#isRepeated(path, ["thinking", text]))
      return [`the content ${what}`];
    throw new Refusal(
      "placeholder",
      `${shown}: the content ${what}. ${unchanged} Send the content of the file alone. If it really begins like that, make the same call again.`,
    );
  }

  /** Marks of taken-out secrets that would come into a file are refused once, whatever the setting. */
  #marks(
    { path, shown }: Target,
    change: { before: string; after: string },
    input: string | readonly TextEdit[],
  ): string[] {
    const marks = newMarks(change.before, change.after);
    if (marks.length === 0) return [];
    const named = marks.slice(0, maxNamed).join(", ");
    if (this.#isRepeated(path, ["marks", input])) return [`${named} was written as it is`];
    throw new Refusal(
      "placeholder",
      `${shown}: the new text holds ${named}, which stands in what you read for a secret that was taken out; the file would hold these words in place of the secret. ${unchanged} Change only other lines of the file, or let the user put the secret in. If the words themselves are meant, make the same call again.`,
    );
  }

  /** Whether this call was refused before; from now on it was. */
  #isRepeated(path: string, input: unknown): boolean {
    const call = sha256(JSON.stringify([path, input]));
    const known = this.#refusedOnce.has(call);
    this.#refusedOnce.add(call);
    return known;
  }

  #refuseOnce({ path, shown }: Target, losses: readonly Loss[], input: string | readonly TextEdit[]): void {
    if (losses.length === 0 || this.#options.placeholder === "warn") return;
    if (this.#isRepeated(path, input)) return;
    const where = losses.slice(0, maxNamed).map(({ line, text, lost }) => {
      return `line ${line} (${quote(text)}) would stand for ${lost} lines of code`;
    });
    throw new Refusal(
      "placeholder",
      `${shown}: in the new text ${where.join(", ")}. ${unchanged} Send the code itself, with nothing left out. If the lines are to go and the comment is meant, make the same call again.`,
    );
  }
}

function warnings(markers: readonly Marker[], losses: readonly Loss[]): string[] {
  const plain = markers.filter(({ line }) => !losses.some((loss) => loss.line === line));
  const notes = losses
    .slice(0, maxNamed)
    .map(({ line, text, lost }) => `line ${line} (${quote(text)}) came in the place of ${lost} lines of code`);
  if (plain.length === 0) return notes;
  const named = plain.slice(0, maxNamed).map(({ line, text }) => `line ${line} (${quote(text)})`);
  const more = plain.length > maxNamed ? ` and ${plain.length - maxNamed} more` : "";
  const verb = plain.length === 1 ? "seems to stand" : "seem to stand";
  return [...notes, `${named.join(", ")}${more} ${verb} for left-out code; the file must hold all of it`];
}

function stubNote(path: string, text: string, after: number): string[] {
  const { score, reasons } = stubScore(path, text);
  if (score < unfinished || reasons.filter(({ isWord }) => !isWord).length < 2) return [];
  const named = reasons.slice(0, 3).map(({ line, what }) => `line ${after + line} (${what})`);
  const more = reasons.length > 3 ? ` and ${reasons.length - 3} more` : "";
  return [`INCOMPLETE? ${named.join(", ")}${more}`];
}

function quote(text: string): string {
  return JSON.stringify(cutLine(text, 80));
}
