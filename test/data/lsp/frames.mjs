// The framing of the protocol, for servers that play a part: a length, an empty line, JSON.

export class FrameReader {
  #rest = Buffer.alloc(0);

  constructor(take) {
    this.push = (chunk) => {
      this.#rest = Buffer.concat([this.#rest, chunk]);
      for (;;) {
        const end = this.#rest.indexOf("\r\n\r\n");
        if (end < 0) return;
        const length = Number(/Content-Length: (\d+)/i.exec(this.#rest.toString("latin1", 0, end))[1]);
        if (this.#rest.length < end + 4 + length) return;
        const message = JSON.parse(this.#rest.toString("utf8", end + 4, end + 4 + length));
        this.#rest = this.#rest.subarray(end + 4 + length);
        take(message);
      }
    };
  }
}

export function frame(message) {
  const body = Buffer.from(JSON.stringify(message));
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
}
