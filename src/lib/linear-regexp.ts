// Regular expressions that somebody else wrote: they take time in proportion to the text, whatever they say (RE2's syntax: no
// look-around, no back-references). JavaScript's own can take forever, and nothing ends one that runs.

import { RE2JS, RE2JSException } from "re2js";

export interface LinearRegExp {
  /** Does it fit anywhere in the text? */
  test(text: string): boolean;
}

/** `.` also stands for line ends. Throws an Error that says what is wrong. */
export function linearRegExp(pattern: string): LinearRegExp {
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern), RE2JS.DOTALL);
    return { test: (text) => compiled.matcher(text).find() };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new Error(error.message.replace(/^error parsing regexp: /, ""));
  }
}
