// What was piped into stdin: part of the prompt. A terminal and /dev/null have nothing to say and cost nothing.
// Like other tools this waits for the end of an open pipe; after a while it says what it is waiting for.

import { nodeFs } from "../lib/fs.js";

/** A prompt of more characters than this is no prompt. */
const largest = 20_000_000;
const patience = 3_000;

/** The text, without a final line break; `""` when nothing was piped. `waiting` is called when nothing has come for 3 s. */
export async function readPiped(waiting: () => void): Promise<string> {
  const kind = kindOfStdin();
  if (kind === "none") return "";
  const text = kind === "file" ? nodeFs.readFileSync(0, "utf8") : await drain(waiting);
  return text
    .slice(0, largest)
    .replace(/^\ufeff/, "")
    .replace(/\r?\n$/, "");
}

function kindOfStdin(): "none" | "file" | "stream" {
  try {
    const stat = nodeFs.fstatSync(0);
    if (stat.isFile()) return "file";
    return stat.isFIFO() || stat.isSocket() ? "stream" : "none";
  } catch {
    // Closed: nothing can come from it.
    return "none";
  }
}

async function drain(waiting: () => void): Promise<string> {
  const timer = setTimeout(waiting, patience);
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
      clearTimeout(timer);
      if (text.length <= largest) text += decoder.decode(chunk, { stream: true });
    }
  } finally {
    clearTimeout(timer);
  }
  return text + decoder.decode();
}
