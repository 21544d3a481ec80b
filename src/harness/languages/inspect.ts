// What of a text is no code yet: functions without a body, and comments that stand for what was left out. The same judgement
// that the file tools give a model.

import { loadHygiene } from "../lazy.js";

/** What is known of the text of a file by itself. Lines count from 1. */
export interface TextReport {
  /** 0 = no stub is found in it; 1 = nothing but stubs. */
  stub: number;
  /** Functions without a body, or with one that says that it is not implemented. */
  hollow: { line: number; what: string }[];
  /** Comments that stand for code that was left out. */
  omitted: { line: number; what: string }[];
}

/** `path` decides what is a comment and what a function. Reads nothing. */
export async function inspectText(path: string, text: string): Promise<TextReport> {
  const { findPlaceholders, stubScore } = await loadHygiene();
  const { score, reasons } = stubScore(path, text);
  return {
    stub: score,
    hollow: reasons.filter(({ isWord }) => !isWord).map(({ line, what }) => ({ line, what })),
    omitted: findPlaceholders(path, text).map(({ line, text: what }) => ({ line, what })),
  };
}
