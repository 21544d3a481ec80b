// Images that the user attaches, each read once: what is sent is what its mark was made of.

import { resolve } from "node:path";
import { UserError } from "../../core/errors.js";
import type { ImagePart } from "../../core/message.js";
import { nodeFs } from "../../lib/fs.js";
import type { Desk } from "../desk.js";

export interface ImageSources {
  /** The image in a file, null when nothing is there. Throws UserError when it cannot be sent. */
  image(path: string): Promise<ImagePart | null>;
  /** The one in the clipboard. Throws UserError when there is none. */
  copied(): Promise<ImagePart>;
}

/** `clipboard`: the bytes of its image, null when there is none. */
export function imagesOf(desk: Desk, clipboard: () => Promise<Uint8Array | null>): ImageSources {
  return {
    async image(path) {
      const { session } = desk;
      return nodeFs.existsSync(resolve(session.init.cwd, path)) ? session.image({ path }) : null;
    },
    async copied() {
      const bytes = await clipboard();
      if (bytes) return desk.session.image({ bytes, name: "clipboard" });
      throw new UserError(
        "No image was found in the clipboard.",
        "wl-paste, xclip or pngpaste has to be there for it.",
      );
    },
  };
}
