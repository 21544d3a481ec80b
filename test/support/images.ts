// The beginnings of images, as far as Cinch reads them, with as many bytes behind as a test wants.

export function pngImage(width: number, height: number, bytes = 64): Buffer {
  const image = Buffer.alloc(Math.max(bytes, 33), 0x5a);
  image.write("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 0, "latin1");
  image.writeUInt32BE(width, 16);
  image.writeUInt32BE(height, 20);
  return image;
}

export function gifImage(width: number, height: number): Buffer {
  const image = Buffer.alloc(16);
  image.write("GIF89a", 0, "latin1");
  image.writeUInt16LE(width, 6);
  image.writeUInt16LE(height, 8);
  return image;
}

/** With a segment before the frame that holds what looks like one, as a preview in EXIF does. */
export function jpegImage(width: number, height: number): Buffer {
  const frame = (marker: number, high: number, wide: number) => {
    const size = Buffer.alloc(4);
    size.writeUInt16BE(high, 0);
    size.writeUInt16BE(wide, 2);
    return Buffer.concat([Buffer.from([0xff, marker, 0, 17, 8]), size, Buffer.alloc(10)]);
  };
  const preview = Buffer.concat([Buffer.from("Exif\0\0"), frame(0xc0, 9, 9)]);
  const exif = Buffer.concat([Buffer.from([0xff, 0xe1, 0, preview.length + 2]), preview]);
  return Buffer.concat([Buffer.from([0xff, 0xd8]), exif, Buffer.from([0xff]), frame(0xc2, height, width)]);
}

type WebpKind = "VP8 " | "VP8L" | "VP8X";

export function webpImage(kind: WebpKind, width: number, height: number): Buffer {
  const image = Buffer.alloc(40);
  image.write(`RIFF\0\0\0\0WEBP${kind}`, 0, "latin1");
  if (kind === "VP8X") {
    image.writeUIntLE(width - 1, 24, 3);
    image.writeUIntLE(height - 1, 27, 3);
  } else if (kind === "VP8L") {
    image[20] = 0x2f;
    image.writeUInt32LE((width - 1) | ((height - 1) << 14), 21);
  } else {
    image.writeUIntBE(0x9d012a, 23, 3);
    image.writeUInt16LE(width, 26);
    image.writeUInt16LE(height, 28);
  }
  return image;
}
