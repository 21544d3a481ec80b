// The first characters of an answer, put there for the model (prefill): an open code fence, so that what follows is the
// text of a file and no introduction to it.
// Invariant: only what we opened is taken off again, with what closes it; in doubt the answer stays as it came. A model
// that refuses to go on from an opening is asked once without it, and not with one again.
// Not here: fences that the model made itself; they come off as from any content (files/content/sanitise.ts).

import type { Model } from "../core/model.js";
import type { Wanted } from "../core/tool.js";

const refused = new WeakSet<Model>();

/** May the answer be begun for this model, for such a text? */
export function mayOpen(model: Model, { inLine }: Wanted): boolean {
  return model.facts.prefill === true && !refused.has(model) && !inLine;
}

/** No line end: vendors refuse an opening that ends in white space. */
export function openingOf(word: string): string {
  return `\`\`\`${word}`;
}

/** This model does not go on from an opening. */
export function noOpenings(model: Model): void {
  refused.add(model);
}

export interface Opened {
  text: string;
  /** What stood behind the closing fence. */
  remark: string;
}

const fenceLine = /^[ \t]*(?:```|~~~)/;
const closing = /^```[ \t]*\r?$/;

/** The text of an answer that went on from an opening. `isWhole`: it is not cut. */
export function withoutOpening(answer: string, isWhole: boolean): Opened {
  const text = answer.replace(/^[ \t]*\r?\n/, "");
  // It began anew, with a fence of its own.
  if (/^```[^\s`]/.test(text)) return { text, remark: "" };
  const lines = text.split("\n");
  const fences = lines.flatMap((line, at) => (fenceLine.test(line) ? [at] : []));
  const last = lines.findLastIndex((line) => line.trim() !== "");
  const at = fences.length === 1 ? (fences[0] as number) : last;
  // Several fences: only one at the very end can be ours. An even number of others would have to stand before it.
  const isOurs = fences.length % 2 === 1 && closing.test(lines[at] ?? "") && (at === last || isWhole);
  if (!isOurs) return { text, remark: "" };
  const body = lines.slice(0, at).join("\n");
  return {
    text: body === "" ? "" : `${body}\n`,
    remark: lines
      .slice(at + 1)
      .join("\n")
      .trim(),
  };
}
