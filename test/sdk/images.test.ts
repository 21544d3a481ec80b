// Images sent with a text: what goes to the model, what is kept, and what is said where there is no image.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ImageInput } from "../../src/index.js";
import { gifImage, jpegImage, pngImage } from "../support/images.js";
import { type Block, blocks, type Stage, stage } from "../support/stage.js";

const answers = [{ text: "I see." }, { text: "Still." }, { text: "Again." }];
const big = pngImage(640, 480, 100_000);

/** The content of the last message of a request, cache marks apart. */
function said(at: Stage, request: number): Block[] {
  const content = at.bodies()[request]?.messages.at(-1)?.content ?? [];
  return content.map(({ cache_control: _mark, ...block }) => block);
}

function imageBlock(mediaType: string, bytes: Buffer) {
  return { type: "image", source: { type: "base64", media_type: mediaType, data: bytes.toString("base64") } };
}

function logOf(at: Stage): string {
  const file = readdirSync(at.home, { recursive: true, encoding: "utf8" }).find((name) => name.endsWith(".jsonl"));
  return readFileSync(join(at.home, file ?? ""), "utf8");
}

function spills(at: Stage): string[] {
  const files = readdirSync(at.home, { recursive: true, encoding: "utf8" });
  return files.filter((name) => /spill\/[0-9a-f]{64}$/.test(name)).map((name) => join(at.home, name));
}

describe("images that are sent", () => {
  test("a file and bytes go out behind the text, judged by what they are and not by what they are called", async () => {
    const at = await stage(answers);
    const session = await at.open();
    writeFileSync(join(at.root, "shot.png"), jpegImage(30, 20));
    const result = await session.send({
      text: "What is this?",
      images: [{ path: "shot.png" }, { bytes: gifImage(5, 4) }],
    });
    expect(result).toMatchObject({ subtype: "success", result: "I see." });
    expect(said(at, 0)).toEqual([
      { type: "text", text: "What is this?" },
      imageBlock("image/jpeg", jpegImage(30, 20)),
      imageBlock("image/gif", gifImage(5, 4)),
    ]);
    const message = [...session.entries()].find((entry) => entry.type === "message");
    expect(message?.data).toMatchObject({
      parts: [
        { type: "text" },
        { name: "shot.png", mediaType: "image/jpeg", width: 30, height: 20, bytes: jpegImage(30, 20).length },
        { mediaType: "image/gif", width: 5, height: 4, bytes: 16 },
      ],
    });
  });

  test("an image needs no text", async () => {
    const at = await stage(answers);
    const session = await at.open();
    await session.send({ text: "", images: [{ bytes: gifImage(5, 4) }] });
    expect(said(at, 0)).toEqual([imageBlock("image/gif", gifImage(5, 4))]);
  });

  test("the same bytes are kept once, and a session that goes on sends them again", async () => {
    const at = await stage(answers);
    const session = await at.open();
    await session.send({ text: "One.", images: [{ bytes: big }] });
    await session.send({ text: "Two.", images: [{ bytes: big }] });
    expect(spills(at)).toHaveLength(1);
    expect(logOf(at).length).toBeLessThan(60_000);
    await session.close();
    const again = await at.open({}, session.id);
    await again.send("Three.");
    const [, second, third] = at.bodies().map(blocks);
    expect(third?.slice(0, second?.length)).toEqual(second);
    expect(at.events.filter(({ type }) => type === "cache.break")).toEqual([]);
  });

  test("a branch sends them again as well", async () => {
    const at = await stage(answers);
    const session = await at.open();
    await session.send({ text: "One.", images: [{ bytes: big }] });
    const answer = [...session.entries()].findLast((entry) => entry.type === "message");
    await session.send("Two.");
    await session.fork(answer?.id ?? "");
    await session.send("Instead.");
    const [first, , third] = at.bodies().map(blocks);
    expect(third?.slice(0, first?.length)).toEqual(first);
  });

  test("many small images do not make a long line", async () => {
    const at = await stage(answers);
    const session = await at.open();
    const images = Array.from({ length: 20 }, (_, i) => ({ bytes: pngImage(100 + i, 100, 20_000) }));
    await session.send({ text: "All of them.", images });
    expect(spills(at)).toHaveLength(20);
    expect(
      Math.max(
        ...logOf(at)
          .split("\n")
          .map((line) => line.length),
      ),
    ).toBeLessThan(64 * 1024);
  });

  test("bytes of an image are no text that could hold a secret", async () => {
    const at = await stage(answers);
    const image = Buffer.concat([gifImage(5, 4), Buffer.from("sk-ant-secret-0123456789", "base64")]);
    const encoded = image.toString("base64");
    const env = { ANTHROPIC_API_KEY: encoded.slice(-24), ANTHROPIC_BASE_URL: at.server.url };
    const session = await at.open({ env });
    await session.send({ text: `Keep ${encoded.slice(-24)}.`, images: [{ bytes: image }] });
    expect(said(at, 0)).toEqual([
      { type: "text", text: expect.not.stringContaining(encoded.slice(-24)) },
      imageBlock("image/gif", image),
    ]);
  });
});

