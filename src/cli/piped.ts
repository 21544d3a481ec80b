// What was piped into stdin: part of the prompt. A terminal and /dev/null have nothing to say and cost nothing.
// A program that starts Cinch may leave it an open pipe that never says anything: after 3 s without a first byte the run
// goes on without it and says so. Once something has come, its end is awaited.

import { codeOf, UserError } from "../core/errors.js";
import { nodeFs } from "../lib/fs.js";

/** A prompt of more characters than this is no prompt. */
const largest = 20_000_000;
const patience = 3_000;

/** The text, without a final line break; `""` when nothing was piped. `silent` is called when nothing came in time. */
export async function readPiped(silent: () => void): Promise<string> {
  const kind = kindOfStdin();
  if (kind === "none") return "";
  const text = kind === "file" ? nodeFs.readFileSync(0, "utf8") : await drain(silent);
  if (text.length > largest) {
    const million = largest / 1_000_000;
    throw new UserError(
      `More than ${million} million characters came on standard input: that is no prompt.`,
      "Write them to a file in the project and name it in the prompt.",
    );
  }
  return text.replace(/^\ufeff/, "").replace(/\r?\n$/, "");
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

/** Everything until the end of the stream; nothing when its first byte does not come in time. */
async function drain(silent: () => void): Promise<string> {
  const timer = setTimeout(() => {
    silent();
    process.stdin.destroy();
  }, patience);
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
      clearTimeout(timer);
      if (text.length <= largest) text += decoder.decode(chunk, { stream: true });
    }
  } catch (error) {
    if (codeOf(error) !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
  } finally {
    clearTimeout(timer);
  }
  return text + decoder.decode();
}
