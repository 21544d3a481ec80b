// Types for grammars.js.

/** HTML with classes, and whether nothing is open at its end; null for a language that is not here. */
export function highlighted(text: string, language: string): { html: string; closed: boolean } | null;
