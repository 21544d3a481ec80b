// Images in files that the user names by their paths, each read once: what is sent is what its mark was made of.

import { resolve } from "node:path";
import type { ImagePart } from "../../core/message.js";
import { nodeFs } from "../../lib/fs.js";
import type { Desk } from "../desk.js";

/** The image in a file, null when nothing is there. Throws UserError when it cannot be sent. */
export function imagesOf(desk: Desk): (path: string) => Promise<ImagePart | null> {
  return async (path) => {
    const { session } = desk;
    return nodeFs.existsSync(resolve(session.init.cwd, path)) ? session.image({ path }) : null;
  };
}
