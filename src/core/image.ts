// What an image of the conversation is called where it cannot be shown, and what it weighs.
// Invariant: pure functions of the part; a message whose images are whole is handed on as the very same object.
// Not here: reading images (harness/conversation/attached-images.ts).

import { type ImagePart, type Message, type Part, textOf } from "./message.js";

/** Tokens. Anthropic counts width × height / 750 and scales to at most 1,568 of these; others count less. */
export const imageTokens = 1_600;

/** Of one message. */
export const maxImages = 20;

export function isImage(value: unknown): value is ImagePart {
  const part = value as Partial<ImagePart> | null;
  return part?.type === "image" && typeof part.mediaType === "string" && typeof part.data === "string";
}

/** `[image shot.png 640×480, 12 KB]` */
export function imageLine(image: ImagePart, remark = ""): string {
  const { name = image.mediaType, width, height } = image;
  const size = width === undefined ? "" : ` ${width}×${height}`;
  const bytes = image.bytes ?? Math.floor((image.data.replace(/={1,2}$/, "").length * 3) / 4);
  const weight = bytes < 1024 ? `${bytes} bytes` : `${Math.round(bytes / 1024)} KB`;
  return `[image ${name}${size}, ${weight}${remark}]`;
}

/** The visible text of a message, and a line for each image that it does not name itself. */
export function saidIn(message: Message): string {
  const text = textOf(message);
  const images = message.parts.flatMap((part) => (part.type === "image" ? [imageLine(part)] : []));
  return [text, ...images.filter((words) => !text.includes(words))].filter((each) => each !== "").join("\n");
}

const readable = new WeakMap<Message, Message>();

/**
 * The message with a line in the place of every image whose bytes are gone: a lost long text (session/spill.ts) ends in a
 * note, which no base64 does. One object per message, for a request that goes on must hold the very same one.
 */
export function withoutLostImages(message: Message): Message {
  if (!message.parts.some(isLost)) return message;
  const known = readable.get(message);
  if (known) return known;
  const parts = message.parts.map((part): Part => {
    if (!isLost(part)) return part;
    return { type: "text", text: imageLine(part, "; its bytes are lost, ask for it again if it matters") };
  });
  const made = { ...message, parts };
  readable.set(message, made);
  return made;
}

function isLost(part: Part): part is ImagePart {
  return part.type === "image" && part.data.includes("\n");
}
