// What is sent to a session: a text, with images where the model takes them.

import type { ImagePart } from "../../core/message.js";

/**
 * A PNG, JPEG, GIF or WebP image; which of them is seen from its bytes. A path is taken from the harness's `cwd`. An `ImagePart` is
 * one that was read before: by `session.image`, or for a message of the log.
 */
export type ImageInput = { path: string } | { bytes: Uint8Array; name?: string } | ImagePart;

export interface UserInput {
  /** May be empty when there are images. */
  text: string;
  images?: readonly ImageInput[];
}

/** The same with its images read. */
export interface Said {
  text: string;
  images: readonly ImagePart[];
}
