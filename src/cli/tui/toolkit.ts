// What is taken from pi-tui: the reading of keys and the width of characters. The only file that knows the package.
// Its renderer is not among it: that one clears the screen and the scrollback at every resize and whenever a line above the
// screen changes; screen.ts never touches what has scrolled away.

export { decodePrintableKey, parseKey } from "@mariozechner/pi-tui/dist/keys.js";
export { StdinBuffer as KeyStream } from "@mariozechner/pi-tui/dist/stdin-buffer.js";
export { getSegmenter, visibleWidth } from "@mariozechner/pi-tui/dist/utils.js";
