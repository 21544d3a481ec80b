// The image in the clipboard, from whichever program of this system hands it out; terminals themselves paste text alone.
// Invariant: only such a program is run, for a few seconds at most, and it gets no more of the environment than it needs.

import { codeOf } from "../../core/errors.js";
import { runProgram } from "../../lib/process.js";

export interface ClipboardPlace {
  env: Readonly<Record<string, string | undefined>>;
  platform: string;
  cwd: string;
}

/** More than any model takes. */
const mostBytes = 8 * 1024 * 1024;
const patience = 5_000;

const needed = ["PATH", "HOME", "DISPLAY", "XAUTHORITY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR"];

/** Null: there is none, or no program that could tell. */
export async function clipboardImage(place: ClipboardPlace): Promise<Uint8Array | null> {
  for (const [program, ...args] of programsOf(place)) {
    const bytes = await outputOf(program, args, place);
    if (bytes.length > 0) return bytes;
  }
  return null;
}

function programsOf({ env, platform }: ClipboardPlace): [string, ...string[]][] {
  if (platform === "darwin") return [["pngpaste", "-"]];
  return [
    ...(env["WAYLAND_DISPLAY"] ? [["wl-paste", "--type", "image/png"] as [string, ...string[]]] : []),
    ...(env["DISPLAY"] ? [["xclip", "-selection", "clipboard", "-t", "image/png", "-o"] as [string, ...string[]]] : []),
  ];
}

/** Nothing when it is not there or does not end well. */
async function outputOf(program: string, args: readonly string[], { env, cwd }: ClipboardPlace): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  const onChunk = (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    return size <= mostBytes;
  };
  const given = Object.fromEntries(needed.map((name) => [name, env[name] ?? ""]).filter(([, value]) => value !== ""));
  try {
    const { exit } = await runProgram(program, args, {
      cwd,
      env: given,
      signal: AbortSignal.timeout(patience),
      onChunk,
    });
    return exit === 0 || size > mostBytes ? Buffer.concat(chunks) : Buffer.alloc(0);
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "EACCES") return Buffer.alloc(0);
    throw error;
  }
}
