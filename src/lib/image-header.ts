// What kind of image some bytes are, and how big a picture, read from their first bytes.
// Invariant: judged by the bytes alone, never by a name; what is not certain is null. Nothing is decoded.

export interface ImageHeader {
  mediaType: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
  width: number;
  height: number;
}

/** Null: none of the four kinds, or damaged where its size should stand. */
export function imageHeader(bytes: Uint8Array): ImageHeader | null {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (const read of [png, gif, webp, jpeg]) {
    const header = read(data);
    if (header) return header.width > 0 && header.height > 0 ? header : null;
  }
  return null;
}

type Read = (data: Buffer) => ImageHeader | null;

const png: Read = (data) => {
  if (data.length < 24 || data.toString("latin1", 0, 16) !== "\x89PNG\r\n\x1a\n\0\0\0\rIHDR") return null;
  return { mediaType: "image/png", width: data.readUInt32BE(16), height: data.readUInt32BE(20) };
};

const gif: Read = (data) => {
  if (data.length < 10 || !/^GIF8[79]a$/.test(data.toString("latin1", 0, 6))) return null;
  return { mediaType: "image/gif", width: data.readUInt16LE(6), height: data.readUInt16LE(8) };
};

const webp: Read = (data) => {
  if (data.length < 30 || data.toString("latin1", 0, 4) !== "RIFF") return null;
  const mediaType = "image/webp";
  switch (data.toString("latin1", 8, 16)) {
    case "WEBPVP8X":
      return { mediaType, width: data.readUIntLE(24, 3) + 1, height: data.readUIntLE(27, 3) + 1 };
    case "WEBPVP8L": {
      if (data[20] !== 0x2f) return null;
      const bits = data.readUInt32LE(21);
      return { mediaType, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case "WEBPVP8 ":
      if (data.readUIntBE(23, 3) !== 0x9d012a) return null;
      return { mediaType, width: data.readUInt16LE(26) & 0x3fff, height: data.readUInt16LE(28) & 0x3fff };
    default:
      return null;
  }
};

/** The size stands in the first frame header; before it come any number of segments, an EXIF preview among them. */
const jpeg: Read = (data) => {
  if (data.length < 4 || data.readUIntBE(0, 3) !== 0xffd8ff) return null;
  for (let at = 2; at + 9 <= data.length; ) {
    const marker = data[at + 1] ?? 0;
    if (data[at] !== 0xff) return null;
    if (marker === 0xff) at++;
    else if (isFrame(marker)) {
      return { mediaType: "image/jpeg", width: data.readUInt16BE(at + 7), height: data.readUInt16BE(at + 5) };
    } else at += 2 + data.readUInt16BE(at + 2);
  }
  return null;
};

/** SOF0 to SOF15 without the three of that range that are something else. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}
