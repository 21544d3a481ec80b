// Bounded text: the head and the tail of a long stream of bytes, with a note of what lies between.
// Invariant: memory stays below head + tail + one chunk whatever is pushed; a character is never cut in two.
// It keeps no copy of the middle; whoever wants all of it writes it elsewhere while pushing.

export interface HeadTailLimits {
  /** Bytes kept from the beginning. */
  head: number;
  /** Bytes kept from the end. */
  tail: number;
}

export class HeadTail {
  bytes = 0;
  /** Lines so far; a last line without line end counts. */
  get lines(): number {
    return this.#newlines + (this.bytes > 0 && this.#last !== 0x0a ? 1 : 0);
  }
  readonly #limits: HeadTailLimits;
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #newlines = 0;
  #last = 0x0a;

  constructor(limits: HeadTailLimits) {
    this.#limits = limits;
  }

  /** True once something was left out. */
  get cut(): boolean {
    return this.bytes > this.#limits.head + this.#limits.tail;
  }

  push(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.bytes += chunk.length;
    this.#last = chunk[chunk.length - 1] ?? 0;
    for (let i = 0; i < chunk.length; i++) if (chunk[i] === 0x0a) this.#newlines++;
    const room = this.#limits.head - this.#headBytes;
    if (room > 0) {
      const part = chunk.subarray(0, room);
      this.#head.push(Buffer.from(part));
      this.#headBytes += part.length;
    }
    if (chunk.length > room) this.#pushTail(chunk.subarray(Math.max(0, room)));
  }

  #pushTail(part: Buffer): void {
    const kept = part.length > this.#limits.tail ? part.subarray(part.length - this.#limits.tail) : part;
    this.#tail.push(Buffer.from(kept));
    this.#tailBytes += kept.length;
    let first = this.#tail[0];
    while (first && this.#tailBytes - first.length >= this.#limits.tail) {
      this.#tail.shift();
      this.#tailBytes -= first.length;
      first = this.#tail[0];
    }
    // Many small chunks would each cost an object; one buffer of the tail's size is cheaper to keep.
    if (this.#tail.length > 256) this.#tail = [Buffer.concat(this.#tail)];
  }

  /** The whole text, or head, `note(lines and bytes left out)` and tail, cut at line ends where there are any near. */
  render(note: (lines: number, bytes: number) => string): string {
    const head = Buffer.concat(this.#head);
    const tail = Buffer.concat(this.#tail);
    if (!this.cut) return Buffer.concat([head, tail]).toString("utf8");
    const first = headAtLine(head);
    const last = tailAtLine(tail.subarray(Math.max(0, tail.length - this.#limits.tail)));
    const lines = Math.max(0, this.lines - newlines(first) - newlines(last) - (endsOpen(last) ? 1 : 0));
    const middle = note(lines, this.bytes - first.length - last.length);
    const gap = endsOpen(first) ? "\n" : "";
    return `${first.toString("utf8")}${gap}${middle}\n${last.toString("utf8")}`;
  }
}

function endsOpen(bytes: Buffer): boolean {
  return bytes.length > 0 && bytes[bytes.length - 1] !== 0x0a;
}

function newlines(bytes: Buffer): number {
  let count = 0;
  for (let i = 0; i < bytes.length; i++) if (bytes[i] === 0x0a) count++;
  return count;
}

function headAtLine(bytes: Buffer): Buffer {
  const end = bytes.lastIndexOf(0x0a);
  if (end >= bytes.length / 2) return bytes.subarray(0, end + 1);
  let cut = bytes.length;
  while (cut > 0 && ((bytes[cut - 1] ?? 0) & 0xc0) === 0x80) cut--;
  // `cut` is behind a leading byte (or ASCII); drop it when its character is not complete.
  const lead = bytes[cut - 1] ?? 0;
  const size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return bytes.subarray(0, cut - 1 + size <= bytes.length ? cut - 1 + size : cut - 1);
}

function tailAtLine(bytes: Buffer): Buffer {
  const start = bytes.indexOf(0x0a);
  if (start >= 0 && start + 1 < bytes.length && start < bytes.length / 2) return bytes.subarray(start + 1);
  let cut = 0;
  while (cut < bytes.length && ((bytes[cut] ?? 0) & 0xc0) === 0x80) cut++;
  return bytes.subarray(cut);
}

/** `line` when it has at most `max` characters; else its beginning and a marker with its length. */
export function cutLine(line: string, max: number): string {
  return line.length <= max ? line : `${line.slice(0, max)}… [line of ${line.length} characters, cut]`;
}

/** `lead` and below it as many of the items as fit into `budget` characters; those left out are counted. Empty without items. */
export function listWithin(lead: string, items: readonly string[], budget: number): string {
  if (items.length === 0) return "";
  const lines = [lead];
  let room = budget - lead.length - `\n- ${items.length} more`.length;
  for (const item of items) {
    const line = `- ${item}`;
    room -= line.length + 1;
    if (room < 0) break;
    lines.push(line);
  }
  const left = items.length - (lines.length - 1);
  if (left > 0) lines.push(`- ${left} more`);
  return lines.join("\n").slice(0, budget);
}
