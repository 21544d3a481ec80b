// What others wrote, as part of one row of a list: however it is written, it begins no row of its own.

/** Prose: what separates words is a blank. */
export function row(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** A command or a path, which is shown as it is, or as a JSON text where that takes more than a row. */
export function exactRow(text: string): string {
  return /[\p{Cc}\p{Zl}\p{Zp}]/u.test(text) ? JSON.stringify(text) : text;
}
