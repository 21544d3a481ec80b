// An image in what the user says, as each protocol sends it, and for a model that takes none.

import { expect, test } from "vitest";
import { ask } from "../../test/support/model.js";
import { protocols } from "../../test/support/wire/protocols.js";
import { serve } from "../../test/support/wire/served.js";
import type { Message } from "../core/message.js";

const picture: Message = {
  role: "user",
  parts: [
    { type: "text", text: "look" },
    { type: "image", mediaType: "image/png", name: "shot.png", bytes: 3, width: 2, height: 1, data: "QUJD" },
  ],
};

/** Where each protocol has the parts of the user's message, and how an image looks there. */
const pictures: Record<string, [path: string[], image: unknown]> = {
  anthropic: [
    ["messages", "0", "content"],
    { type: "image", source: { type: "base64", media_type: "image/png", data: "QUJD" } },
  ],
  chat: [["messages", "1", "content"], { type: "image_url", image_url: { url: "data:image/png;base64,QUJD" } }],
  responses: [["input", "1", "content"], { type: "input_image", image_url: "data:image/png;base64,QUJD" }],
  google: [["contents", "0", "parts"], { inlineData: { mimeType: "image/png", data: "QUJD" } }],
  bedrock: [["messages", "0", "content"], { image: { format: "png", source: { bytes: "QUJD" } } }],
};

test.each(protocols)(
  "$name: an image goes out behind its text, or as a line where the model takes none",
  async (one) => {
    const [path, image] = pictures[one.name] as [string[], unknown];
    for (const takes of [true, false]) {
      const { model, server } = await serve(one, [{ text: "a bear" }], { models: { images: { [one.id]: takes } } });
      expect((await ask(model, { messages: [picture] })).done?.stop).toBe("end");
      const body: unknown = JSON.parse(server.requests[0]?.body ?? "");
      const parts = path.reduce((value, key) => (value as Record<string, unknown>)[key], body);
      if (takes) expect((parts as unknown[]).at(-1)).toEqual(image);
      else expect(JSON.stringify(parts)).toContain("[image shot.png 2×1, 3 bytes; you do not see it");
      expect(server.requests[0]?.body.includes("QUJD")).toBe(takes);
    }
  },
);
