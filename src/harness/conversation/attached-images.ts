// Images that somebody sends with a text: read, judged by their bytes, and made parts of a message.
// Invariant: all of them or a UserError, before anything is written or sent; nothing is scaled or converted.
// A file that permissions withhold is not read. Any other path is the user's own word, also outside of the project.

import { basename, resolve } from "node:path";
import { codeOf, messageOf, UserError } from "../../core/errors.js";
import { maxImages } from "../../core/image.js";
import type { ImagePart } from "../../core/message.js";
import type { Model } from "../../core/model.js";
import { diskFlags, type Fs } from "../../lib/fs.js";
import { imageHeader } from "../../lib/image-header.js";
import type { ImageInput, Said, UserInput } from "../api/said.js";
import type { SessionPermissions } from "../permissions/permissions.js";

export interface AttachPlace {
  disk: Fs;
  cwd: string;
  model: Pick<Model, "id" | "facts">;
  permissions: Pick<SessionPermissions, "concealed">;
}

/** What the user says, its images read. @throws UserError when the model takes none, or one of them cannot be sent */
export async function saidWith({ text, images = [] }: UserInput, at: AttachPlace): Promise<Said> {
  if (images.length === 0) return { text, images: [] };
  try {
    return { text, images: await attachedImages(images, at) };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new UserError(`${error.message} Nothing was sent.`, error.fix, error.exit);
  }
}

/** One image, read before it is said with a text. @throws UserError as `saidWith` does */
export async function imageWith(image: ImageInput, at: AttachPlace): Promise<ImagePart> {
  return ((await attachedImages([image], at)) as [ImagePart])[0];
}

/** Whether permissions withhold what is in the file with this canonical path. */
type Conceals = (path: string) => boolean;

/** Anthropic takes 5 MiB of base64 an image, which is this much of its bytes; the other providers take more. */
const maxBytes = (5 * 1024 * 1024 * 3) / 4;

/** Anthropic takes no side longer than this. */
const maxSide = 8_000;

async function attachedImages(images: readonly ImageInput[], at: AttachPlace): Promise<ImagePart[]> {
  const { id, facts } = at.model;
  if (facts.images !== true) {
    throw new UserError(
      `${id} takes no images, as far as Cinch knows.`,
      `Leave the images out, name a model that takes some with -m, or set models.images."${id}" to true if it does.`,
      2,
    );
  }
  if (images.length > maxImages) {
    throw refused(`${images.length} images are more than a message can have`, `Send at most ${maxImages}.`);
  }
  const conceals = await at.permissions.concealed();
  return images.map((image) => partOf(image, at, conceals));
}

function partOf(image: ImageInput, at: AttachPlace, conceals: Conceals): ImagePart {
  if ("type" in image) return image;
  const { name, bytes } =
    "path" in image ? readImage(image.path, at, conceals) : { name: image.name, bytes: image.bytes };
  const what = name ?? "An image";
  if (bytes.length > maxBytes) throw tooBig(what, bytes.length);
  const header = imageHeader(bytes);
  if (!header) {
    throw refused(
      `${what} is no PNG, JPEG, GIF or WebP image, whatever its name says`,
      "Convert it to one of these, or leave it out.",
    );
  }
  const { mediaType, width, height } = header;
  if (Math.max(width, height) > maxSide) {
    throw refused(`${what} has ${width}×${height} pixels`, `Scale it down to at most ${maxSide} a side.`);
  }
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  const named = name === undefined ? {} : { name: shownName(name) };
  return { type: "image", mediaType, ...named, bytes: bytes.length, width, height, data };
}

function readImage(given: string, { disk, cwd }: AttachPlace, conceals: Conceals): { name: string; bytes: Buffer } {
  const path = resolve(cwd, given);
  try {
    const real = disk.realpathSync(path);
    if (conceals(real)) {
      throw refused(`${given} is a file that permissions withhold`, "A rule that allows to read it lifts that.");
    }
    return { name: basename(path), bytes: readBounded(disk, real, given) };
  } catch (error) {
    if (error instanceof UserError) throw error;
    const why = codeOf(error) === "ENOENT" ? "there is no such file" : messageOf(error);
    throw refused(`${given} cannot be read: ${why}`, "Check the path, or leave it out.");
  }
}

/** Of a regular file only, and never more than may be sent. */
function readBounded(disk: Fs, path: string, given: string): Buffer {
  const fd = disk.openSync(path, diskFlags.O_RDONLY | diskFlags.O_NONBLOCK);
  try {
    const stat = disk.fstatSync(fd);
    if (!stat.isFile()) throw refused(`${given} is not a file`, "Name an image file.");
    if (stat.size > maxBytes) throw tooBig(given, stat.size);
    const bytes = Buffer.alloc(stat.size);
    return bytes.subarray(0, disk.readSync(fd, bytes, 0, bytes.length, 0));
  } finally {
    disk.closeSync(fd);
  }
}

function tooBig(what: string, bytes: number): UserError {
  const size = `${(bytes / 1024 / 1024).toFixed(1)} MB`;
  const fix = `Providers take at most ${maxBytes / 1024 / 1024} MB an image: scale it down, or leave it out.`;
  return refused(`${what} has ${size}`, fix);
}

function refused(what: string, fix: string): UserError {
  return new UserError(`${what}.`, fix, 2);
}

/** A name stands in lines that people and models read. */
function shownName(name: string): string {
  return name.replace(/[\u0000-\u001f\u007f-\u009f[\]]/g, "_").slice(0, 80);
}
