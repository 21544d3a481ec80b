// Types for grammars.js.

/** HTML with classes; null for a language that is not here. */
export function highlighted(text: string, language: string): string | null;
