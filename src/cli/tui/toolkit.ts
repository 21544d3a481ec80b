// What is taken from pi-tui: the reading of keys, the width of characters, the encoding of pictures. The only file that knows the package.
// Its renderer is not among it: that one clears the screen and the scrollback at every resize and whenever a line above the
// screen changes; screen.ts never touches what has scrolled away.

export { decodePrintableKey, parseKey } from "@mariozechner/pi-tui/dist/keys.js";
export { StdinBuffer as KeyStream } from "@mariozechner/pi-tui/dist/stdin-buffer.js";
export { encodeITerm2, encodeKitty } from "@mariozechner/pi-tui/dist/terminal-image.js";
export { getSegmenter } from "@mariozechner/pi-tui/dist/utils.js";

import { visibleWidth as widthOfAny } from "@mariozechner/pi-tui/dist/utils.js";

/** Latin, Greek, Cyrillic, dashes and quotes, arrows, frames and the marks of our own screens: a column each. */
const narrow =
  /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u0391-\u03a1\u03a3-\u03ff\u0400-\u0482\u048a-\u052f\u2010-\u2027\u2190\u2192\u21af\u2298\u22ef\u2500-\u259f\u25a0-\u25fc\u2610\u2611\u2717\u273b\u276f]*$/;

/** Each character of it is one that a reader sees, and takes one column. */
export function isNarrow(text: string): boolean {
  return narrow.test(text);
}

/** Columns of a text. Its tables of emoji take a tenth of a second to be made, so the first screens do without. */
export function visibleWidth(text: string): number {
  return isNarrow(text) ? text.length : widthOfAny(text);
}
