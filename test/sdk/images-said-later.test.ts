// Images that are read before they are sent, steered in, taken back, or come back with what was not said: the same bytes each time.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ImagePart, Session } from "../../src/index.js";
import { pngImage } from "../support/images.js";
import { type Stage, stage } from "../support/stage.js";
import type { WireReply } from "../support/wire/anthropic.js";

const bytes = pngImage(640, 480, 100_000);
const line = "[image shot.png 640×480, 98 KB]";

const waiting: WireReply = {
  calls: [{ id: "c", name: "run_command", input: { command: "until [ -e go ]; do sleep 0.02; done" } }],
};

/** A run is under way, in a call that waits for the file `go`. */
async function busy(replies: readonly WireReply[]): Promise<{ at: Stage; session: Session; sent: Promise<unknown> }> {
  const at = await stage([waiting, ...replies]);
  const session = await at.open();
  writeFileSync(join(at.root, "shot.png"), bytes);
  const sent = session.send("go");
  await expect.poll(() => at.events.some(({ type }) => type === "call.start"), { timeout: 50_000 }).toBe(true);
  return { at, session, sent };
}

/** What the user said last in a request, behind results of calls. */
function newest(at: Stage, request: number) {
  const content = at.bodies()[request]?.messages.at(-1)?.content ?? [];
  return content.filter(({ type }) => type !== "tool_result").map(({ cache_control: _mark, ...block }) => block);
}

const onTheWire = [
  { type: "text", text: `Look at ${line}.` },
  { type: "image", source: { type: "base64", media_type: "image/png", data: bytes.toString("base64") } },
];

test("an image that was read is what is sent, also when its file has changed; nothing is sent by reading it", async () => {
  const at = await stage([{ text: "I see." }]);
  const session = await at.open();
  writeFileSync(join(at.root, "shot.png"), bytes);
  const image = await session.image({ path: "shot.png" });
  expect(image).toMatchObject({ name: "shot.png", mediaType: "image/png", width: 640, height: 480, bytes: 100_000 });
  writeFileSync(join(at.root, "shot.png"), "another");
  await session.send({ text: `Look at ${line}.`, images: [image] });
  expect(newest(at, 0)).toEqual(onTheWire);
  await expect(session.image({ path: "shot.png" })).rejects.toThrow("shot.png is no PNG, JPEG, GIF or WebP image");
  expect(at.server.requests).toHaveLength(1);
});

describe("steered in", () => {
  test.each(["now", "queue"] as const)("with %s, an image goes to the model behind its text", async (mode) => {
    const { at, session, sent } = await busy([{ text: "one" }, { text: "two" }]);
    session.steer({ text: `Look at ${line}.`, images: [await session.image({ path: "shot.png" })] }, mode);
    writeFileSync(join(at.root, "go"), "");
    await sent;
    expect(newest(at, mode === "now" ? 1 : 2)).toEqual(onTheWire);
  });

  test("an image needs no text; neither is refused, and so are too many", async () => {
    const session = await (await stage([])).open();
    const image: ImagePart = await session.image({ bytes });
    expect(session.steer({ text: "", images: [image] }, "queue")).not.toBe("");
    expect(() => session.steer({ text: " ", images: [] }, "queue")).toThrow("needs text");
    const many = Array.from({ length: 21 }, () => image);
    expect(() => session.steer({ text: "All.", images: many }, "queue")).toThrow("at most 20 images");
  });

  test("what is taken back, or not delivered, comes back with its image", async () => {
    const { session, sent } = await busy([]);
    const said = { text: `Look at ${line}.`, images: [await session.image({ path: "shot.png" })] };
    expect(session.withdraw(session.steer(said, "queue"))).toEqual(said);
    session.steer(said, "queue");
    session.cancel();
    expect(await sent).toMatchObject({ subtype: "error_cancelled", undelivered: [said.text] });
    expect(session.undelivered).toEqual([said]);
  });

  test("what waited when the process ended is said in the next one, its bytes exact", async () => {
    const at = await stage([{ text: "one" }, { text: "two" }]);
    // A secret that by chance stands in the bytes.
    const env = { ANTHROPIC_API_KEY: bytes.toString("base64").slice(200, 232), ANTHROPIC_BASE_URL: at.server.url };
    const session = await at.open({ env });
    await session.send("first");
    session.steer({ text: `Look at ${line}.`, images: [await session.image({ bytes, name: "shot.png" })] }, "now");
    await session.close();
    const again = await at.open({}, session.id);
    await again.send("second");
    expect(newest(at, 1).slice(-2)).toEqual(onTheWire);
  });
});

test("going back to before a message gives its images back", async () => {
  const at = await stage([{ text: "one" }, { text: "two" }]);
  const session = await at.open();
  await session.send({ text: `Look at ${line}.`, images: [{ bytes, name: "shot.png" }] });
  const { draft, images = [] } = await session.rewind();
  await session.send({ text: draft ?? "", images });
  expect(newest(at, 1)).toEqual(onTheWire);
});
