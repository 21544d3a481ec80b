// A list of paths as a result: one a line, and what was left out.

import type { Listing } from "../../core/ports.js";
import type { ToolResult } from "../../core/tool.js";
import { printable } from "../../lib/paths.js";

/** `narrow`: how to ask for less. */
export function listed(listing: Listing, none: string, narrow: string): ToolResult {
  const items = listing.items.map(printable);
  const view = listing.more > 0 ? { items, more: listing.more } : { items };
  return {
    status: "ok",
    text: items.length === 0 ? none : [...items, ...leftOut(listing, narrow)].join("\n"),
    view: { type: "list", ...view },
  };
}

function leftOut({ more, atLeast }: Listing, narrow: string): string[] {
  return more > 0 ? [`(${atLeast ? "at least " : ""}${more} more not shown; ${narrow})`] : [];
}