describe("an image whose bytes are gone", () => {
  test.each([
    ["missing", (file: string) => rmSync(file)],
    ["changed", (file: string) => writeFileSync(file, "other")],
  ])("%s: a line stands in its place, and it is told once and loudly", async (_how, damage) => {
    const at = await stage(answers);
    const session = await at.open();
    await session.send({ text: "One.", images: [{ bytes: big, name: "shot.png" }] });
    await session.close();
    damage(spills(at)[0] as string);
    const again = await at.open({}, session.id);
    expect(again.init.notices.join("\n")).toMatch(/spill\/[0-9a-f]{64} \(\d+ bytes\) (is missing|has been changed)/);
    await again.send("Two.");
    expect(at.bodies()[1]?.messages[0]?.content).toMatchObject([
      { type: "text", text: "One." },
      { type: "text", text: "[image shot.png 640×480, 98 KB; its bytes are lost, ask for it again if it matters]" },
    ]);
    expect(at.events.filter(({ type }) => type === "cache.break")).toMatchObject([{ cause: "damage" }]);
  });
});

describe("images that cannot be sent", () => {
  const small = { bytes: gifImage(5, 4) };
  test.each<[string, ImageInput[], RegExp]>([
    ["a missing file", [{ path: "none.png" }], /none\.png cannot be read: there is no such file\. Nothing was sent\./],
    ["a directory", [{ path: "." }], /\. is not a file/],
    ["text under an image's name", [{ path: "text.png" }], /text\.png is no PNG, JPEG, GIF or WebP image/],
    ["a secret file", [{ path: ".ssh/photo.png" }], /permissions withhold/],
    ["too many bytes", [{ bytes: pngImage(9, 9, 3_932_161) }], /An image has 3\.8 MB/],
    ["too many pixels", [{ bytes: pngImage(8_001, 9) }], /8001×9 pixels/],
    ["too many", Array.from({ length: 21 }, () => small), /21 images are more/],
  ])("%s", async (_name, images, text) => {
    const at = await stage(answers);
    const session = await at.open();
    mkdirSync(join(at.root, ".ssh"));
    writeFileSync(join(at.root, "text.png"), "no image");
    writeFileSync(join(at.root, ".ssh/photo.png"), gifImage(5, 4));
    await expect(session.send({ text: "Look.", images: [small, ...images].slice(-21) })).rejects.toThrow(text);
    expect(at.server.requests).toEqual([]);
    expect([...session.entries()].filter(({ type }) => type === "message")).toEqual([]);
    // Nothing is under way: the next one is taken.
    expect(await session.send("Hello.")).toMatchObject({ subtype: "success" });
  });

  test("a model that takes none, and the setting that says it does", async () => {
    const at = await stage(answers);
    const images = { "anthropic/claude-sonnet-4-5": false };
    const session = await at.open({ settings: { models: { images } } });
    const sending = session.send({ text: "Look.", images: [small] });
    await expect(sending).rejects.toMatchObject({
      message: "anthropic/claude-sonnet-4-5 takes no images, as far as Cinch knows. Nothing was sent.",
      fix: expect.stringContaining('models.images."anthropic/claude-sonnet-4-5"'),
    });
    expect(at.server.requests).toEqual([]);
  });

  test("a conversation with images goes on with a model that takes none: a line says what it does not see", async () => {
    const at = await stage(answers);
    const session = await at.open();
    await session.send({ text: "Look.", images: [{ ...small, name: "shot.gif" }] });
    await session.close();
    const blind = await at.open({ settings: { models: { images: { "claude-sonnet-4-5": false } } } }, session.id);
    await blind.send("And now?");
    expect(at.bodies()[1]?.messages[0]?.content).toMatchObject([
      { text: "Look." },
      { text: "[image shot.gif 5×4, 16 bytes; you do not see it, this model takes no images]" },
    ]);
  });
});

test("a compaction names the image", async () => {
  const at = await stage([{ text: "I see. ".repeat(400) }, { text: "It was a picture." }, { text: "Fine." }]);
  const session = await at.open({ settings: { compaction: { keep: 0 } } });
  await session.send({ text: "Look.", images: [{ bytes: gifImage(5, 4), name: "shot.gif" }] });
  expect(await session.compact()).toMatchObject({ state: "done" });
  await session.send("Go on.");
  const sent = JSON.stringify(at.bodies().at(-1)?.messages);
  expect(sent).toContain("Look.\\n[image shot.gif 5×4, 16 bytes]");
  expect(sent).not.toContain(gifImage(5, 4).toString("base64"));
});
