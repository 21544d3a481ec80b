// Whether a matcher fits what an event is about. As other agents have it: a plain word, or words with `|` between them, is a
// name; anything else is a regular expression that may fit anywhere in it.
// Invariant: a matcher takes time in proportion to the name, whatever it says (linear-regexp.ts).

import { linearRegExp } from "../lib/linear-regexp.js";

/** `names`: everything that the thing is called; none = the event is about nothing in particular. */
export function fits(matcher: string, names: readonly string[]): boolean {
  if (matcher === "" || names.length === 0) return true;
  if (/^[\w|]+$/.test(matcher)) return matcher.split("|").some((word) => names.includes(word));
  const pattern = linearRegExp(matcher);
  return names.some((name) => pattern.test(name));
}
