// Text as HTML text: never markup, nothing invisible.

import { safeText } from "../../lib/safe-text.js";

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Fit for an element's content and for a quoted attribute. */
export function text(value: string): string {
  return safeText(value).replace(/[&<>"']/g, (unit) => entities[unit] ?? unit);
}
