// The face of this folder: verdicts on changes, whether a text parses, and the observer that keeps both for a run.
// The parsers themselves are reached through the table in languages.ts alone, and loaded by it.

export { SyntaxObserver } from "./observer.js";
export { checkChange, faultsIn, parses } from "./verdict.js";
