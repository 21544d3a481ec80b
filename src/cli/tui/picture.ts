// Pictures in the conversation, for terminals that can show them: which terminals, how high a picture is, what is written for it.
// Invariant: a picture takes exactly its rows, which are lines of ours; the terminal's cursor ends where it was. Whoever is not
// known to show pictures is shown none. Not here: the line with an image's name, which there always is.

import type { ImagePart } from "../../core/message.js";
import { terminalCodes as codes, type SafeText, together } from "../../lib/safe-text.js";
import { encodeITerm2, encodeKitty } from "./toolkit.js";

export type PictureProtocol = "kitty" | "iterm2";

export interface PictureRoom {
  protocol: PictureProtocol;
  columns: number;
  rows: number;
}

export interface Picture {
  protocol: PictureProtocol;
  rows: number;
  /** Base64. */
  data: string;
}

/** Of the files whose pictures stand below one message. */
const mostBytes = 1024 * 1024;
const mostRows = 15;

/** Of a character cell: how high it is taken to be, and the highest it may be for its width. */
const cell = { pixels: 18, slimmest: 2.5 };

const programs: Readonly<Record<string, PictureProtocol>> = {
  ...{ kitty: "kitty", ghostty: "kitty", "iTerm.app": "iterm2", WezTerm: "iterm2" },
};

/** Multiplexers would have to let pictures through, and count their rows. */
export function pictureProtocol(env: Readonly<Record<string, string | undefined>>): PictureProtocol | null {
  const { TERM = "", TERM_PROGRAM = "", TMUX, STY, KITTY_WINDOW_ID } = env;
  if (TMUX || STY || /^(?:tmux|screen)/.test(TERM)) return null;
  if (TERM === "xterm-kitty" || TERM === "xterm-ghostty") return "kitty";
  // A terminal that was started in another one has that one's variables as well.
  if (TERM_PROGRAM === "" && KITTY_WINDOW_ID) return "kitty";
  return programs[TERM_PROGRAM] ?? null;
}

export function pictureRoom(
  protocol: PictureProtocol | null,
  { columns, rows }: { columns: number; rows: number },
): PictureRoom | null {
  return protocol && { protocol, columns, rows: Math.min(mostRows, Math.floor(rows / 2)) };
}

/** Those that can be shown, in their order. */
export function picturesOf(images: readonly ImagePart[], room: PictureRoom): Picture[] {
  let left = mostBytes;
  return images.flatMap((image) => {
    const { bytes = Number.POSITIVE_INFINITY, mediaType, data } = image;
    const rows = rowsFor(image, room);
    if (rows === 0 || bytes > left || (room.protocol === "kitty" && mediaType !== "image/png")) return [];
    left -= bytes;
    return [{ protocol: room.protocol, rows, data }];
  });
}

/** As high as it is, unless it would be too high, or too wide in a font of any shape. 0: not even a row fits. */
function rowsFor({ width = 0, height = 0 }: ImagePart, { columns, rows }: PictureRoom): number {
  if (width === 0 || height === 0) return 0;
  const wide = Math.floor(((columns - 2) * height) / (width * cell.slimmest));
  return Math.max(0, Math.min(Math.ceil(height / cell.pixels), wide, rows));
}

/** Written in the last of its rows. The row below is made first: a terminal that goes on a row after a picture scrolls nothing. */
export function drawnPicture({ protocol, rows, data }: Picture): SafeText {
  const made =
    protocol === "kitty" ? encodeKitty(data, { rows, moveCursor: false }) : encodeITerm2(data, { height: rows });
  const below = together(codes.newLine, codes.up(1));
  return together(
    below,
    codes.saveCursor,
    codes.up(rows - 1),
    codes.column(2),
    codes.picture(made),
    codes.backToCursor,
  );
}
