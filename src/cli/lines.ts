// Lines of a stream of bytes, whatever pieces they come in. A line without end is handed over cut, not collected for ever.

/** Yields each line without its line break; the last one too when it has none. At most `longest` + 1 characters each. */
export async function* linesOf(stream: AsyncIterable<Uint8Array>, longest: number): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let line = "";
  for await (const bytes of stream) {
    const pieces = decoder.decode(bytes, { stream: true }).split("\n");
    const rest = pieces.pop() ?? "";
    for (const piece of pieces) {
      yield withoutReturn(bounded(line + piece, longest));
      line = "";
    }
    line = bounded(line + rest, longest);
  }
  line += decoder.decode();
  if (line !== "") yield withoutReturn(line);
}

function bounded(line: string, longest: number): string {
  return line.length > longest ? line.slice(0, longest + 1) : line;
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}
