import { describe, expect, test } from "vitest";
import { gifImage, jpegImage, pngImage, webpImage } from "../../test/support/images.js";
import { imageHeader } from "./image-header.js";

describe("what an image is, by its bytes", () => {
  test.each([
    ["png", "image/png", pngImage(640, 480)],
    ["gif", "image/gif", gifImage(640, 480)],
    ["jpeg with a preview and a fill byte before its frame", "image/jpeg", jpegImage(640, 480)],
    ["webp, lossy", "image/webp", webpImage("VP8 ", 640, 480)],
    ["webp, lossless", "image/webp", webpImage("VP8L", 640, 480)],
    ["webp, extended", "image/webp", webpImage("VP8X", 640, 480)],
  ])("%s", (_name, mediaType, bytes) => {
    expect(imageHeader(bytes)).toEqual({ mediaType, width: 640, height: 480 });
    // A view into a larger buffer is read from its own beginning.
    const inside = Buffer.concat([Buffer.alloc(3), bytes]).subarray(3);
    expect(imageHeader(new Uint8Array(inside.buffer, inside.byteOffset, inside.length))).toMatchObject({ width: 640 });
  });

  test.each([
    ["nothing", Buffer.alloc(0)],
    ["text", Buffer.from("this is no image, whatever it is called")],
    ["svg", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ["a png of no width", pngImage(0, 480)],
    ["a webp of an unknown kind", Buffer.from("RIFF\0\0\0\0WEBPXXXX0123456789012345")],
  ])("%s is none", (_name, bytes) => {
    expect(imageHeader(bytes)).toBeNull();
  });

  test.each([pngImage(640, 480).subarray(0, 33), gifImage(640, 480), jpegImage(640, 480), webpImage("VP8X", 640, 480)])(
    "cut anywhere it is whole or none, and never thrown over",
    (bytes) => {
      const whole = imageHeader(bytes);
      for (let length = 0; length < bytes.length; length++) {
        const header = imageHeader(bytes.subarray(0, length));
        if (header !== null) expect(header).toEqual(whole);
      }
    },
  );
});
