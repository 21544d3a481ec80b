// What was piped into stdin: part of the prompt. A terminal and /dev/null have nothing to say and cost nothing.
// A program that starts Cinch may leave it an open pipe that never says anything: after 3 s without a first byte the run
// goes on without it and says so. In a pipeline, and once something has come, its end is awaited, for --max-time at most.

import { codeOf, UserError } from "../core/errors.js";
import { nodeFs } from "../lib/fs.js";

/** A prompt of more characters than this is no prompt. */
const largest = 20_000_000;
const patience = 3_000;

export interface Waiting {
  /** Nothing has come yet, and a pipeline writes to us. */
  waits(): void;
  /** Nothing came in time, and it goes on without. */
  silent(): void;
  /** Seconds. */
  maxTime: number | undefined;
}

/** The text, without a final line break; `""` when nothing was piped. */
export async function readPiped(waiting: Waiting): Promise<string> {
  const kind = kindOfStdin();
  if (kind === "none") return "";
  const text = kind === "file" ? nodeFs.readFileSync(0, "utf8") : await drain(waiting);
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
async function drain({ waits, silent, maxTime }: Waiting): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let begun = false;
  let wasFed = false;
  let timer = setTimeout(() => void look(), patience);
  const look = async () => {
    const { isFed } = await import("../lib/pipeline.js");
    if (begun) return;
    const fed = isFed();
    if (fed && !wasFed) waits();
    // Whoever wrote to it may have written last when it ended, so that is waited for once more.
    if (fed || wasFed) timer = setTimeout(() => void look(), patience);
    else {
      silent();
      process.stdin.destroy();
    }
    wasFed = fed;
  };
  const limit = maxTime === undefined ? undefined : endInput(maxTime);
  try {
    for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
      begun = true;
      if (text.length <= largest) text += decoder.decode(chunk, { stream: true });
    }
  } catch (error) {
    if (codeOf(error) !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
  } finally {
    begun = true;
    clearTimeout(timer);
    clearTimeout(limit);
  }
  return text + decoder.decode();
}

/** Not before it is known whether there is anything to wait for. */
function endInput(seconds: number): NodeJS.Timeout {
  const text = `Standard input had not ended after the ${seconds} s of --max-time. Nothing was run.`;
  const over = new UserError(text, "Give it more time, or </dev/null.", 6);
  return setTimeout(() => process.stdin.destroy(over), Math.max(seconds * 1_000, patience + 1_000));
}
